/** Third layer: what DNS and the signature say, by the very functions that the crawl goes by. */
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import { decodeBase64Url } from "../../../src/domain/protocols/base64url.ts";
import { parseStrictJson } from "../../../src/domain/protocols/strict-json.ts";
import { canonicalize } from "../../../src/domain/trust/jcs.ts";
import { CLOCK_SKEW_MS, documentSha256, verifyDocument } from "../../../src/domain/trust/manifest.ts";
import { selectRecords } from "../../../src/domain/trust/txt-record.ts";
import { type Diagnosis, errorAt, type PatchOperation, warningAt } from "./diagnostics.ts";

export interface TrustContext {
  now: number;
  domain: string;
  /** TXT records of `_bridge.<domain>`; undefined when they were not seen. */
  txt: readonly string[] | undefined;
}

export interface TrustResult {
  ring: 0 | 1 | 2 | 3;
  faults: Diagnosis[];
  /** What could not be checked, and why. */
  notObserved: { what: string; reason: string }[];
}

const REMOVE_MANIFEST: PatchOperation[] = [{ op: "remove", path: "/manifest" }];

interface Signed {
  expires_at?: unknown;
  issued_at?: unknown;
  trust_profile?: unknown;
  document_sha256?: unknown;
  domain?: unknown;
}

const TXT_FAULTS = {
  none: "No TXT record of this kind: publish the one that `bridge keygen` prints.",
  invalid: "The TXT record cannot be read",
  ambiguous: "The TXT records disagree",
  revoked: "The key is revoked: its pk is empty",
  too_many: "There are too many TXT records",
} as const;

const POINTERS: Readonly<Record<string, string>> = {
  signature_invalid: "/manifest/signature",
  manifest_invalid: "/manifest/payload",
  manifest_expired: "/manifest/payload",
  manifest_not_yet_valid: "/manifest/payload",
  document_mismatch: "/manifest/payload",
  domain_mismatch: "/provider/domain",
};

/**
 * Checks the document as it was published, byte for byte.
 * @param document what the bytes hold, accepted by the schema
 */
export function trustLayer(
  bytes: Uint8Array,
  document: DiscoveryDocument,
  { now, domain, txt }: TrustContext,
): TrustResult {
  const own = manifestFaults(document, now, domain);
  const unsigned = document.manifest
    ? []
    : [
        warningAt(
          "trust.unsigned",
          "/manifest",
          "The document is not signed: `bridge sign` signs it. Only signed documents are listed.",
          null,
        ),
      ];
  if (txt === undefined) {
    const notObserved = [{ what: "txt", reason: `the TXT records of _bridge.${domain} were not sent` }];
    if (document.manifest)
      notObserved.push({ what: "signature", reason: "its key stands in the TXT record" });
    return { ring: own.length > 0 ? 0 : 1, faults: [...own, ...unsigned], notObserved };
  }
  const selected = selectRecords([...txt], domain);
  if (!selected.ok) {
    const severity = selected.reason === "none" ? warningAt : errorAt;
    const said =
      selected.reason === "none" ? TXT_FAULTS.none : `${TXT_FAULTS[selected.reason]}: ${selected.detail}.`;
    const fault = severity(`trust.txt_${selected.reason}`, "", said, null);
    const notObserved = document.manifest ? [{ what: "signature", reason: "there is no key in DNS" }] : [];
    return { ring: own.length > 0 ? 0 : 1, faults: [fault, ...own, ...unsigned], notObserved };
  }
  const verified = verifyDocument(bytes, { domain, txt: selected, nowMs: now, previousSerial: null });
  if (verified.ok) return { ring: verified.ring, faults: unsigned, notObserved: [] };
  const pointer = POINTERS[verified.reason] ?? "/manifest";
  // What can be said of the manifest without its key says more than that the signature is wrong.
  const faults =
    own.length > 0
      ? own
      : [errorAt(`trust.${verified.reason}`, pointer, `${verified.detail}.`, REMOVE_MANIFEST)];
  return { ring: 0, faults, notObserved: [] };
}

function manifestFaults(document: DiscoveryDocument, now: number, domain: string): Diagnosis[] {
  if (!document.manifest) return [];
  const signed = readSigned(document);
  if (!signed)
    return [
      errorAt(
        "trust.manifest_invalid",
        "/manifest/payload",
        "The payload is not a manifest in base64url.",
        REMOVE_MANIFEST,
      ),
    ];
  const repeats = repeatFaults(document, signed);
  if (repeats.length > 0) return repeats;
  const expires = Date.parse(String(signed.expires_at));
  if (signed.domain !== domain)
    return [
      errorAt(
        "trust.domain_mismatch",
        "/manifest/payload",
        `The manifest is ${JSON.stringify(signed.domain)}'s, not ${domain}'s.`,
        REMOVE_MANIFEST,
      ),
    ];
  if (!(expires > now - CLOCK_SKEW_MS))
    return [
      errorAt(
        "trust.manifest_expired",
        "/manifest/payload",
        `The manifest expired at ${signed.expires_at}: sign again.`,
        REMOVE_MANIFEST,
      ),
    ];
  if (documentSha256(document) !== signed.document_sha256)
    return [
      errorAt(
        "trust.document_mismatch",
        "/manifest/payload",
        "The document was changed after it was signed: sign again.",
        REMOVE_MANIFEST,
      ),
    ];
  return [];
}

/** What the manifest says, whoever signed it: enough to see whether the document around it is the one it speaks of. */
function readSigned(document: DiscoveryDocument): Signed | undefined {
  const bytes = document.manifest && decodeBase64Url(document.manifest.payload);
  const json = bytes && parseStrictJson(bytes);
  return json?.ok && typeof json.value === "object" && json.value !== null
    ? (json.value as Signed)
    : undefined;
}

/** The repeats outside the signature can be mended from what was signed. */
function repeatFaults(document: DiscoveryDocument, signed: Signed): Diagnosis[] {
  const faults: Diagnosis[] = [];
  for (const name of ["expires_at", "trust_profile"] as const) {
    const [outer, inner] = [document[name], signed[name]];
    if (outer === undefined || inner === undefined || canonicalize(outer) === canonicalize(inner)) continue;
    const fix: PatchOperation[] = [{ op: "replace", path: `/${name}`, value: inner }];
    faults.push(errorAt("trust.repeat_differs", `/${name}`, `${name} is not the signed one.`, fix));
  }
  return faults;
}
