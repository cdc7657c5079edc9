/** What DNS says of a domain's bridge record now, by the crawl's own reading of it, and who runs its name servers. */
import type { SiteDns } from "../../schemas/draft.ts";
import { dnsHintOf, dnsProviderOf } from "../../src/domain/names/dns-providers.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import { iso } from "../../src/ports/time.ts";
import { INTERACTIVE_LOOKUP_MS, type ProviderDeps } from "./context.ts";

/**
 * An owner who has just published looks again and again. Absence that was seen longer ago is asked for anew, whatever
 * the zone says of how long it may be remembered.
 */
const MAX_AGE_MS = 3_000;
const MAX_RECORDS = 16;
const MAX_RECORD_CHARS = 1_024;

const STATES: Readonly<Record<string, SiteDns["state"]>> = {
  no_txt: "missing",
  dns_failed: "unknown",
  dns_bogus: "faulty",
};

/** @param host canonical */
export async function siteDns(
  { resolver, now }: Pick<ProviderDeps, "resolver" | "now">,
  host: string,
): Promise<SiteDns> {
  const zone = registrableDomain(host);
  const signal = AbortSignal.timeout(INTERACTIVE_LOOKUP_MS);
  const fresh = { txt: (name: string, until?: AbortSignal) => resolver.txt(name, until, MAX_AGE_MS) };
  const [keys, servers] = await Promise.all([
    keysOfDomain(fresh, host, signal),
    resolver.nameServers(zone, signal),
  ]);
  const nameServers = servers.outcome === "found" ? servers.records.slice(0, MAX_RECORDS) : [];
  return {
    domain: host,
    record_name: `_bridge.${host}`,
    ...(keys.ok
      ? { state: "valid" as const, reason: "txt_valid", detail: "A usable TXT record is published." }
      : { state: STATES[keys.reason] ?? ("faulty" as const), reason: keys.reason, detail: keys.detail }),
    records: keys.records.slice(0, MAX_RECORDS).map((text) => text.slice(0, MAX_RECORD_CHARS).toWellFormed()),
    keys: keys.ok ? keys.keys.map(({ kid, publicKey }) => ({ kid, pk: publicKey })) : [],
    endpoint: keys.ok ? keys.endpoint.origin : null,
    dnssec: keys.dnssec,
    zone,
    name_servers: nameServers,
    dns_provider: dnsProviderOf(nameServers),
    dns_hint: dnsHintOf(nameServers, `_bridge.${host}`, zone),
    checked_at: iso(now()),
  };
}
