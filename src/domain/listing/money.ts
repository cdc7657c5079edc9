/** Amounts in integer minor units, such as cents (ISO 4217). */

/** Digits after the point: EUR 2, JPY 0, KWD 3. */
export const minorDigits = (currency: string): number =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** @returns undefined for an amount with more digits than the currency, a negative one, or one beyond exact integers */
export const toMinor = (amount: number, currency: string): number | undefined => {
  const digits = minorDigits(currency);
  const minor = Math.round(amount * 10 ** digits);
  const isExact = Math.abs(amount * 10 ** digits - minor) < 1e-6 * Math.max(1, Math.abs(amount));
  return isExact && minor >= 0 && Number.isSafeInteger(minor) ? minor : undefined;
};

export const fromMinor = (minor: number, currency: string): number =>
  Number((minor / 10 ** minorDigits(currency)).toFixed(minorDigits(currency)));
