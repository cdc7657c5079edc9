/** JavaScript runtimes beside Node, of the npm packages that carry them. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { installClients } from "../support/inspector.ts";

export interface Runtimes {
  deno: string;
  bun: string;
  workerd: string;
}

const MACHINE = `${process.platform}-${process.arch}`;

/** @returns paths of their programs, or why they cannot be had on this machine */
export function installRuntimes(): Runtimes | { missing: string } {
  if (MACHINE !== "linux-x64")
    return { missing: `the runtimes' packages are tried on linux-x64, not ${MACHINE}` };
  let modules: string;
  try {
    modules = join(installClients("runtimes"), "node_modules");
  } catch (error) {
    return { missing: `npm cannot fetch them: ${String(error).slice(0, 200)}` };
  }
  const runtimes = {
    deno: join(modules, "@deno/linux-x64-glibc/deno"),
    bun: join(modules, "@oven/bun-linux-x64/bin/bun"),
    workerd: join(modules, "@cloudflare/workerd-linux-64/bin/workerd"),
  };
  for (const path of Object.values(runtimes)) chmodSync(path, 0o755);
  return runtimes;
}
