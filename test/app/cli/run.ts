/** The real program in a process of its own, on the Node that runs the tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../app/main.ts", import.meta.url));

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs `bridge …` with no settings but these, and waits for its end. */
export async function bridge(
  args: readonly string[],
  settings: Record<string, string> = {},
  cwd?: string,
): Promise<Ran> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(BRIDGE_|PORT$|HOST$|NODE_(?!COMPILE_CACHE)|VITEST)/.test(name),
  );
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd && { cwd }),
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: Number(code), out, err };
}
