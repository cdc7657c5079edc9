/** Text of a page in a scan thread. */
import { decodeBody } from "../../../src/pages/body-encoding.ts";
import type { SentText } from "./page-text.ts";

export const decoded = <T extends SentText | undefined>(text: T): string | Extract<T, undefined> =>
  (typeof text === "object" ? decodeBody(text.bytes, text.contentType) : text) as
    | string
    | Extract<T, undefined>;
