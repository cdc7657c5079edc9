/** Sites as the indexer would hand them to an index, from as little as a test wants to say. */

import { VECTOR_SIZE } from "../../schemas/common.ts";
import type { Listing } from "../../schemas/site.ts";
import { analyzeText, exactForm } from "../../src/domain/search/text-analysis.ts";
import { fairnessBoost } from "../../src/domain/trust/neutrality.ts";
import type { Gravity, IndexDocument, IndexWrite } from "../../src/ports/index.ts";

export interface SiteSketch {
  domain: string;
  name?: string;
  description?: string;
  text?: string;
  tags?: string[];
  category?: string;
  access?: Listing["access"];
  country?: string;
  region?: string;
  city?: string;
  lat?: number;
  lon?: number;
  ring?: 0 | 1 | 2 | 3 | 4;
  status?: Listing["status"];
  verifiedAt?: number;
  expiresAt?: number;
  sampleKey?: number;
  rotationBucket?: number;
  network?: string;
  revision?: number;
  /** Milliseconds; the revision by default. */
  changedAt?: number;
  fairnessBoost?: number;
  /** The neutrality score, which the fairness boost then follows from; 50 by default. */
  neutrality?: number;
  gravity?: Gravity;
  /** Its first components; the rest are 0. */
  vector?: number[];
  /** Of which text an encoder made it. */
  encoded?: string;
}

/** A vector by its first components. */
export function vectorOf(first: number[]): Int8Array {
  const vector = new Int8Array(VECTOR_SIZE);
  vector.set(first);
  return vector;
}

const listingOf = (sketch: SiteSketch): Listing => ({
  siteId: sketch.domain,
  domain: sketch.domain,
  name: sketch.name ?? sketch.domain,
  description: sketch.description ?? "",
  category: sketch.category ?? "other",
  tags: sketch.tags ?? [],
  location: null,
  trust_ring: sketch.ring ?? 3,
  trust_score: 75,
  trust_reasons: { signature: 35, dnssec: 10, age: 15, uptime: 10, findings: 5 },
  status: sketch.status ?? "enabled",
  reason: "verified",
  dnssec: "insecure",
  access: sketch.access ?? "none",
  verified_at: null,
  last_ok: null,
  neutrality_score: sketch.neutrality ?? 50,
  fairness_boost: sketch.fairnessBoost ?? fairnessBoost(sketch.neutrality ?? 50),
  is_independent: null,
  discovery_url: `https://${sketch.domain}/.well-known/discovery.json`,
  beacon_url: `https://${sketch.domain}/`,
});

export function documentOf(sketch: SiteSketch): IndexDocument {
  const listing = listingOf(sketch);
  return {
    siteId: sketch.domain,
    revision: sketch.revision ?? 1,
    changedAt: sketch.changedAt ?? sketch.revision ?? 1,
    registrableDomain: sketch.domain.split(".").slice(-2).join("."),
    category: listing.category,
    intentTags: listing.tags,
    country: sketch.country ?? null,
    region: sketch.region ?? null,
    city: sketch.city ?? null,
    latitude: sketch.lat ?? null,
    longitude: sketch.lon ?? null,
    ring: listing.trust_ring,
    gravity: sketch.gravity ?? "none",
    status: listing.status,
    verifiedAt: sketch.verifiedAt ?? null,
    expiresAt: sketch.expiresAt ?? null,
    network: sketch.network ?? null,
    sampleKey: sketch.sampleKey ?? 0,
    rotationBucket: sketch.rotationBucket ?? 0,
    exactName: exactForm(listing.name),
    listing,
    terms: {
      name: analyzeText(listing.name),
      domain: analyzeText(listing.domain),
      tags: listing.tags.flatMap(analyzeText),
      description: analyzeText(listing.description),
      text: analyzeText(sketch.text ?? ""),
    },
    ...(sketch.vector && { vector: vectorOf(sketch.vector) }),
    ...(sketch.encoded && { encoded: sketch.encoded }),
  };
}

export const put = (sketch: SiteSketch): IndexWrite => ({ kind: "put", document: documentOf(sketch) });
/** The same revision once more. */
export const putAgain = (sketch: SiteSketch): IndexWrite => ({
  kind: "put",
  document: documentOf(sketch),
  again: true,
});
export const remove = (siteId: string, revision: number, changedAt = revision): IndexWrite => ({
  kind: "remove",
  siteId,
  revision,
  changedAt,
});
