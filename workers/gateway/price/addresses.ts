/** Which address of a product the registry observes, and when it did. */
import { createHash } from "node:crypto";
import type { PriceHistory } from "../../../schemas/price.ts";
import { isWithin, parseHost } from "../../../src/domain/names/domain-name.ts";
import { HOUR_MS } from "../../../src/ports/time.ts";

/** A product's page is observed again after this at the earliest, whatever came of the last time. */
const OBSERVE_EVERY_MS = HOUR_MS;
/** Addresses remembered as observed: a wrong one does not keep the right one from being observed. */
const MAX_OBSERVED = 8;

/** The address to observe now, or why there is none. @param stored the product's history, if there is one */
export function addressToObserve(
  stored: PriceHistory | undefined,
  { platform, url: given }: { platform: string; url?: string | undefined },
  now: number,
): URL | "no_url" | "foreign_url" | "recent" {
  const addresses = addressesOf(stored ?? { url: null }, given);
  if (addresses.length === 0) return "no_url";
  const own = addresses.filter((url) => isOfPlatform(url, platform));
  if (own.length === 0) return "foreign_url";
  const since = now - OBSERVE_EVERY_MS;
  return (
    own.find((one) => !stored?.looked.some(({ page, at }) => page === pageOf(one) && at > since)) ?? "recent"
  );
}

/**
 * Addresses that may be observed: first where the registry found the product before, then what the caller names. The query
 * is left out: a voucher in it would show the registry a price that others are not shown.
 */
function addressesOf({ namedBy, url }: Pick<PriceHistory, "namedBy" | "url">, given: string | undefined) {
  const known = namedBy?.standing === "registry" ? [url, given] : [given ?? url];
  return known.flatMap((one) => {
    const address = one ? URL.parse(one) : null;
    if (!address) return [];
    address.search = "";
    address.hash = "";
    return [address];
  });
}

/** Where the platform is a host: an address of its own, or one below it. */
export function isOfPlatform(url: URL, platform: string): boolean {
  const host = parseHost(platform);
  return host.ok && isWithin(url.hostname, host.host.replace(/^www\./, ""));
}

const pageOf = (url: URL): string => createHash("sha256").update(url.href).digest("base64url").slice(0, 12);

/** The history with the time at which an address was last observed. */
export function withObservedAddress(history: PriceHistory, url: URL, now: number): PriceHistory {
  const others = history.looked.filter(({ page }) => page !== pageOf(url));
  return { ...history, looked: [...others, { page: pageOf(url), at: Math.floor(now) }].slice(-MAX_OBSERVED) };
}
