/** The registry's own address and ring. */
import type { SiteRecord } from "../../schemas/site.ts";
import { ringOf } from "../../src/domain/listing/listing.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { Records } from "../../src/stores/records.ts";

export function publicUrlOf(config: Config, port = config.PORT): string {
  const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST;
  const shown = host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host;
  return config.BRIDGE_PUBLIC_URL ?? `http://${shown}:${port}`;
}

export function ownRingOf(sites: Records<SiteRecord>, publicUrl: string) {
  const host = new URL(publicUrl).hostname;
  return async (): Promise<number> => {
    const record = (await sites.get(hostKey(host)))?.value;
    return (record && ringOf(record)) || 1;
  };
}
