/**
 * Everything that reads strangers' bytes, one entry a parser. docs/evaluation/time.md has a row for each and no other, which
 * a test holds it to: a parser that is added here is measured before it is merged.
 */
import type { Parser } from "./parser.ts";
import { DOCUMENTS } from "./parsers/documents.ts";
import { FIELDS } from "./parsers/fields.ts";
import { NAMES } from "./parsers/names.ts";
import { PAGES, TEXTS } from "./parsers/pages.ts";

export type { Parser };

export const PARSERS: readonly Parser[] = [...PAGES, ...TEXTS, ...FIELDS, ...NAMES, ...DOCUMENTS];
