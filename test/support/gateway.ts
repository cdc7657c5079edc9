/** Asks one module of the gateway, as a caller with a key does. */
import type { TestRegistry } from "./registry.ts";

export interface GatewayReply {
  status: number;
  body: any;
}

/** GET without a body, POST with one; `path` goes below the module's own. */
export const askModule = async (
  { url }: TestRegistry,
  module: string,
  key: string,
  path: string,
  body?: unknown,
): Promise<GatewayReply> => {
  const reply = await fetch(`${url}/api/v1/${module}/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: await reply.json() };
};
