/** The other side of a pool: what the owner of a site sells for, and what buyers and the seller are told of it. */
import type { Member, Pool, PoolOffer } from "../../../schemas/pool.ts";
import { keyed } from "../../../src/domain/keyed.ts";
import { fromMinor, minorDigits, toMinor } from "../../../src/domain/listing/money.ts";
import { isWithin, parseHost } from "../../../src/domain/names/domain-name.ts";
import { parseWebAddress } from "../../../src/domain/names/web-address.ts";
import { DAY_MS, iso } from "../../../src/ports/time.ts";
import type { Input } from "../../../src/rpc/contract.ts";
import { type ErrorCode, Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Edit } from "../../../src/stores/records.ts";
import type { bargaining } from "./contract.ts";
import { isBuyer, mayBuy, poolState, settledPool, takenOffer } from "./rules.ts";

/** Offers that a pool keeps: those of the lowest prices. */
const MAX_OFFERS = 20;
/** How long after its reveal a pool that no seller took can be taken. */
const TAKEN_WITHIN_MS = 14 * DAY_MS;
/** What buyers have to order once they know, at least; and how long a seller binds themselves at most. */
const LEAST_VALID_MS = DAY_MS;
const MOST_VALID_MS = 60 * DAY_MS;
const MAX_URL_CHARS = 2_048;

export type OfferBody = Input<(typeof bargaining)["operations"]["offerToPool"]>["body"];
/** What a body offers, before it is known to which pool. */
export interface OfferTerms {
  siteId: string;
  url: string;
  /** Major units, of a currency that the pool decides. */
  price: number;
  minQuantity: number;
  validUntil: number;
}

type OfferFailure = Failure<"not_found" | "offer_refused" | "invalid_amount" | "invalid_time">;

/** The site and the address that a body names, or what is wrong with them. */
export function offeredBy(body: OfferBody): OfferTerms | Failure<"invalid_domain" | "invalid_url"> {
  const host = parseHost(body.site);
  if (!host.ok) return wrong("invalid_domain", "site", `is not a public host name (${host.reason})`);
  const address = parseWebAddress(body.url ?? `https://${host.host}/`);
  const isOwn =
    address.ok &&
    address.url.protocol === "https:" &&
    isWithin(address.url.hostname, host.host) &&
    address.url.username === "" &&
    address.url.password === "" &&
    address.url.href.length <= MAX_URL_CHARS;
  if (!isOwn)
    return wrong("invalid_url", "url", `must be an https address on ${host.host}, without credentials`);
  return {
    siteId: host.host,
    url: address.url.href,
    price: body.price,
    minQuantity: body.min_quantity,
    validUntil: Date.parse(body.valid_until),
  };
}

const wrong = <C extends ErrorCode>(code: C, member: string, message: string): Failure<C> =>
  fail(code, `${member}: ${message}.`, { errors: [{ pointer: `/body/${member}`, code, message }] });

/** The pool with an offer, taken where the pool has cleared; or why it cannot be made. */
export function withOffer(
  stored: Pool | undefined,
  { price, ...rest }: OfferTerms,
  now: number,
): Edit<Pool, Pool | OfferFailure> {
  if (!stored) return { result: fail("not_found", "There is no such pool.") };
  const pool = settledPool(stored, now);
  const closed = closedTo(pool, now);
  if (closed) return { result: closed };
  const priceMinor = toMinor(price, pool.currency);
  if (priceMinor === undefined || priceMinor === 0) {
    const message = `must be more than 0, with at most ${minorDigits(pool.currency)} digits after the point`;
    return { result: wrong("invalid_amount", "price", message) };
  }
  const isCleared = Boolean(pool.clearing);
  const least = (isCleared ? now : Math.max(now, pool.revealsUntil)) + LEAST_VALID_MS;
  if (rest.validUntil < least || rest.validUntil > now + MOST_VALID_MS) {
    const message = `must be from ${iso(least)}, a day after the pool clears, to 60 days from now`;
    return { result: wrong("invalid_time", "valid_until", message) };
  }
  const offer: PoolOffer = { ...rest, offerId: uuidv7(), priceMinor, postedAt: Math.floor(now) };
  const next = isCleared ? takenBy(pool, offer) : keptBy(pool, offer);
  return next instanceof Failure ? { result: next } : { next, result: next };
}

/** What keeps a pool from taking or keeping any offer now. */
function closedTo(pool: Pool, now: number): Failure<"offer_refused"> | undefined {
  const state = poolState(pool, now);
  if (pool.deal) return fail("offer_refused", "The pool has taken an offer already.");
  if (state === "expired") return fail("offer_refused", "The pool has expired: too few joined or revealed.");
  return state === "cleared" && now > pool.revealsUntil + TAKEN_WITHIN_MS
    ? fail("offer_refused", "The pool cleared more than 14 days ago.")
    : undefined;
}

/** A cleared pool with the offer that it takes, if it holds for what the pool published: nothing else is told by an answer. */
function takenBy(pool: Pool, offer: PoolOffer): Pool | Failure<"offer_refused"> {
  const { priceMinor, quantity } = pool.clearing!;
  if (offer.priceMinor > priceMinor || offer.minQuantity > quantity) {
    const price = `${fromMinor(priceMinor, pool.currency)} ${pool.currency}`;
    return fail(
      "offer_refused",
      `The pool wants ${quantity} at ${price}: offer at most that price, and ask for no more.`,
    );
  }
  const others = (pool.offers ?? []).filter(({ siteId }) => siteId !== offer.siteId).slice(0, MAX_OFFERS - 1);
  return { ...pool, offers: [...others, offer], deal: { offerId: offer.offerId, takenAt: offer.postedAt } };
}

/** A pool that has not cleared with the offer, which takes the place of an earlier one of its site. */
function keptBy(pool: Pool, offer: PoolOffer): Pool | Failure<"offer_refused"> {
  const others = (pool.offers ?? []).filter(({ siteId }) => siteId !== offer.siteId);
  const offers = [...others, offer].toSorted(
    (a, b) => a.priceMinor - b.priceMinor || a.postedAt - b.postedAt,
  );
  return offers.indexOf(offer) >= MAX_OFFERS
    ? fail("offer_refused", `${MAX_OFFERS} lower offers stand: offer less.`)
    : { ...pool, offers: offers.slice(0, MAX_OFFERS) };
}

/** What a pool says to one of its members alone; null for others. */
export function membershipOf(secret: string, pool: Pool, nullifier: string | undefined, now: number) {
  const member = pool.members.find((one) => one.nullifier === nullifier);
  if (!member) return null;
  const buys = pool.clearing && !mayBuy(pool, member) ? isBuyer(member, pool.clearing) : null;
  return {
    quantity: member.quantity,
    revealed: member.capMinor !== null,
    buys,
    voucher: pool.deal && buys !== false ? voucherOf(secret, pool, member) : null,
    notice: noticeOf(pool, member, now),
  };
}

/** What a buyer shows to the seller: tells that they are of the pool, and not who they are. */
const voucherOf = (secret: string, { poolId }: Pool, { nullifier }: Member): string =>
  keyed(secret, "bargaining voucher", poolId, nullifier).toString("base64url").slice(0, 16);

/** What a member is to know or do now, as a sentence. */
function noticeOf(pool: Pool, member: Member, now: number): string | null {
  const state = poolState(pool, now);
  const { clearing } = pool;
  if (state === "open" || state === "expired") return null;
  if (!clearing) return member.capMinor === null ? `Reveal your cap by ${iso(pool.revealsUntil)}.` : null;
  if (member.capMinor === null) return "Your cap was not revealed in time: you do not buy.";
  const offer = takenOffer(pool);
  const perhaps = mayBuy(pool, member);
  if (!isBuyer(member, clearing) && !perhaps) return "Your cap is below the price: you do not buy.";
  if (!offer)
    return `No seller has taken the order yet; one can until ${iso(pool.revealsUntil + TAKEN_WITHIN_MS)}.`;
  const price = `${fromMinor(offer.priceMinor, pool.currency)} ${pool.currency}`;
  if (perhaps)
    return `${offer.siteId} sells at ${price} each, within the step that your cap counts as: if your cap is at least that, order at ${offer.url} with your voucher until ${iso(offer.validUntil)}.`;
  return `${offer.siteId} sells to you at ${price} each: order at ${offer.url} with your voucher until ${iso(offer.validUntil)}.`;
}

/** What the seller of a deal is to deliver to whoever orders: quantities by voucher, in an order that tells nothing. */
export const ordersOf = (secret: string, pool: Pool) =>
  pool.members
    .filter((member) => pool.clearing && (isBuyer(member, pool.clearing) || mayBuy(pool, member)))
    .map((member) => ({ voucher: voucherOf(secret, pool, member), quantity: member.quantity }))
    .toSorted((a, b) => (a.voucher < b.voucher ? -1 : 1));
