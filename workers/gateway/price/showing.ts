/** A product's history as it is shown: verdicts over what is believed, claims beside them and marked as claims. */
import type { ClaimedPriceVerdict, PriceVerdict, Series } from "../../../schemas/price.ts";
import { round } from "../../../src/detectors/risk.ts";
import { minorDigits } from "../../../src/domain/listing/money.ts";
import { type JudgedPoint, judgePoints, latestOf } from "./belief.ts";
import { type Assessment, assess, type DiscountClaim, priceSteps } from "./rules.ts";
import { priceEvidence } from "./sources.ts";

const RULE = "Directive 98/6/EC, article 6a(1) and (2); CJEU C-330/23";

export const timeOfSeconds = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** @param since seconds: steps that ended earlier are left out */
export function shownSeries(series: Series, since: number, claim: DiscountClaim) {
  const judged = judgePoints(series);
  const believed = judged.filter((one) => one.believed);
  const plausible = judged.filter(({ outlier }) => !outlier);
  const basis = believed.length > 0 ? believed : plausible.length > 0 ? plausible : judged;
  const prices = basis.map(({ point }) => point[1]);
  const latest = latestOf(judged) ?? judged.at(-1)!;
  const { seller, region, currency } = series;
  return {
    seller,
    region,
    currency,
    minor_digits: minorDigits(currency),
    lowest_minor: Math.min(...prices),
    highest_minor: Math.max(...prices),
    latest_minor: latest.point[1],
    evidence: priceEvidence(latest.source, latest.point[0]),
    basis: believed.length > 0 ? ("corroborated" as const) : ("claimed" as const),
    observers: series.observers.length,
    steps: shownSteps(judged, since),
    ...assessmentsOf(judged, claim),
  };
}

/** Steps of what is believed and of claims apart, so that a claim between does not part what was seen; oldest first. */
function shownSteps(judged: readonly JudgedPoint[], since: number) {
  const kinds = [
    ...Map.groupBy(
      judged,
      (one) => Number(isFetched(one)) * 4 + Number(one.believed) * 2 + Number(one.outlier),
    ).values(),
  ];
  return kinds
    .flatMap((kind) => {
      const { believed, outlier } = kind[0]!;
      const sources = new Map(kind.map(({ point, source }) => [point.join(), source]));
      return priceSteps(pointsOf(kind)).map((step) => ({
        ...step,
        observed_by: isFetched(kind[0]!) ? ("registry" as const) : ("caller" as const),
        corroborated: believed,
        outlier,
        evidence: priceEvidence(sources.get([step.toSeconds, step.priceMinor].join())!, step.toSeconds),
      }));
    })
    .filter((step) => step.toSeconds >= since)
    .sort((a, b) => a.fromSeconds - b.fromSeconds)
    .map(({ priceMinor, fromSeconds, toSeconds, ...rest }) => ({
      price_minor: priceMinor,
      from: timeOfSeconds(fromSeconds),
      to: timeOfSeconds(toSeconds),
      ...rest,
    }));
}

const isFetched = ({ source }: JudgedPoint): boolean => source.standing === "registry";
const pointsOf = (judged: readonly JudgedPoint[]) => judged.map(({ point }) => point);

/**
 * The verdict over what is believed, over what the registry fetched alone where that is enough; over claims alone there is
 * none. What claims would come to stands beside it.
 * @param judged at least one
 */
export function assessmentsOf(judged: readonly JudgedPoint[], claim: DiscountClaim = {}) {
  const believed = judged.filter((one) => one.believed);
  const plausible = judged.filter(({ outlier }) => !outlier);
  const claims = plausible.length > 0 ? plausible : judged;
  const byClaims = assess(pointsOf(claims), claim)!;
  const basis = bestBasis(believed, claim);
  const own = assess(pointsOf(basis), claim);
  const unknown = { ...byClaims, priorMinor: undefined, actualPercent: undefined, coverage: 0 };
  return {
    assessment: {
      ...(own ? shownAs(own, own.verdict) : shownAs(unknown, "insufficient_history" as const)),
      basis: own ? ("corroborated" as const) : ("claimed" as const),
      evidence: own ? basedOn(basis, basis.every(isFetched)) : basedOn(claims, false),
    },
    claimed_assessment:
      believed.length === judged.length ? null : shownAs(byClaims, claimed(byClaims.verdict)),
  };
}

/** Of what is believed, what the registry fetched alone, where that is enough for a verdict on today's price. */
function bestBasis(believed: readonly JudgedPoint[], claim: DiscountClaim): readonly JudgedPoint[] {
  const fetched = believed.filter(isFetched);
  if (fetched.length === 0 || fetched.at(-1) !== believed.at(-1)) return believed;
  return assess(pointsOf(fetched), claim)!.verdict === "insufficient_history" ? believed : fetched;
}

const shownAs = <V extends string>(assessment: Assessment, verdict: V) => ({
  verdict,
  since: timeOfSeconds(assessment.sinceSeconds),
  price_minor: assessment.priceMinor,
  prior_price_minor: assessment.priorMinor ?? null,
  actual_percent: assessment.actualPercent === undefined ? null : round(assessment.actualPercent, 2),
  announced_percent: assessment.announcedPercent === undefined ? null : round(assessment.announcedPercent, 2),
  coverage: round(assessment.coverage),
  rule: RULE,
});

/** What a verdict rests on: fetched only where all of it is. */
function basedOn(judged: readonly JudgedPoint[], isFetched: boolean) {
  const { point, source } = judged.at(-1)!;
  return isFetched
    ? priceEvidence(source, point[0])
    : { kind: "reported" as const, at: timeOfSeconds(point[0]), url: null };
}

const claimed = (verdict: PriceVerdict): ClaimedPriceVerdict =>
  verdict === "insufficient_history" ? verdict : `claimed_${verdict}`;
