/** `bridge mcp`: the tools of /mcp over stdio, for clients that start a program; operations are called over HTTP. */
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import type { Config } from "../../src/runtime/config.ts";
import { ThreadPool } from "../../src/threads/pool.ts";
import { tasksOf } from "../../src/threads/task.ts";
import { JOB_LIMITS } from "../../src/threads/thread-tasks.ts";
import type * as readThread from "../../workers/session/pages/read-thread.ts";
import { openAgreements } from "../front/mcp/agreements.ts";
import { createMcpServer } from "../front/mcp/server.ts";
import type { OperationCaller } from "../front/mcp/tools/tool.ts";
import { type Credentials, callOverHttp, registryOf } from "./http-caller.ts";
import { CommandError, say } from "./terminal.ts";

export interface McpFlags {
  registry: string;
  wallet?: string;
  token?: string;
  key?: string;
}

const SCREEN = tasksOf<typeof readThread>(
  new URL("../../workers/session/pages/read-thread.ts", import.meta.url),
)("screen");
/** Its thread starts with the first text. */
let scans: ThreadPool | undefined;

/** Serves the tools on standard input and output until the input ends. Logs go to standard error alone. */
export async function mcp(
  { BRIDGE_TOKEN, BRIDGE_KEY }: Config,
  { registry, wallet, token = BRIDGE_TOKEN, key = BRIDGE_KEY }: McpFlags,
): Promise<void> {
  const caller = createHttpCaller(
    registryOf(registry),
    { token, key },
    wallet === undefined ? new Map() : readWallet(wallet),
  );
  const report = (error: unknown) =>
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const agreements = openAgreements(randomBytes(32).toString("base64url"));
  serveStdio(() => createMcpServer(caller, agreements, report), {
    maxSubscriptions: 0,
    onerror: (error) => say(error.message),
  });
}

/** Calls a registry's operations over HTTP, with the credentials and licenses of whoever started the program. */
export const createHttpCaller = (
  registry: string,
  credentials: Credentials,
  wallet: ReadonlyMap<string, string>,
): OperationCaller => ({
  licenseOf: (domain) => {
    const parsed = parseHost(domain);
    return parsed.ok ? wallet.get(parsed.host) : undefined;
  },
  screen: async (texts, role) => {
    // The firewall comes with the program: what a registry shows is screened here, too, without a call for it.
    // In a thread with a deadline, as everywhere: what is not scanned in time throws, and counts as unknown.
    scans ??= new ThreadPool({ name: "page_texts", threads: 1, ...JOB_LIMITS });
    const said = await scans.run(SCREEN, { texts, role });
    if (!said.ok) throw new Error(said.detail);
    return said.value;
  },
  call: async (service, name, input, how) =>
    (await callOverHttp(registry, credentials, service.operations[name]!, input, how)) as never,
});

/** Licenses by domain, of a JSON file that others should not read. @throws CommandError */
export function readWallet(path: string): ReadonlyMap<string, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
    if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0)
      say(`${path} can be read by others of this machine; chmod 600 it.`);
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 2);
  }
  const wrong = new CommandError(`${path} must be a JSON object: {"shop.example": "its license", …}.`, 2);
  let licenses: unknown;
  try {
    licenses = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (typeof licenses !== "object" || licenses === null || Array.isArray(licenses)) throw wrong;
  const wallet = new Map<string, string>();
  for (const [domain, license] of Object.entries(licenses)) {
    const parsed = parseHost(domain);
    if (!parsed.ok || typeof license !== "string") throw wrong;
    wallet.set(parsed.host, license);
  }
  return wallet;
}
