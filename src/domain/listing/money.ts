/** Amounts in integer minor units, such as cents (ISO 4217). */

import { minorDigits } from "../../../schemas/currency.ts";

export { minorDigits };

/** @returns undefined for an amount with more digits than the currency, a negative one, or one beyond exact integers */
export function toMinor(amount: number, currency: string): number | undefined {
  const digits = minorDigits(currency);
  const minor = Math.round(amount * 10 ** digits);
  const isExact = Math.abs(amount * 10 ** digits - minor) < 1e-6 * Math.max(1, Math.abs(amount));
  return isExact && minor >= 0 && Number.isSafeInteger(minor) ? minor : undefined;
}

export const fromMinor = (minor: number, currency: string): number =>
  Number((minor / 10 ** minorDigits(currency)).toFixed(minorDigits(currency)));
