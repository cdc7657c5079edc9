/** What the provider API says of a domain: views of the verdict (src/crawl/verdict.ts). Pure. */

import type { Dnssec } from "../../schemas/common.ts";
import type { Look } from "../../schemas/look.ts";
import type {
  BatchResult,
  BatchSummary,
  Check,
  Checks,
  DomainStatus,
  ProviderState,
} from "../../schemas/provider.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import type { SiteState, SiteVerdict } from "../../schemas/verdict.ts";
import { afterVisit, checksAfter } from "../../src/crawl/judgement.ts";
import {
  siteVerdict,
  type VerdictFacts,
  verdictSummary as verdictSummaryOf,
} from "../../src/crawl/verdict.ts";
import type { VisitFindings } from "../../src/crawl/visit-findings.ts";
import type { DomainKeys } from "../../src/egress/domain-keys.ts";
import { iso } from "../../src/ports/time.ts";

/** The specification's three states. */
const PROVIDER_STATE: Readonly<Record<SiteState, ProviderState>> = {
  enabled: "enabled",
  partial: "partial",
  stale: "partial",
  found: "disabled",
  disabled: "disabled",
  unknown: "disabled",
  blocked: "disabled",
};

const check = (state: Check["state"], reason: string, detail = ""): Check => ({ state, reason, detail });

const DNSSEC_CHECKS: Readonly<Record<Dnssec, Check>> = {
  secure: check("pass", "secure", "A validating resolver vouches for the answer."),
  insecure: check("warn", "insecure", "The zone is not signed, or the resolver does not validate."),
  bogus: check("fail", "bogus", "The answer's DNSSEC signatures do not hold."),
  unknown: check("unknown", "unknown", "No answer that says."),
};

/** A failure that says nothing of what is checked. */
const INCONCLUSIVE = "dns_failed";
/** Why a stage was skipped although something may be there. */
const UNSEEN: ReadonlySet<string> = new Set(["not_read", "not_reached"]);

type StageChecks = SiteVerdict["checks"];

/** Where the answer comes from, and when that was seen. */
interface Source {
  record: SiteRecord | undefined;
  source: DomainStatus["source"];
  checkedAt: string;
}

/** The status by what is stored alone. */
export const statusOfRecord = (known: VerdictFacts, now: number): DomainStatus =>
  domainStatus(
    known,
    { record: known.record, source: "record", checkedAt: known.record?.last_visit_at ?? iso(now) },
    now,
  );

/**
 * The status of a domain.
 * @param known what is stored; `from` may be newer
 * @param now milliseconds
 */
export function domainStatus(known: VerdictFacts, from: Source, now: number): DomainStatus {
  const { host, isBlocked } = known;
  const { record, source, checkedAt } = from;
  const verdict = siteVerdict({ host, record, presence: known.presence, isBlocked }, now);
  return {
    domain: host,
    state: PROVIDER_STATE[verdict.state],
    trust_ring: verdict.trust.ring,
    trust_score: verdict.trust.score,
    trust_reasons: verdict.trust.reasons,
    dnssec: verdict.trust.dnssec,
    checks: specifiedChecks(verdict, record?.offers),
    verdict: verdictSummaryOf(known, now),
    expires_at: verdict.expires_at,
    source,
    checked_at: checkedAt,
  };
}

/** The specification's five checks, from the verdict's. */
function specifiedChecks(verdict: SiteVerdict, offers: number | undefined): Checks {
  const of = (...names: string[]) => verdict.checks.filter(({ name }) => names.includes(name));
  const [dns, signature] = [of("dns")[0]!, of("signature")[0]!];
  const isUnsigned = signature.reason === "unsigned";
  // A record that is not there is a fact, beside which a document still counts.
  const hasKey = dns.outcome !== "fail" || dns.reason === INCONCLUSIVE || dns.reason === "dns_bogus";
  const documentPassed = isUnsigned
    ? check("warn", "unsigned", "The document is valid and holds no manifest.")
    : hasKey
      ? check("pass", "manifest_valid", "The document holds a manifest that is in force.")
      : check("warn", "document_valid", "The document is valid; its manifest needs a TXT record.");
  const signed = isUnsigned || !hasKey ? [] : of("signature", "manifest");
  // Nothing of a host in quarantine is relied on.
  const quarantined = of("pages").filter(({ reason }) => reason === "quarantined");
  const documents = [...of("endpoint", "document"), ...signed, ...quarantined];
  return {
    txt: checkOf([dns], check("pass", "txt_valid", "A usable TXT record is published.")),
    dnssec: DNSSEC_CHECKS[verdict.trust.dnssec],
    manifest: checkOf(documents, documentPassed),
    signature: isUnsigned
      ? check("fail", "unsigned", "Sign the document with `bridge sign`.")
      : hasKey
        ? checkOf([...signed, ...quarantined], check("pass", "verified", "Signed by a key in DNS."))
        : check("unknown", "no_key", "There is no key in DNS to check with."),
    agent_ready: readyCheck(verdict, offers),
  };
}

/** The result of several stages together: the first that failed, else unknown if one was not reached. */
function checkOf(stages: StageChecks, passed: Check): Check {
  const failed = stages.find(({ outcome }) => outcome === "fail");
  if (failed) return check(failed.reason === INCONCLUSIVE ? "unknown" : "fail", failed.reason, failed.detail);
  const isUnseen = stages.some(({ outcome, reason }) => outcome === "skipped" && UNSEEN.has(reason));
  return isUnseen ? check("unknown", "not_read", "There is no document to check.") : passed;
}

function readyCheck({ state, listed, reason, detail }: SiteVerdict, offers: number | undefined): Check {
  if (reason === "malicious_page") return check("fail", reason, detail);
  if (!listed)
    return check("fail", "not_enabled", detail || (state === "unknown" ? "Not visited yet." : reason));
  if (offers === 0)
    return check("warn", "nothing_declared", "Listed, and the document declares no command or action.");
  return check("pass", "ready", "Listed, with something for agents to do.");
}

/** The status by a probe. @param at when it was made, milliseconds */
export const statusOfProbe = (known: VerdictFacts, seen: VisitFindings, at: number): DomainStatus =>
  domainStatus(
    known,
    { record: recordAfterProbe(known.host, known.record, seen, at), source: "probe", checkedAt: iso(at) },
    at,
  );

/** The registry's record after a probe, as the crawl would judge it; a probe is no visit, and adds to no score. */
export function recordAfterProbe(
  host: string,
  record: SiteRecord | undefined,
  seen: VisitFindings,
  now: number,
): SiteRecord {
  if (!record) return afterVisit(undefined, host, seen, now, now).record;
  // That a site did not answer once takes nothing away; where there is nothing to take, what was seen says why.
  if (seen.conclusion === "failure" && record.ring > 0)
    return { ...record, checks: checksAfter(record, seen, now) };
  const { visits, visits_ok, last_visit_at, next_visit_at } = record;
  const judged = afterVisit(record, host, seen, now, now).record;
  const verified_since =
    judged.ring === 3 && record.ring === 3 ? record.verified_since : judged.verified_since;
  return { ...judged, verified_since, visits, visits_ok, last_visit_at, next_visit_at };
}

/** The status by a look that was kept, as it counts now. @param now milliseconds */
export function statusOfLook(known: VerdictFacts, look: Look, now: number): DomainStatus {
  const at = Date.parse(look.at);
  const record = recordAfterProbe(known.host, known.record, look.seen, at);
  return domainStatus(known, { record, source: "probe", checkedAt: look.at }, now);
}

/** The status by DNS alone. @param seen of a host without a usable key */
export const statusOfDns = (known: VerdictFacts, seen: VisitFindings, now: number): DomainStatus =>
  domainStatus(
    known,
    { record: recordAfterProbe(known.host, known.record, seen, now), source: "dns", checkedAt: iso(now) },
    now,
  );

/** What is known of a domain whose document was not read yet: its record is there, or DNS did not answer. */
export function checksOfKeys(keys: DomainKeys): Checks {
  const { dnssec } = keys;
  const unread = check("unknown", "not_read", "The document was not read yet.");
  const txt = keys.ok
    ? check("pass", "txt_valid", "A usable TXT record is published.")
    : check("unknown", keys.reason, keys.detail);
  return { txt, dnssec: DNSSEC_CHECKS[dnssec], manifest: unread, signature: unread, agent_ready: unread };
}

export function batchSummary(results: readonly Pick<BatchResult, "state">[]): BatchSummary {
  const summary = {
    total: results.length,
    enabled: 0,
    partial: 0,
    disabled: 0,
    pending: 0,
    timeout: 0,
    invalid: 0,
  };
  for (const { state } of results) summary[state]++;
  return summary;
}

/** The one reason that says most: "verified", or why the first check that is not passed is not. */
export function reasonOf({ checks: { txt, manifest, signature, agent_ready } }: DomainStatus) {
  const refused = agent_ready.state === "fail" ? agent_ready : signature;
  const { reason, detail } = [txt, manifest, signature].find(({ state }) => state !== "pass") ?? refused;
  return { reason, detail };
}
