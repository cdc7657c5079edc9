/** A caller's claim as the members of a statement: amounts in minor units, times, digests. */
import { createHash } from "node:crypto";
import { minorDigits, toMinor } from "../../../src/domain/listing/money.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import type { Input } from "../../../src/rpc/contract.ts";
import { type Failure, fail } from "../../../src/rpc/errors.ts";
import type { notary } from "./contract.ts";
import type { Pair } from "./rules.ts";

export type PriceBody = Input<(typeof notary)["operations"]["notarizePrice"]>["body"];
type BadAmount = Failure<"invalid_amount">;
type BadTime = Failure<"invalid_time">;

/** Oldest observation that is accepted, and the clock skew. */
const OLDEST_MS = 366 * DAY_MS;
const SKEW_MS = 60_000;

/** Digest of the evidence that was sent, or the one that was sent itself. */
export const evidenceDigest = ({
  evidence,
  evidence_sha256,
}: {
  evidence?: string | undefined;
  evidence_sha256?: string | undefined;
}) =>
  evidence === undefined ? (evidence_sha256 ?? null) : createHash("sha256").update(evidence).digest("hex");

/** What a statement is about. */
export function subjectOf({
  url,
  product,
  seller,
}: {
  url: string;
  product: string;
  seller?: string | undefined;
}) {
  const { hostname, pathname } = new URL(url);
  return { host: hostname, path: pathname === "/" ? null : pathname, product, seller: seller ?? null };
}

/** The pairs in minor units, or which of them is no amount or of another time. */
export function pairsOf(body: PriceBody, now: number): Pair[] | BadAmount | BadTime {
  const pairs: Pair[] = [];
  for (const [i, pair] of (body.comparison?.pairs ?? []).entries()) {
    const pointer = `/body/comparison/pairs/${i}`;
    const late = badTime(now, { [`${pointer}/observed_at`]: pair.observed_at });
    if (late) return late;
    const control = toMinor(pair.control, body.currency);
    const treatment = toMinor(pair.treatment, body.currency);
    const controlAgain = pair.control_again === undefined ? null : toMinor(pair.control_again, body.currency);
    if (control === undefined || treatment === undefined || controlAgain === undefined)
      return badAmount(pointer, body.currency);
    pairs.push({ control, treatment, controlAgain });
  }
  return pairs;
}

/** The first time that is in the future, or too old to be accepted. */
export function badTime(now: number, times: Record<string, string | undefined>): BadTime | undefined {
  for (const [pointer, time] of Object.entries(times)) {
    const ageMs = time === undefined ? 0 : now - Date.parse(time);
    if (ageMs < -SKEW_MS || ageMs > OLDEST_MS)
      return fail("invalid_time", `${pointer}: neither of the future nor more than a year ago.`, {
        errors: [{ pointer, code: "invalid_time", message: "must be within the last year" }],
      });
  }
  return undefined;
}

export const badAmount = (pointer: string, currency: string): BadAmount =>
  fail(
    "invalid_amount",
    `${pointer}: not an amount of ${currency}, which has ${minorDigits(currency)} digits after the point.`,
    {
      errors: [
        {
          pointer,
          code: "invalid_amount",
          message: `at most ${minorDigits(currency)} digits after the point`,
        },
      ],
    },
  );
