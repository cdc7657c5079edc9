/** The TXT record that a domain should publish, and where what became of it is asked for. Pure. */

import type { TxtRecordPayload } from "../../schemas/provider.ts";
import { isWithin, registrableDomain } from "../../src/domain/names/domain-name.ts";
import { parseEndpoint } from "../../src/domain/names/endpoint.ts";
import { decodePublicKey, isValidPublicKey } from "../../src/domain/trust/ed25519.ts";
import { chunkTxt, formatTxtRecord } from "../../src/domain/trust/txt-record.ts";

/** Seconds. A provider's change is seen after at most this and the negative TTL of the zone. */
export const RECORD_TTL_SECONDS = 300;
const HOW_TO =
  "Make a key with `bridge keygen <domain>` (or any Ed25519 tool), ask again with its public half as `pk`, and sign the discovery document with the private half.";

/** What a domain should publish; what the registry says of the domain stands beside it. */
export type RecordTemplate = Omit<TxtRecordPayload, "verdict">;

export const batchUrl = (publicUrl: string, requestId: string): string =>
  `${publicUrl}/api/discovery/provider/batches/${requestId}`;

/** The endpoint for a domain's record, or why it cannot stand there. */
export function endpointFor(
  domain: string,
  wanted: string | undefined,
): { ok: true; endpoint: string } | { ok: false; reason: string } {
  const parsed = parseEndpoint(wanted ?? `https://${domain}`);
  if (!parsed.ok) return parsed;
  if (!isWithin(parsed.url.hostname, domain))
    return { ok: false, reason: `is at ${parsed.url.hostname}, which is not ${domain} or below it` };
  return { ok: true, endpoint: parsed.url.origin };
}

/** Whether a text is a public key that a record can hold. */
export function isPublicKey(text: string): boolean {
  const raw = decodePublicKey(text);
  return raw !== undefined && isValidPublicKey(raw);
}

/** @param publicKey undefined where none is known: there is no value to publish yet, then */
export function recordTemplate(
  domain: string,
  endpoint: string,
  publicKey: string | undefined,
  publicUrl: string,
): RecordTemplate {
  const zone = registrableDomain(domain);
  const ready = publicKey !== undefined;
  const value = ready ? formatTxtRecord({ publicKey, endpoint }) : null;
  const chunks = value === null ? [] : chunkTxt(value);
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
    zone_file: ready ? `${name}. ${RECORD_TTL_SECONDS} IN TXT ${chunks.join(" ")}` : null,
    chunks,
    endpoint,
    verify: {
      status: statusUrl(publicUrl, domain),
      document: `${endpoint}/.well-known/bridge.json`,
      batch: `${publicUrl}/api/discovery/provider/verify-batch`,
    },
  };
}

export const statusUrl = (publicUrl: string, domain: string): string =>
  `${publicUrl}/api/discovery/provider/status?domain=${encodeURIComponent(domain)}`;
