/** Who observed: a source is an account, or the network of keys without one, from one network and with what standing. */
import type { AccountStanding } from "../../../schemas/account.ts";
import type { EvidenceSource } from "../../../schemas/evidence.ts";
import type { PriceSource, Series } from "../../../schemas/price.ts";
import { keyed } from "../../../src/domain/keyed.ts";
import { networkGroup } from "../../../src/domain/names/address.ts";
import { iso } from "../../../src/ports/time.ts";

/** Reported later than this, an observation stays a claim: nobody can check it any more. */
export const LATE_MS = 3_600_000;

/** The registry's own observation. */
export const REGISTRY: PriceSource = {
  who: "registry",
  network: "registry",
  standing: "registry",
  late: false,
};

/** Pages of the registry's observations that a series remembers, and their longest address: strangers name them. */
const MAX_PAGES = 4;
const MAX_PAGE_CHARS = 300;

const RANKS = ["anonymous", "new", "established", "registry"] as const;

export interface PriceReporter {
  accountId: string | null;
  standing: AccountStanding;
  clientAddress: string;
  /** Milliseconds from the observation to its report. */
  ageMs: number;
}

/** The registry's own observation of a page, which is left out where a series remembers enough others. */
export function fetchedFrom(sources: readonly PriceSource[], page: string): PriceSource {
  const pages = new Set(sources.flatMap((source) => source.page ?? []));
  const hasRoom = page.length <= MAX_PAGE_CHARS && (pages.has(page) || pages.size < MAX_PAGES);
  return hasRoom ? { ...REGISTRY, page } : REGISTRY;
}

/** The evidence for a price that was seen at a time. */
export function priceEvidence({ standing, page }: PriceSource, atSeconds: number): EvidenceSource {
  const isFetched = standing === REGISTRY.standing;
  return {
    kind: isFetched ? "fetched" : "reported",
    at: iso(atSeconds * 1_000),
    url: (isFetched && page) || null,
  };
}

/** How much a source's word keeps its place: what is lower gives way to what is higher, never the other way round. */
export const rankOf = ({ standing }: Pick<PriceSource, "standing">): number => RANKS.indexOf(standing);

/** The source of a point. */
export const pointSource = (
  { sources }: Pick<Series, "sources">,
  [, , index]: Series["points"][number],
): PriceSource => sources[index]!;

/** @param secret key of the HMAC that hides accounts and addresses */
export function callerSource(
  secret: string,
  { accountId, standing, clientAddress, ageMs }: PriceReporter,
): PriceSource {
  const hidden = (kind: "network" | "account", of: string) =>
    keyed(secret, "price source", kind, of).toString("base64url").slice(0, 10);
  const network = hidden("network", networkGroup(clientAddress) ?? "inside");
  const who = accountId === null ? network : hidden("account", accountId);
  return { who, network, standing, late: ageMs > LATE_MS };
}

export const isSameSource = (a: PriceSource, b: PriceSource): boolean =>
  a.who === b.who &&
  a.network === b.network &&
  a.standing === b.standing &&
  a.late === b.late &&
  a.page === b.page;
