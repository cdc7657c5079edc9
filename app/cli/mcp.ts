/** `bridge mcp`: the tools of /mcp over stdio, for clients that start a program; operations are called over HTTP. */
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import { credentialsOf, type OperationSpec, timeoutOf } from "../../src/rpc/contract.ts";
import { type Failure, type Fault, fail, isErrorCode } from "../../src/rpc/errors.ts";
import type { Config } from "../../src/runtime/config.ts";
import { Pool } from "../../src/threads/pool.ts";
import { tasksOf } from "../../src/threads/task.ts";
import { JOB_LIMITS } from "../../src/threads/thread-tasks.ts";
import type * as readThread from "../../workers/session/pages/read-thread.ts";
import { openAgreements } from "../front/mcp/agreements.ts";
import { createMcpServer } from "../front/mcp/server.ts";
import type { CallOptions, OperationCaller, OperationInput } from "../front/mcp/tools/tool.ts";
import { CommandError, say } from "./terminal.ts";

export interface McpFlags {
  registry: string;
  wallet?: string;
  token?: string;
  key?: string;
}

interface Credentials {
  /** Bearer of the caller. */
  token: string | undefined;
  /** Key of the module gateway. */
  key: string | undefined;
}

const SCREEN = tasksOf<typeof readThread>(
  new URL("../../workers/session/pages/read-thread.ts", import.meta.url),
)("screen");
/** Its thread starts with the first text. */
let scans: Pool | undefined;

/** Beyond the operation's own deadline. */
const NETWORK_MS = 5_000;

/** Licenses by domain, of a JSON file that others should not read. @throws CommandError */
export const readWallet = (path: string): ReadonlyMap<string, string> => {
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
};

const addressOf = (registry: string, operation: OperationSpec, { params, query }: OperationInput): URL => {
  const path = operation.paths[0].replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name] ?? "")),
  );
  const url = new URL(registry + path);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
};

const headersOf = (
  operation: OperationSpec,
  { token, key }: Credentials,
  { session, idempotencyKey }: CallOptions,
  hasBody: boolean,
): Record<string, string> => {
  const ownKey = session === undefined && credentialsOf(operation).includes("key") ? key : undefined;
  const bearer = session ?? (ownKey === undefined ? token : undefined);
  return {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(ownKey !== undefined && { "x-bridge-key": ownKey }),
    ...(idempotencyKey !== undefined && { "idempotency-key": JSON.stringify(idempotencyKey) }),
    ...(hasBody && { "content-type": "application/json" }),
  };
};

const failureOf = async (response: Response): Promise<Failure> => {
  const problem = (await response.json().catch(() => ({}))) as {
    code?: string;
    detail?: string;
    errors?: Fault[];
  };
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const more = {
    ...(problem.errors && { errors: problem.errors }),
    ...(Number.isFinite(seconds) && { retryAfterSeconds: seconds }),
  };
  return problem.code !== undefined && isErrorCode(problem.code)
    ? fail(problem.code, problem.detail ?? "", more)
    : fail("internal", `The registry answered ${response.status}.`, more);
};

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
  screen: async (texts) => {
    // The firewall comes with the program: what a registry shows is screened here, too, without a call for it.
    // In a thread with a deadline, as everywhere: what is not scanned in time throws, and counts as unknown.
    scans ??= new Pool({ name: "page_texts", threads: 1, ...JOB_LIMITS });
    const said = await scans.run(SCREEN, texts);
    if (!said.ok) throw new Error(said.detail);
    return said.value;
  },
  call: async (service, name, input, how = {}) => {
    const operation: OperationSpec = service.operations[name]!;
    try {
      const response = await fetch(addressOf(registry, operation, input), {
        method: operation.method,
        headers: headersOf(operation, credentials, how, input.body !== undefined),
        ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
        signal: AbortSignal.timeout(timeoutOf(operation) + NETWORK_MS),
      });
      if (!response.ok) return await failureOf(response);
      if (response.headers.get("cache-status")?.includes("stale-if-error"))
        how.onStale?.(Number(response.headers.get("age")));
      return (await response.json()) as never;
    } catch (error) {
      const cause = (error as Error).cause;
      const why = cause instanceof Error ? cause.message : (error as Error).message;
      return fail("unavailable", `${registry} does not answer (${why}).`, { retryAfterSeconds: 5 });
    }
  },
});

/** Serves the tools on standard input and output until the input ends. Logs go to standard error alone. */
export const mcp = async (
  { BRIDGE_TOKEN, BRIDGE_KEY }: Config,
  { registry, wallet, token = BRIDGE_TOKEN, key = BRIDGE_KEY }: McpFlags,
): Promise<void> => {
  const url = URL.parse(registry);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`${JSON.stringify(registry)} is not an http or https address.`, 2);
  const caller = createHttpCaller(
    url.origin,
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
};
