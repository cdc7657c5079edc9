/** What the registry itself fetched of a price that a caller claims: the better evidence, beside the claim. */
import type { Statement } from "../../../schemas/certificate.ts";
import type { PriceHistory } from "../../../schemas/price.ts";
import type { Records } from "../../../src/stores/records.ts";
import { judgePoints } from "../price/belief.ts";
import { productKey } from "../price/history.ts";
import { priceEvidence } from "../price/sources.ts";

/** The registry's observation speaks of a claim about the time around it. */
const NEAR_SECONDS = 3_600;

/**
 * The price that the registry fetched for the product of a claim, the nearest to its time, where price/track knows the
 * product by the host and by the claim's own word for it; null where it fetched none within the hour, and for statements that
 * are no claim of a price.
 */
export async function fetchedBeside(histories: Pick<Records<PriceHistory>, "get">, statement: Statement) {
  if (!("price_minor" in statement) || ("observed_by" in statement && statement.observed_by === "registry"))
    return null;
  const { subject, currency, price_minor: claimed } = statement;
  const atSeconds = Date.parse(statement.observed_at) / 1_000;
  const stored = await Promise.all(
    platformsOf(subject.host).map((platform) => histories.get(productKey(platform, subject.product))),
  );
  const fetched = stored
    .flatMap((history) => history?.value.series ?? [])
    // Of the seller whom the claim names, where it names one.
    .filter((series) => series.currency === currency && series.region === "")
    .filter(({ seller }) => seller === (subject.seller ?? seller))
    .flatMap(judgePoints)
    .filter(({ source }) => source.standing === "registry")
    .map(({ point: [at, priceMinor], source }) => ({
      at,
      priceMinor,
      source,
      away: Math.abs(at - atSeconds),
    }))
    .filter(({ away }) => away <= NEAR_SECONDS);
  if (fetched.length === 0) return null;
  const nearest = fetched.reduce((a, b) => (b.away < a.away ? b : a));
  return {
    price_minor: nearest.priceMinor,
    agrees: fetched.some(({ priceMinor }) => priceMinor === claimed),
    evidence: priceEvidence(nearest.source, nearest.at),
  };
}

/** Shops are told with and without `www.`. */
const platformsOf = (host: string): string[] => [
  host,
  host.startsWith("www.") ? host.slice(4) : `www.${host}`,
];
