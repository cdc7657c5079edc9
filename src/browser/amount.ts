/** Amounts of money as totals and limits are written: "14.90 EUR". Pure. */
import { isCurrency } from "../../schemas/currency.ts";
import { minorDigits } from "../domain/listing/money.ts";

/** An amount of money as it is written here: "14.90" and "EUR". */
export interface Total {
  amount: string;
  currency: string;
}

/** Of so many of the currency's smallest unit; undefined beyond exact integers. */
export function ofMinor(minor: number, currency: string): Total | undefined {
  if (!Number.isSafeInteger(minor)) return undefined;
  const digits = minorDigits(currency);
  const text = String(minor).padStart(digits + 1, "0");
  if (digits === 0) return { amount: text, currency };
  return { amount: `${text.slice(0, -digits)}.${text.slice(-digits)}`, currency };
}

export const totalText = ({ amount, currency }: Total): string => `${amount} ${currency}`;

/** A total as callers write it, "14.90 EUR" or "14.9 EUR"; undefined for what is none. */
export function readTotal(text: string): Total | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,4})?) ([A-Z]{3})$/.exec(text);
  if (!match || !isCurrency(match[2]!)) return undefined;
  const [, figure, currency] = match as unknown as [string, string, string];
  const digits = minorDigits(currency);
  const [whole = "0", decimals = ""] = figure.split(".");
  if (decimals.length > digits) return undefined;
  const units = whole.replace(/^0+(?=\d)/, "");
  return { amount: digits === 0 ? units : `${units}.${decimals.padEnd(digits, "0")}`, currency };
}

/** Whether a total is greater than a limit; undefined where their currencies differ. */
export const isAbove = (total: Total, limit: Total): boolean | undefined =>
  total.currency === limit.currency ? minorOf(total) > minorOf(limit) : undefined;

/** In the currency's smallest unit. */
export const minorOf = ({ amount }: Total): number => Number(amount.replace(".", ""));
