/** An agent that knows nothing but the operations of the protocol. */
import { askJson } from "./json.ts";

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
    const { status, body, headers } = await askJson(`${url}/api/bridge/execute`, {
      ...{ body: command, token },
      ...(idempotencyKey !== undefined && { headers: { "idempotency-key": idempotencyKey } }),
    });
    return { status, headers, success: body.success === true, result: body.result ?? body, code: body.code };
  },
  actions: (query = "") => askJson(`${url}/api/bridge/actions${query}`, { token }),
});

/** Authenticates with a license key. */
export const enter = async (url: string, licenseKey: string, agentId = "agent-1"): Promise<Agent> => {
  const { status, body } = await askJson(`${url}/api/bridge/authenticate`, {
    body: { licenseKey, agentId, agentName: "Test" },
  });
  if (status !== 200) throw new Error(`authenticate answered ${status}: ${JSON.stringify(body)}`);
  return agentOf(url, body.session.token, body.session.permissions);
};
