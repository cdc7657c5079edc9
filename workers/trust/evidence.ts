/** The evidence about a site that anybody can check without trusting this registry. */
import type { SiteEvidence } from "../../schemas/site-evidence.ts";
import { stopAfter } from "../../src/concurrency/stop-after.ts";
import { knownSite } from "../../src/crawl/known-site.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { canonicalize } from "../../src/domain/trust/jcs.ts";
import { proveTxt } from "../../src/egress/dns-proof.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import type { TrustDeps } from "./deps.ts";

/** Patience with name servers. */
export const EVIDENCE_LOOKUP_MS = 8_000;

/**
 * @param domain as it was asked for
 * @param since size of the log that the asker saw last
 * @param signal of the asker: DNS is asked no longer than that
 */
export async function siteEvidence(
  deps: TrustDeps,
  domain: string,
  since: number | undefined,
  signal?: AbortSignal,
): Promise<SiteEvidence | Failure<"invalid_domain" | "site_not_registered">> {
  const parsed = parsePastedDomain(domain);
  if (!parsed.ok)
    return fail("invalid_domain", `domain ${parsed.detail}. Send a domain such as shop.example.`);
  const { host } = parsed;
  const { record, isBlocked } = await knownSite(deps, host);
  if (!record || record.visits === 0 || isBlocked)
    return fail("site_not_registered", `${host} is not known, so there is no evidence about it.`);
  const [dns, content, log] = await Promise.all([
    dnsEvidence(deps, host, signal),
    deps.contents.get(host),
    logEvidence(deps, host, since),
  ]);
  return {
    version: "bridge-evidence/1",
    domain: host,
    observed_at: record.verified_at ?? record.last_ok_at,
    dns,
    manifest: content?.document ? manifestEvidence(content.document, record.discovery_url) : null,
    log,
  };
}

async function dnsEvidence(
  { resolver }: TrustDeps,
  host: string,
  caller: AbortSignal | undefined,
): Promise<SiteEvidence["dns"]> {
  const name = `_bridge.${host}`;
  const signal = stopAfter(EVIDENCE_LOOKUP_MS, caller);
  const [keys, proof] = await Promise.all([
    keysOfDomain(resolver, host, signal),
    proveTxt(resolver, name, signal),
  ]);
  const sets = proof.sets.map(({ owner, type, ttlSeconds, data, signatures }) => ({
    owner,
    type,
    ttl: ttlSeconds,
    data: data.map(base64),
    signatures: signatures.map(base64),
  }));
  return { name, reason: proof.reason, txt: keys.records, sets };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

async function logEvidence(
  { transparency, cosignatures, registrations }: TrustDeps,
  host: string,
  since: number | undefined,
): Promise<SiteEvidence["log"]> {
  const leafIndex = (await registrations.get(hostKey(host)))?.value.leaf_index;
  const head = await transparency.head();
  const { size } = head;
  const consistency =
    since === undefined || since > size
      ? null
      : (await transparency.consistencyProof(since, size)).map(base64);
  const checkpoint = await cosignatures.under(head);
  const log = { checkpoint, registration: null, consistency_proof: consistency };
  if (leafIndex === undefined || leafIndex >= size) return log;
  const [found, proof] = await Promise.all([
    transparency.leaf(leafIndex),
    transparency.inclusionProof(leafIndex, size),
  ]);
  // Erased: the registry still knows of the registration, but cannot prove it.
  if (!found || "leaf_index" in found) return log;
  const { leaf, opening } = found;
  return {
    ...log,
    registration: {
      leaf: Buffer.from(leaf).toString("utf8"),
      leaf_index: leafIndex,
      inclusion_proof: proof.map(base64),
      ...(opening && { salt: base64(opening.salt), entry: Buffer.from(opening.entry).toString("utf8") }),
    },
  };
}

/** @param text a document that a visit verified: at most 64 KiB, and JSON as docs/trust.md has it */
function manifestEvidence(text: string, discoveryUrl: string | null): SiteEvidence["manifest"] {
  const { manifest, ...document } = JSON.parse(text);
  if (!manifest) return null;
  const { protected: header, payload, signature } = manifest;
  return {
    discovery_url: discoveryUrl,
    protected: header,
    payload,
    signature,
    document: canonicalize(document),
  };
}
