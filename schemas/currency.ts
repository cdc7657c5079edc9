/** Currencies as requests and replies name them (ISO 4217). */
import { z } from "zod";

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

export const isCurrency = (code: string): boolean => CURRENCIES.has(code);

export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .refine(isCurrency, { error: "must be an ISO 4217 code" })
  .meta({ description: "ISO 4217", example: "EUR" });
