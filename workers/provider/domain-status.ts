/** What the provider API says of a domain, by what a probe or the crawl saw. Pure. */

import type { BatchResult, BatchSummary, Check, Checks, DomainStatus } from "../../schemas/provider.ts";
import type { SiteRecord, VisitReason } from "../../schemas/site.ts";
import { isMalicious, stateEarned } from "../../src/crawl/judgement.ts";
import type { Observation } from "../../src/crawl/observation.ts";
import { MALICIOUS_DETAIL } from "../../src/crawl/pages/measured.ts";
import { stageOf } from "../../src/crawl/stages/table.ts";
import { ringOf, trustOf, verdictShown } from "../../src/domain/listing/listing.ts";
import { trustScore } from "../../src/domain/trust/ring.ts";
import { iso } from "../../src/ports/time.ts";

/** What is judged: a probe's observation, or what the crawl's record keeps of one. */
export interface Facts {
  ring: number;
  reason: VisitReason;
  detail: string;
  dnssec: SiteRecord["dnssec"];
  txtValid: boolean;
  /** A page attacks machines, as the crawl last saw it. */
  malicious: boolean;
  /** Commands and actions that the document declares; null where the document is not at hand. */
  offers: number | null;
}

/** The document was not read at all. */
const isUnread = (reason: VisitReason): boolean => {
  const stage = stageOf(reason);
  return stage === "endpoint" || stage === "document" || reason === "quarantined";
};

const check = (state: Check["state"], reason: string, detail = ""): Check => ({ state, reason, detail });

const txtCheck = ({ reason, detail, txtValid }: Facts): Check => {
  if (txtValid) return check("pass", "txt_valid", "A usable TXT record is published.");
  if (reason === "dns_failed" || reason === "quarantined") return check("unknown", reason, detail);
  return check("fail", stageOf(reason) === "dns" ? reason : "no_txt", detail);
};

const DNSSEC_CHECKS: Record<SiteRecord["dnssec"], Check> = {
  secure: check("pass", "secure", "A validating resolver vouches for the answer."),
  insecure: check("warn", "insecure", "The zone is not signed, or the resolver does not validate."),
  bogus: check("fail", "bogus", "The answer's DNSSEC signatures do not hold."),
  unknown: check("unknown", "unknown", "No answer that says."),
};

const manifestCheck = ({ ring, reason, detail, txtValid }: Facts): Check => {
  if (ring >= 3) return check("pass", "manifest_valid", "The document holds a manifest that is in force.");
  if (ring === 2) return check("warn", "unsigned", "The document is valid and holds no manifest.");
  if (ring === 1)
    return check("warn", "document_valid", "The document is valid; its manifest needs a TXT record.");
  if (reason === "dns_failed" || reason === "dns_bogus") return check("unknown", reason, detail);
  if (reason === "not_visited") return check("unknown", "not_read", "The document was not asked for.");
  if (!txtValid && !isUnread(reason)) return check("fail", "document_missing", detail);
  return check("fail", reason, detail);
};

const signatureCheck = ({ ring, reason, detail, txtValid }: Facts): Check => {
  if (ring >= 3) return check("pass", "verified", "Signed by a key in DNS.");
  if (ring === 2) return check("fail", "unsigned", "Sign the document with `bridge sign`.");
  if (!txtValid) return check("unknown", "no_key", "There is no key in DNS to check with.");
  if (isUnread(reason) || reason === "dns_failed" || reason === "dns_bogus")
    return check("unknown", "not_read", "There is no document to check.");
  return check("fail", reason, detail);
};

const readyCheck = ({ ring, malicious, offers, reason, detail }: Facts): Check => {
  if (malicious) return check("fail", "malicious_page", MALICIOUS_DETAIL);
  if (ring < 3) return check("fail", "not_enabled", detail || reason);
  if (offers === 0)
    return check("warn", "nothing_declared", "Listed, and the document declares no command or action.");
  return check("pass", "ready", "Listed, with something for agents to do.");
};

export const checksOf = (facts: Facts): Checks => ({
  txt: txtCheck(facts),
  dnssec: DNSSEC_CHECKS[facts.dnssec],
  manifest: manifestCheck(facts),
  signature: signatureCheck(facts),
  agent_ready: readyCheck(facts),
});

/**
 * What a probe saw, as the API shows it. Name servers that did not answer say nothing of a site: one that the crawl knows
 * keeps its state then, and the checks say what failed.
 * @param record the crawl's, for the site's history; a probe adds nothing to it
 */
export const statusOfProbe = (
  domain: string,
  seen: Observation,
  record: SiteRecord | undefined,
  now: number,
): DomainStatus => {
  const ring = ringOf({ ring: seen.ring, registration: record?.registration ?? null });
  const { document, reason, detail, dnssec, txtValid } = seen;
  const malicious = isMalicious(record, seen);
  const offers =
    document === null ? null : document.capabilities.commands.length + (document.actions?.length ?? 0);
  const verifiedSince = seen.ring === 3 ? (record?.verified_since ?? null) : null;
  const trust = record
    ? trustOf({ ...record, dnssec, verified_since: verifiedSince }, now, ring)
    : trustScore(
        {
          ring: ring as 0 | 1 | 2 | 3 | 4,
          dnssec,
          verifiedSince: null,
          visits: 1,
          visitsOk: seen.verdict === "sound" ? 1 : 0,
          findings: 0,
        },
        now,
      );
  const known = reason === "dns_failed" && record ? statusOfRecord(record, now) : undefined;
  return {
    domain,
    state: known?.state ?? stateEarned(seen.ring, txtValid, malicious),
    trust_ring: ring,
    trust_score: trust.score,
    trust_reasons: trust.parts,
    dnssec,
    checks: checksOf({ ring, reason, detail, dnssec, txtValid, malicious, offers }),
    expires_at: seen.expiresAt,
    source: "probe",
    checked_at: iso(now),
  };
};

/** What the crawl's record says, as the API shows it. */
export const statusOfRecord = (record: SiteRecord, now: number): DomainStatus => {
  const ring = ringOf(record);
  const expired = record.expires_at !== null && Date.parse(record.expires_at) <= now;
  const held = ring >= 3 && expired ? 0 : ring;
  const shown = verdictShown(record);
  const reason = expired && ring >= 3 ? "manifest_expired" : shown.reason;
  const malicious = held > 0 && shown.reason === "malicious_page";
  const { detail } = shown;
  const { dnssec } = record;
  const txtValid = record.ring >= 2 || (stageOf(reason) !== "dns" && record.ring === 0);
  const known = reason !== "not_visited" && txtValid && record.status !== "disabled";
  const trust = trustOf(record, now, held);
  return {
    domain: record.siteId,
    state: stateEarned(held, known, malicious),
    trust_ring: held,
    trust_score: trust.score,
    trust_reasons: trust.parts,
    dnssec,
    checks: checksOf({ ring: held, reason, detail, dnssec, txtValid: known, malicious, offers: null }),
    expires_at: record.expires_at,
    source: "record",
    checked_at: record.last_visit_at,
  };
};

export const summaryOf = (results: readonly Pick<BatchResult, "state">[]): BatchSummary => {
  const summary = { total: results.length, enabled: 0, partial: 0, disabled: 0, timeout: 0, invalid: 0 };
  for (const { state } of results) summary[state]++;
  return summary;
};

/** The one reason that says most: "verified", or why the first check that is not passed is not. */
export const reasonOf = ({ checks: { txt, manifest, signature, agent_ready } }: DomainStatus) => {
  const refused = agent_ready.state === "fail" ? agent_ready : signature;
  const { reason, detail } = [txt, manifest, signature].find(({ state }) => state !== "pass") ?? refused;
  return { reason, detail };
};
