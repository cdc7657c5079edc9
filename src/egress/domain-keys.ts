/** The keys that a domain publishes in DNS: the one reading of its TXT record, asked for afresh as its TTL says (the resolver keeps answers no longer). */

import type { PublicKey } from "../domain/trust/ed25519.ts";
import { isOurs, selectRecords } from "../domain/trust/txt-record.ts";
import type { DnssecState, Resolver } from "../ports/dns.ts";

/** Why a domain has no usable key. `dns_failed` says nothing of the domain; the others are facts. */
export const NO_KEYS_REASONS = [
  "dns_failed",
  "dns_bogus",
  "no_txt",
  "txt_invalid",
  "txt_ambiguous",
  "key_revoked",
] as const;

/** `records`: the bridge records as they are published, well formed or not. */
export type DomainKeys = { records: string[]; dnssec: DnssecState } & (
  | { ok: true; endpoint: URL; keys: PublicKey[]; ttlSeconds: number }
  | { ok: false; reason: (typeof NO_KEYS_REASONS)[number]; detail: string }
);

const REASONS = {
  none: "no_txt",
  invalid: "txt_invalid",
  too_many: "txt_ambiguous",
  ambiguous: "txt_ambiguous",
  revoked: "key_revoked",
} as const;

/** @param domain canonical host */
export async function keysOfDomain(
  resolver: Pick<Resolver, "txt">,
  domain: string,
  signal?: AbortSignal,
): Promise<DomainKeys> {
  const answer = await resolver.txt(`_bridge.${domain}`, signal);
  if (answer.outcome === "failed") {
    const { detail } = answer;
    return answer.reason === "bogus"
      ? { ok: false, reason: "dns_bogus", detail, dnssec: "bogus", records: [] }
      : { ok: false, reason: "dns_failed", detail, dnssec: "unknown", records: [] };
  }
  const texts = answer.outcome === "found" ? answer.records : [];
  const selection = { ...selectRecords(texts, domain), records: texts.filter(isOurs) };
  const { dnssec, ttlSeconds } = answer;
  if (!selection.ok) return { ...selection, reason: REASONS[selection.reason], dnssec };
  return { ...selection, ttlSeconds, dnssec };
}
