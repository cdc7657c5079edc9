/**
 * The public ladder of prices: the R40 series of preferred numbers (ISO 3:1973), of which each is at least 5 % above the one
 * before. A revealed cap is rounded down to it before anything else is done with it: a price to the cent would tell all
 * buyers but one the last one's cap. So nothing that follows from a cap, in one pool or in many, reveals more of it than between
 * which two steps it lies.
 */

/** One decade of R40, in hundredths. */
const R40 = [
  100, 106, 112, 118, 125, 132, 140, 150, 160, 170, 180, 190, 200, 212, 224, 236, 250, 265, 280, 300, 315,
  335, 355, 375, 400, 425, 450, 475, 500, 530, 560, 600, 630, 670, 710, 750, 800, 850, 900, 950,
] as const;
/** Steps of whole minor units below the first full decade: further apart, for a step of one cent would reveal a cap. */
const LOW = [0, 5, 10, 20, 50] as const;

export const LADDER = "ISO 3 R40, in minor units; below 100: 0, 5, 10, 20, 50";

/** The lowest step that is not below an amount: caps on it or above pay the amount for certain. */
export const stepAtOrAbove = (amountMinor: number): number =>
  stepOf(amountMinor) === amountMinor ? amountMinor : nextLadderStep(amountMinor);

/** The highest step at or below an amount, minor units. */
export function stepOf(amountMinor: number): number {
  if (amountMinor < R40[0]) return LOW.findLast((step) => step <= amountMinor) ?? 0;
  let decade = 1;
  while (R40[0] * decade * 10 <= amountMinor) decade *= 10;
  return R40.findLast((step) => step * decade <= amountMinor)! * decade;
}

/** The step after the one that an amount lies on: caps from `stepOf` up to here, exclusive, are one to everybody. */
export function nextLadderStep(amountMinor: number): number {
  if (amountMinor < R40[0]) return LOW.find((step) => step > amountMinor) ?? R40[0];
  let decade = 1;
  while (R40[0] * decade * 10 <= amountMinor) decade *= 10;
  return (R40.find((step) => step * decade > amountMinor) ?? R40[0] * 10) * decade;
}
