/** The text of a site: that of its pages, each in its place, so that a page that is read again replaces its own. Pure. */
import { createHash } from "node:crypto";
import type { SiteContent } from "../../../schemas/site.ts";
import { fitText } from "../../stores/contents.ts";
import { MAX_TEXT_CHARS } from "./seen-page.ts";
import type { PagesVisit } from "./site-pages.ts";

type Texts = Pick<SiteContent, "text"> & Required<Pick<SiteContent, "pages">>;

/**
 * @param before what was kept
 * @param closed pages that must not be read any more
 */
export function textAfter(
  before: Pick<SiteContent, "text" | "pages"> | undefined,
  { read, gone }: PagesVisit,
  closed: readonly string[],
): Texts {
  const texts = textsOf(before);
  for (const page of [...gone, ...closed]) texts.delete(keyOf(page));
  for (const { page, text, noindex } of read) {
    if (noindex) texts.delete(keyOf(page));
    else texts.set(keyOf(page), text.trim());
  }
  const parts = [...texts].filter(([, text]) => text !== "");
  const whole = parts.map(([, text]) => text).join("\n");
  const text = fitText(whole.slice(0, MAX_TEXT_CHARS));
  const pages: Texts["pages"] = [];
  let at = 0;
  for (const [key, { length }] of parts) {
    const chars = Math.min(length, text.length - at);
    if (chars <= 0) break;
    pages.push({ key, chars });
    at += chars + 1;
  }
  return { text, pages };
}

/** Texts of pages by their keys, in order. Before pages were told apart, none are known. */
function textsOf(content: Pick<SiteContent, "text" | "pages"> | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  let at = 0;
  for (const { key, chars } of content?.pages ?? []) {
    texts.set(key, content!.text.slice(at, at + chars));
    // A line end stands between two.
    at += chars + 1;
  }
  return texts;
}

const keyOf = (page: string): string => createHash("sha256").update(page).digest("base64url").slice(0, 12);
