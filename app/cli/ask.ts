/** Calls a registry's public API as any program does. */

export interface AskOptions {
  /** Sent as JSON; without one the method is GET. */
  body?: unknown;
  /** Bearer token. */
  token?: string;
  method?: string;
  timeoutMs?: number;
  /** Ends the call, which then throws. */
  signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 20_000;

/**
 * @returns the reply, of the type that the operation's contract declares
 * @throws an error with the problem's detail, or why there is no answer
 */
export async function askRegistry<Reply>(
  url: string,
  path: string,
  {
    body,
    token,
    method = body === undefined ? "GET" : "POST",
    timeoutMs = TIMEOUT_MS,
    signal,
  }: AskOptions = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
  }).catch((error: Error) => {
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`${url} does not answer (${why})`);
  });
  const reply = (await response.json()) as Reply & { detail?: string };
  if (!response.ok) throw new Error(`${path}: ${reply.detail ?? response.status}`);
  return reply;
}
