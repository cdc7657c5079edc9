/** Output and errors of commands. Imports nothing but Node's own, because every command loads it. */
import { readFileSync } from "node:fs";
import { styleText } from "node:util";

/** A failure whose message tells the user what to do; exit codes: 1 failed, 2 wrong usage or settings, 3 busy, 4 not found. */
export class CommandError extends Error {
  override name = "CommandError";
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

type Style = Parameters<typeof styleText>[0];

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
/** A text between single quotes, for bash, zsh and fish. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** Replaces control characters, so that untrusted text is safe on a terminal. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, "�");

/**
 * A text in color where standard output is a terminal that shows it: never in a pipe or a file. NO_COLOR and FORCE_COLOR are
 * obeyed as Node obeys them.
 */
export const styled = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout, validateStream: true });

/** A file that the user named. @throws CommandError if it cannot be read */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 2);
  }
}
