/** An agent that knows nothing but the operations of the protocol. */

export interface Acted {
  status: number;
  success: boolean;
  result: any;
  /** Code of the problem, when the whole request was refused. */
  code: string | undefined;
  headers: Headers;
}

export interface Agent {
  token: string;
  permissions: Record<string, boolean>;
  execute(
    action: string,
    target?: string,
    value?: string,
    context?: Record<string, unknown>,
    more?: Record<string, unknown>,
    idempotencyKey?: string,
  ): Promise<Acted>;
  actions(query?: string): Promise<{ status: number; body: any }>;
}

async function send(url: string, token: string | undefined, body?: unknown, idempotencyKey?: string) {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

/** An agent by the token of its session. */
export const agentOf = (url: string, token: string, permissions: Record<string, boolean> = {}): Agent => ({
  token,
  permissions,
  execute: async (action, target, value, context, more = {}, idempotencyKey = undefined) => {
    const command = {
      action,
      ...(target !== undefined && { target }),
      ...(value !== undefined && { value }),
      ...(context !== undefined && { context }),
      ...more,
    };
    const { status, body, headers } = await send(`${url}/api/bridge/execute`, token, command, idempotencyKey);
    return { status, headers, success: body.success === true, result: body.result ?? body, code: body.code };
  },
  actions: (query = "") => send(`${url}/api/bridge/actions${query}`, token),
});

/** Authenticates with a license key. */
export async function enter(url: string, licenseKey: string, agentId = "agent-1"): Promise<Agent> {
  const { status, body } = await send(`${url}/api/bridge/authenticate`, undefined, {
    licenseKey,
    agentId,
    agentName: "Test",
  });
  if (status !== 200) throw new Error(`authenticate answered ${status}: ${JSON.stringify(body)}`);
  return agentOf(url, body.session.token, body.session.permissions);
}
