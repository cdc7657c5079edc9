/** Calls a registry's operations over HTTP, as any program does. */
import { credentialsOf, type OperationSpec, timeoutOf } from "../../src/rpc/contract.ts";
import { type Failure, type Fault, fail, isErrorCode } from "../../src/rpc/errors.ts";
import type { OperationInput, ToolCallOptions } from "../front/mcp/tools/tool.ts";
import { CommandError } from "./terminal.ts";

export interface Credentials {
  /** Bearer of the caller. */
  token: string | undefined;
  /** Key of the module gateway. */
  key: string | undefined;
}

/** Beyond the operation's own deadline. */
const NETWORK_MS = 5_000;

/** The origin of a registry that the user named. @throws CommandError for what is no address */
export function registryOf(address: string): string {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`${JSON.stringify(address)} is not an http or https address.`, 2);
  return url.origin;
}

/**
 * @param registry its origin
 * @returns the reply: what JSON says, or the text of another media type; or the registry's failure; `unavailable` where it does not answer
 */
export async function callOverHttp(
  registry: string,
  credentials: Credentials,
  operation: OperationSpec,
  input: OperationInput,
  how: ToolCallOptions = {},
): Promise<unknown> {
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
    return await replyOf(response, operation);
  } catch (error) {
    const cause = (error as Error).cause;
    const why = cause instanceof Error ? cause.message : (error as Error).message;
    return fail("unavailable", `${registry} does not answer (${why}).`, { retryAfterSeconds: 5 });
  }
}

function addressOf(registry: string, operation: OperationSpec, { params, query }: OperationInput): URL {
  const path = operation.paths[0].replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name] ?? "")),
  );
  const url = new URL(registry + path);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

function headersOf(
  operation: OperationSpec,
  { token, key }: Credentials,
  { session, idempotencyKey }: ToolCallOptions,
  hasBody: boolean,
): Record<string, string> {
  const ownKey = session === undefined && credentialsOf(operation).includes("key") ? key : undefined;
  const bearer = session ?? (ownKey === undefined ? token : undefined);
  return {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(ownKey !== undefined && { "x-bridge-key": ownKey }),
    ...(idempotencyKey !== undefined && { "idempotency-key": JSON.stringify(idempotencyKey) }),
    ...(hasBody && { "content-type": "application/json" }),
  };
}

async function failureOf(response: Response): Promise<Failure> {
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
}

const replyOf = (
  response: Response,
  { contentType = "application/json" }: OperationSpec,
): Promise<unknown> => (contentType === "application/json" ? response.json() : response.text());
