/**
 * What is said of a domain now, by every operation: what was seen lately while DNS says the same, else a probe, else what DNS
 * alone decides or was seen last. What is none of these is pending: its probe goes on, and its outcome is kept for who asks next.
 */
import type { Look } from "../../schemas/look.ts";
import type { AgentRun, DomainStatus } from "../../schemas/provider.ts";
import { MAX_CHECK_DETAIL } from "../../schemas/site.ts";
import { knownSite } from "../../src/crawl/known-site.ts";
import { detailOfKeys } from "../../src/crawl/stages/dns.ts";
import type { VerdictFacts } from "../../src/crawl/verdict.ts";
import { withoutKey } from "../../src/crawl/visit-findings.ts";
import { type DomainKeys, keysOfDomain } from "../../src/egress/domain-keys.ts";
import { type ProviderDeps, probeWithin } from "./context.ts";
import { statusOfDns, statusOfLook, statusOfProbe, statusOfRecord } from "./domain-status.ts";
import type { Urgency } from "./prober.ts";

/** What was seen at most this long ago answers without a probe. */
const FRESH_MS = 60_000;
/** Patience with a host that DNS has decided not to be enabled: whether it has a document is all that is open. */
const WITHOUT_KEY_MS = 2_500;

export type DomainAnswer =
  | { kind: "known"; status: DomainStatus; agentRun?: AgentRun }
  | { kind: "pending"; keys: DomainKeys; why: "deadline" | "host_busy"; askAgainAt: number };

/** What was seen last of a host, by the crawl or a probe. */
interface Latest {
  at: number;
  /** What it says while nothing is newer, milliseconds. */
  goodForMs: number;
  dns: { outcome: string; reason: string; detail: string } | undefined;
  say: (now: number) => DomainStatus;
}

/** @param host canonical @param patienceMs how long the caller waits */
export async function domainAnswer(
  deps: ProviderDeps,
  host: string,
  { agentRun, patienceMs, isBatch }: { agentRun: boolean; patienceMs: number; isBatch: boolean },
): Promise<DomainAnswer> {
  const { looks, resolver, prober, clock, now, pauseMs } = deps;
  const untilMs = clock.monotonicMs() + patienceMs;
  const [known, look, keys] = await Promise.all([
    knownSite(deps, host),
    looks.get(host),
    keysOfDomain(resolver, host, AbortSignal.timeout(Math.max(1, Math.ceil(patienceMs)))),
  ]);
  if (known.isBlocked) return { kind: "known", status: statusOfRecord(known, now()) };
  const latest = latestOf(known, look, pauseMs);
  const holds = latest && isSame(latest.dns, keys) ? latest : undefined;
  if (holds && !agentRun && now() - holds.at < holds.goodForMs)
    return { kind: "known", status: holds.say(now()) };
  const left = Math.max(0, untilMs - clock.monotonicMs());
  const urgency: Urgency = isBatch ? (latest ? "again" : "unseen") : "waited_for";
  const patience = keys.ok || keys.reason === "dns_failed" ? left : Math.min(left, WITHOUT_KEY_MS);
  const probe = await probeWithin(deps, host, agentRun, patience, urgency);
  if (probe?.kind === "seen") {
    const status = statusOfProbe({ ...known, record: probe.record }, probe.seen, probe.at);
    return { kind: "known", status, ...(probe.agentRun && { agentRun: probe.agentRun }) };
  }
  if (holds) return { kind: "known", status: holds.say(now()) };
  // That DNS did not answer in time says nothing of the domain.
  if (!keys.ok && keys.reason !== "dns_failed")
    return { kind: "known", status: statusOfDns(known, withoutKey(keys), now()) };
  return {
    kind: "pending",
    keys,
    why: probe ? "host_busy" : "deadline",
    askAgainAt: prober.expectedAt(host),
  };
}

function latestOf(known: VerdictFacts, look: Look | undefined, pauseMs: number): Latest | undefined {
  const { record } = known;
  const visitedAt = record && record.visits > 0 ? Date.parse(record.last_visit_at) : undefined;
  const dnsOf = <C extends { name: string }>(checks: readonly C[] | undefined) =>
    checks?.find(({ name }) => name === "dns");
  if (look && Date.parse(look.at) > (visitedAt ?? 0))
    return {
      at: Date.parse(look.at),
      // What was amiss may be mended at once: it is looked at again as soon as the host may be asked.
      goodForMs: look.seen.ring === 3 ? FRESH_MS : pauseMs,
      dns: dnsOf(look.seen.checks),
      say: (now) => statusOfLook(known, look, now),
    };
  if (visitedAt === undefined) return undefined;
  return {
    at: visitedAt,
    goodForMs: FRESH_MS,
    dns: dnsOf(record?.checks),
    say: (now) => statusOfRecord(known, now),
  };
}

/** Whether DNS says what it said then; no answer says nothing. */
function isSame(then: Latest["dns"], keys: DomainKeys): boolean {
  if (then === undefined) return true;
  if (!keys.ok) return keys.reason === "dns_failed" || keys.reason === then.reason;
  return then.outcome === "pass" && then.detail === detailOfKeys(keys).slice(0, MAX_CHECK_DETAIL);
}
