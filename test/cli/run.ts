/** The real program in a process of its own, on the Node that runs the tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Compiled once for all runs: half of the time of a short command. */
const cache = mkdtempSync(join(tmpdir(), "bridge-test-compiled-"));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs `bridge …` with no settings but these, and waits for its end. */
export const bridge = async (
  args: readonly string[],
  settings: Record<string, string> = {},
  cwd?: string,
): Promise<Ran> => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(BRIDGE_|PORT$|HOST$|NODE_|VITEST)/.test(name),
  );
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), NODE_COMPILE_CACHE: cache, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd && { cwd }),
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: Number(code), out, err };
};
