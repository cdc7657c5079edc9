/** The registry's signed document, created once and shared by every process through the broker. */

import { z } from "zod";
import { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { INVARIANTS_NOW } from "../../src/domain/trust/invariants.ts";
import { signDocument } from "../../src/domain/trust/manifest.ts";
import type { Bucket } from "../../src/ports/buckets.ts";
import type { Service } from "../../src/rpc/contract.ts";
import type { Identity } from "../../src/stores/identity.ts";
import { openRecords } from "../../src/stores/records.ts";
import { contentDigest, isDue, MANIFEST_LIFE_MS, ownDocument } from "./rules.ts";

const OwnDocument = z.looseObject({
  v: z.literal(1),
  publicUrl: z.string(),
  /** Digest of all but the time and the signature. */
  content: z.string(),
  madeAt: z.number(),
  serial: z.int(),
  document: DiscoveryDocument,
});

/**
 * The registry's own discovery document: the same bytes from every process. It is renewed when its content changes
 * or half of the manifest's lifetime has passed.
 */
export function openOwnDocument(
  bucket: Bucket,
  identity: Identity,
  publicUrl: string,
  services: readonly Service[],
  now: () => number,
  limitsPercent: () => number = () => 100,
): () => Promise<DiscoveryDocument> {
  const records = openRecords(bucket, OwnDocument);
  const key = "document";
  // The scale of the limits may change while the process runs.
  const contentNow = (): string => contentDigest(ownDocument(publicUrl, services, 0, limitsPercent()));
  const make = async (): Promise<z.infer<typeof OwnDocument>> => {
    const stored = await records.get(key);
    const at = Math.floor(now());
    const content = contentNow();
    if (stored && !isDue(stored.value, content, at)) return stored.value;
    const serial = Math.max(at, (stored?.value.serial ?? 0) + 1);
    const document = signDocument(ownDocument(publicUrl, services, at, limitsPercent()), identity, {
      endpoint: publicUrl,
      issuedAt: new Date(at).toISOString(),
      expiresAt: new Date(at + MANIFEST_LIFE_MS).toISOString(),
      serial,
      invariantsSha256: INVARIANTS_NOW.sha256,
      trustProfile: {
        capabilities: ["search", "report"],
        constraints: ["hints are verified before they count"],
        ttl_seconds: 3_600,
      },
    });
    const fresh = { v: 1 as const, publicUrl, content, madeAt: at, serial, document };
    if (await records.compareAndSet(key, fresh, stored?.revision ?? 0)) return fresh;
    return (await records.get(key))!.value;
  };
  let current: Promise<z.infer<typeof OwnDocument>> | undefined;
  let content = { percent: limitsPercent(), digest: contentNow() };
  return async () => {
    const known = await current?.catch(() => undefined);
    if (content.percent !== limitsPercent()) content = { percent: limitsPercent(), digest: contentNow() };
    if (!known || isDue(known, content.digest, now())) current = make();
    return (await current!).document;
  };
}
