/** The keys that a domain publishes in DNS: asked for afresh as its TTL says (the resolver keeps answers no longer). */

import type { PublicKey } from "../domain/trust/ed25519.ts";
import { selectRecords } from "../domain/trust/txt-record.ts";
import type { DnssecState, Resolver } from "../ports/dns.ts";

export type DomainKeys =
  | { ok: true; endpoint: URL; keys: PublicKey[]; ttlSeconds: number; dnssec: DnssecState }
  /** `dns_failed` says nothing of the domain; the others are facts. */
  | {
      ok: false;
      reason: "dns_failed" | "dns_bogus" | "no_txt" | "txt_invalid" | "txt_ambiguous" | "key_revoked";
      detail: string;
    };

const REASONS = {
  none: "no_txt",
  invalid: "txt_invalid",
  too_many: "txt_ambiguous",
  ambiguous: "txt_ambiguous",
  revoked: "key_revoked",
} as const;

/** @param domain canonical host */
export const keysOfDomain = async (
  resolver: Pick<Resolver, "txt">,
  domain: string,
  signal?: AbortSignal,
): Promise<DomainKeys> => {
  const answer = await resolver.txt(`_bridge.${domain}`, signal);
  if (answer.outcome === "failed")
    return {
      ok: false,
      reason: answer.reason === "bogus" ? "dns_bogus" : "dns_failed",
      detail: answer.detail,
    };
  const selection = selectRecords(answer.outcome === "found" ? answer.records : [], domain);
  if (!selection.ok) return { ok: false, reason: REASONS[selection.reason], detail: selection.detail };
  const { endpoint, keys } = selection;
  return { ok: true, endpoint, keys, ttlSeconds: answer.ttlSeconds, dnssec: answer.dnssec };
};
