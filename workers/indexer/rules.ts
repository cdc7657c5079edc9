/** Site record and contents → index document. Pure. */
import { createHmac } from "node:crypto";
import type { SiteContent, SiteRecord } from "../../schemas/site.ts";
import { networkGroup } from "../../src/domain/address.ts";
import { registrableDomain } from "../../src/domain/domain-name.ts";
import { listingOf } from "../../src/domain/listing.ts";
import { analyse, exactForm } from "../../src/domain/text-analysis.ts";
import type { IndexDocument } from "../../src/ports.ts";

const time = (text: string | null): number | null => (text === null ? null : Date.parse(text));
const lower = (text: string | undefined): string | null => text?.trim().toLowerCase() || null;

/** Words of a host that carry meaning: its labels without the public suffix. */
const domainWords = (host: string): string => {
  const owner = registrableDomain(host);
  return `${host} ${host.slice(0, host.length - owner.length)} ${owner.split(".")[0]}`.replaceAll(
    /[.-]/g,
    " ",
  );
};

/**
 * @param version the record's revision (later ones win) and when it was written, milliseconds
 * @param sampleSecret keeps the order of peer samples from being predicted
 */
export const indexDocumentOf = (
  record: SiteRecord,
  content: SiteContent | undefined,
  version: { revision: number; changedAt: number },
  sampleSecret: string,
  now: number,
): IndexDocument => {
  const listing = listingOf(record, now);
  const { location } = record;
  return {
    siteId: record.siteId,
    ...version,
    registrableDomain: registrableDomain(record.siteId),
    category: record.category,
    intentTags: record.intent_tags,
    country: lower(location?.country),
    region: lower(location?.region),
    city: lower(location?.city),
    latitude: location?.lat ?? null,
    longitude: location?.lon ?? null,
    ring: listing.trust_ring,
    status: record.status,
    verifiedAt: time(record.verified_at),
    expiresAt: time(record.expires_at),
    network: record.address && networkGroup(record.address),
    sampleKey: createHmac("sha256", sampleSecret).update(record.siteId).digest().readUInt32BE(0),
    exactName: exactForm(listing.name),
    listing,
    terms: {
      name: analyse(listing.name),
      domain: analyse(domainWords(record.siteId)),
      tags: analyse([...record.intent_tags, record.category].join(" ")),
      description: analyse(record.description),
      text: analyse(content ? `${content.title}\n${content.text}` : ""),
    },
  };
};
