/** Currencies as requests and replies name them, and how many digits their amounts have (ISO 4217). */
import { z } from "zod";

/**
 * Digits after the point, by code: ISO 4217 list one as of 1 January 2026 (SIX, `list-one.xml`), without what has no minor
 * unit (metals, units of account, codes for tests). Not the host's ICU: CLDR's digits are those of cash and change with
 * its versions, so the same stored minor units would be other amounts on another host.
 */
const CURRENT: Readonly<Record<number, string>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

/** Codes of list three that were withdrawn since 2011: prices of pages and histories still name them. */
const WITHDRAWN: Readonly<Record<number, string>> = {
  0: "BYR",
  2: "ANG BGN CUC EEK HRK LTL LVL MRO SLL STD VEF ZMK ZWL",
};

const DIGITS: ReadonlyMap<string, number> = new Map(
  [CURRENT, WITHDRAWN].flatMap((table) =>
    Object.entries(table).flatMap(([digits, codes]) =>
      codes.split(" ").map((code): [string, number] => [code, Number(digits)]),
    ),
  ),
);

export const isCurrency = (code: string): boolean => DIGITS.has(code);

export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .refine(isCurrency, { error: "must be an ISO 4217 code" })
  .meta({ description: "ISO 4217", example: "EUR" });

/** Digits after the point: EUR 2, JPY 0, KWD 3. @param code of a currency; 2 for what is none */
export const minorDigits = (code: string): number => DIGITS.get(code) ?? 2;
