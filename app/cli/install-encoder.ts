/** `bridge install-encoder`: the sentence encoder, which is no part of the program's own packages. */
import { ensureEncoder, type InstalledEncoder, installedEncoder } from "../../deploy/encoder.ts";
import { CommandError, print, say } from "./terminal.ts";

/** @throws CommandError naming what is missing */
export async function installEncoder(): Promise<void> {
  const found = installedEncoder();
  if (found) return shown(found, "is there already,");
  try {
    shown(await ensureEncoder(say), "is installed");
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}

const shown = ({ name, folder }: InstalledEncoder, what: string): void =>
  print(`The sentence encoder ${name} ${what} in ${folder}. What runs here uses it from now on.`);
