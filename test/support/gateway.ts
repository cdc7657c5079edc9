/** Asks one module of the gateway, as a caller with a key does. */
import { askJson, type JsonReply } from "./json.ts";
import type { TestRegistry } from "./registry.ts";

/** GET without a body, POST with one; `path` goes below the module's own. */
export const askModule = (
  { url }: TestRegistry,
  module: string,
  key: string | undefined,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<JsonReply> => askJson(`${url}/api/v1/${module}/${path}`, { body, token: key, headers });

/**
 * Has the gateway's scan threads started: on a busy machine the first start takes longer than a scan may.
 * @param key of any plan that may scan
 */
export async function warmScans(registry: TestRegistry, key: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++)
    if ((await askModule(registry, "dark-pattern", key, "scan", { html: "<p>Tea" })).status === 200) return;
  throw new Error("no scan was done in ten attempts");
}
