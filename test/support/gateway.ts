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

/**
 * Has the gateway's scan threads started: on a busy machine the first start takes longer than a scan may.
 * @param key of any plan that may scan
 */
export const warmScans = async (registry: TestRegistry, key: string): Promise<void> => {
  for (let attempt = 0; attempt < 10; attempt++)
    if ((await askModule(registry, "dark-pattern", key, "scan", { html: "<p>Tea" })).status === 200) return;
  throw new Error("no scan was done in ten attempts");
};
