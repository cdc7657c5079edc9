/** What the provider API says: records to publish, steps to take, and what an observation means. Pure. */

import type {
  BatchResult,
  BatchSummary,
  Check,
  Checks,
  DomainStatus,
  ProviderState,
  TxtRecordPayload,
} from "../../schemas/provider.ts";
import type { SiteRecord, VisitReason } from "../../schemas/site.ts";
import type { Observation } from "../../src/crawl/observation.ts";
import { ringOf, trustOf, verdictShown } from "../../src/domain/listing/listing.ts";
import { isWithin, registrableDomain } from "../../src/domain/names/domain-name.ts";
import { iso } from "../../src/domain/protocols/time.ts";
import { decodePublicKey, isValidPublicKey } from "../../src/domain/trust/ed25519.ts";
import { trustScore } from "../../src/domain/trust/ring.ts";
import { chunkTxt, formatTxtRecord, parseEndpoint } from "../../src/domain/trust/txt-record.ts";

/** Seconds. A provider's change is seen after at most this and the negative TTL of the zone. */
export const RECORD_TTL_SECONDS = 300;
const HOW_TO =
  "Make a key with `bridge keygen <domain>` (or any Ed25519 tool), put the public half in place of <public-key>, and sign the discovery document with the private half.";

export const statusUrl = (publicUrl: string, domain: string): string =>
  `${publicUrl}/api/discovery/provider/status?domain=${encodeURIComponent(domain)}`;
export const batchUrl = (publicUrl: string, requestId: string): string =>
  `${publicUrl}/api/discovery/provider/batches/${requestId}`;

/** The endpoint for a domain's record, or why it cannot stand there. */
export const endpointFor = (
  domain: string,
  wanted: string | undefined,
): { ok: true; endpoint: string } | { ok: false; reason: string } => {
  const parsed = parseEndpoint(wanted ?? `https://${domain}`);
  if (!parsed.ok) return parsed;
  if (!isWithin(parsed.url.hostname, domain))
    return { ok: false, reason: `is at ${parsed.url.hostname}, which is not ${domain} or below it` };
  return { ok: true, endpoint: parsed.url.origin };
};

/** Whether a text is a public key that a record can hold. */
export const isPublicKey = (text: string): boolean => {
  const raw = decodePublicKey(text);
  return raw !== undefined && isValidPublicKey(raw);
};

/** @param publicKey undefined where none is known: the template then holds a placeholder and is not ready */
export const recordTemplate = (
  domain: string,
  endpoint: string,
  publicKey: string | undefined,
  publicUrl: string,
): TxtRecordPayload => {
  const zone = registrableDomain(domain);
  const ready = publicKey !== undefined;
  const value = ready
    ? formatTxtRecord({ publicKey, endpoint })
    : `v=BRIDGE1; k=ed25519; pk=<public-key>; endpoint=${endpoint}`;
  const chunks = chunkTxt(value);
  const name = `_bridge.${domain}`;
  return {
    domain,
    ready,
    how_to: ready ? null : HOW_TO,
    record: {
      zone,
      host: name.slice(0, name.length - zone.length - 1),
      host_fqdn: name,
      type: "TXT",
      ttl: RECORD_TTL_SECONDS,
      value,
    },
    zone_file: `${name}. ${RECORD_TTL_SECONDS} IN TXT ${chunks.join(" ")}`,
    chunks,
    endpoint,
    verify: {
      status: statusUrl(publicUrl, domain),
      document: `${endpoint}/.well-known/bridge.json`,
      batch: `${publicUrl}/api/discovery/provider/verify-batch`,
    },
  };
};

// ---------------------------------------------------------------- what an observation means

/** What is judged: a probe's observation, or what the crawl's record keeps of one. */
export interface Facts {
  ring: number;
  reason: VisitReason;
  detail: string;
  dnssec: SiteRecord["dnssec"];
  txtValid: boolean;
  /** Commands and actions that the document declares; null where the document is not at hand. */
  offers: number | null;
}

const OF_TXT: ReadonlySet<VisitReason> = new Set([
  "no_txt",
  "txt_invalid",
  "txt_ambiguous",
  "key_revoked",
  "dns_bogus",
]);
const OF_DOCUMENT: ReadonlySet<VisitReason> = new Set([
  "unreachable",
  "address_refused",
  "document_missing",
  "document_invalid",
  "quarantined",
]);

export const stateOf = ({ ring, txtValid }: Pick<Facts, "ring" | "txtValid">): ProviderState => {
  if (ring >= 3) return "enabled";
  return ring > 0 || txtValid ? "partial" : "disabled";
};

const check = (state: Check["state"], reason: string, detail = ""): Check => ({ state, reason, detail });

const txtCheck = ({ reason, detail, txtValid }: Facts): Check => {
  if (txtValid) return check("pass", "txt_valid", "A usable TXT record is published.");
  if (reason === "dns_failed" || reason === "quarantined") return check("unknown", reason, detail);
  return check("fail", OF_TXT.has(reason) ? reason : "no_txt", detail);
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
  if (!txtValid && !OF_DOCUMENT.has(reason)) return check("fail", "document_missing", detail);
  return check("fail", reason, detail);
};

const signatureCheck = ({ ring, reason, detail, txtValid }: Facts): Check => {
  if (ring >= 3) return check("pass", "verified", "Signed by a key in DNS.");
  if (ring === 2) return check("fail", "unsigned", "Sign the document with `bridge sign`.");
  if (!txtValid) return check("unknown", "no_key", "There is no key in DNS to check with.");
  if (OF_DOCUMENT.has(reason) || reason === "dns_failed" || reason === "dns_bogus")
    return check("unknown", "not_read", "There is no document to check.");
  return check("fail", reason, detail);
};

const readyCheck = ({ ring, offers, reason, detail }: Facts): Check => {
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
    state: known?.state ?? stateOf(seen),
    trust_ring: ring,
    trust_score: trust.score,
    trust_reasons: trust.parts,
    dnssec,
    checks: checksOf({ ring, reason, detail, dnssec, txtValid, offers }),
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
  const { detail } = shown;
  const { dnssec } = record;
  const txtValid = record.ring >= 2 || (!OF_TXT.has(reason) && reason !== "dns_failed" && record.ring === 0);
  const known = reason !== "not_visited" && txtValid && record.status !== "disabled";
  const trust = trustOf(record, now, held);
  return {
    domain: record.siteId,
    state: stateOf({ ring: held, txtValid: known }),
    trust_ring: held,
    trust_score: trust.score,
    trust_reasons: trust.parts,
    dnssec,
    checks: checksOf({ ring: held, reason, detail, dnssec, txtValid: known, offers: null }),
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
export const reasonOf = ({ checks: { txt, manifest, signature } }: DomainStatus) => {
  const { reason, detail } = [txt, manifest, signature].find(({ state }) => state !== "pass") ?? signature;
  return { reason, detail };
};
