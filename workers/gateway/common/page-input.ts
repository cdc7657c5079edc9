/** What a request says of one page: for contracts. */
import { z } from "zod";
import { MAX_HTML_CHARS } from "../../../schemas/common.ts";
import { WEB_ADDRESS_PATTERN } from "../../../src/rpc/validation.ts";

/** A page of 2 MiB in UTF-8, which is what is read of one that is fetched, with its quotes and line ends escaped. */
export const PAGE_BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** Members of a request that describe one page; each is optional, none is trusted. */
export const PageInput = z.object({
  url: z.string().min(1).max(2_048).optional().meta({
    pattern: WEB_ADDRESS_PATTERN,
    description: "Address of the page. Fetched when no html is sent",
    example: "https://shop.example/",
  }),
  html: z
    .string()
    .max(MAX_HTML_CHARS)
    .optional()
    .meta({ description: "The page's HTML, at most 2 Mi units", "x-any-text": true }),
  text: z
    .string()
    .max(MAX_HTML_CHARS)
    .optional()
    .meta({ description: "Plain text, at most 2 Mi units", "x-any-text": true }),
});
export type PageInput = z.output<typeof PageInput>;

/** What JSON Schema says of a body that needs one of these members; `observePage` refuses one without. */
export const oneOfThese = (...names: string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) });
