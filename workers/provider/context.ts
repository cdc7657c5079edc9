/** What the provider API's operations share. */
import type { SiteStores, SiteVerdicts } from "../../src/crawl/known-site.ts";
import type { Looks } from "../../src/crawl/look.ts";
import type { AddressException } from "../../src/domain/names/address.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import type { Records } from "../../src/stores/records.ts";
import type { DomainConnector } from "./domain-connect.ts";
import type { Drafter } from "./drafter.ts";
import type { FollowUps } from "./follow-ups.ts";
import type { Probe, Prober, Urgency } from "./prober.ts";
import type { BatchRecord } from "./webhook-rules.ts";
import type { Webhooks } from "./webhooks.ts";

/** Patience with a name server where a person waits. */
export const INTERACTIVE_LOOKUP_MS = 2_000;

export interface ProviderDeps extends SiteStores {
  prober: Prober;
  looks: Pick<Looks, "get" | "presence">;
  /** Pause between two requests to a host, milliseconds. */
  pauseMs: number;
  followUps: FollowUps;
  drafter: Drafter;
  connector: DomainConnector;
  webhooks: Webhooks;
  limiter: Pick<Limiter, "refusal">;
  frontier: Pick<Frontier, "bringForward">;
  batches: Records<BatchRecord>;
  verdictOn: SiteVerdicts;
  resolver: Resolver;
  allow: readonly AddressException[];
  now: () => number;
  clock: Clock;
  publicUrl: string;
  deadlineMs: number;
  schedule: readonly number[];
}

/** A probe, or undefined after `ms`; it goes on for others who wait for it. */
export async function probeWithin(
  { prober, clock }: Pick<ProviderDeps, "prober" | "clock">,
  host: string,
  agentRun: boolean,
  ms: number,
  urgency: Urgency,
): Promise<Probe | undefined> {
  const enough = new AbortController();
  try {
    const late = clock.sleep(ms, enough.signal).then(() => undefined);
    return await Promise.race([prober.probe(host, agentRun, urgency), late]);
  } finally {
    enough.abort();
  }
}
