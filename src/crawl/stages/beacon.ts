import { z } from "zod";
import { parseHost } from "../../domain/names/domain-name.ts";
import { parseStrictJson } from "../../domain/protocols/strict-json.ts";
import type { VisitContext } from "./context.ts";
import type { TxtFound } from "./dns.ts";
import type { EndpointFound } from "./endpoint.ts";
import { passStage, type Stage, skipStage, warnStage } from "./stage.ts";

const BEACON_BYTES = 64 * 1024;
/** Names taken from one beacon. */
const MAX_NEXT = 10;

export interface BeaconFound {
  /** Hosts that the beacon names, at most ten. */
  discoveredHosts: string[];
}

/** Only the names are read: what a stranger says of rings and scores is not even parsed. */
const BeaconNames = z.looseObject({
  next: z
    .array(z.looseObject({ domain: z.string().max(253) }))
    .max(1_000)
    .optional(),
});

/** The beacon, which is optional: other hosts that a site with a TXT record names. */
export const beacon: Stage<VisitContext & TxtFound & EndpointFound, BeaconFound, "beacon"> = {
  name: "beacon",
  reasons: [],
  run: async ({ txt, origin, visit, handling }) => {
    const none = { discoveredHosts: [] };
    if (!txt.ok) return skipStage(none, "no_txt", "Without a TXT record the beacon is not read.");
    const url = `${origin}/.bridge`;
    const result = await visit.fetch(url, { maxBodyBytes: BEACON_BYTES });
    if (!result.ok) return warnStage(none, "no_beacon", `${url}: ${result.failure} (${result.detail})`);
    if (result.status !== 200) return warnStage(none, "no_beacon", `${url} answered ${result.status}`);
    const discoveredHosts = handling(() => hostsNamed(result.body));
    return passStage({ discoveredHosts }, "answered", `${url}: ${discoveredHosts.length} hosts named`);
  },
};

function hostsNamed(body: Uint8Array): string[] {
  const json = parseStrictJson(body, { maxBytes: BEACON_BYTES });
  const names = json.ok ? BeaconNames.safeParse(json.value) : undefined;
  if (!names?.success) return [];
  const hosts = new Set<string>();
  for (const { domain } of names.data.next ?? []) {
    const parsed = parseHost(domain);
    if (parsed.ok && hosts.size < MAX_NEXT) hosts.add(parsed.host);
  }
  return [...hosts];
}
