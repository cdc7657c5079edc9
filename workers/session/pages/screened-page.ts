/** A page as agents are shown it: judged, and without what the firewall found in it. Every door of a session reads it here. */
import { type BrowserPage, readBrowserPage } from "../../../src/browser/page.ts";
import { isMarkup, type PageSource } from "../../../src/browser/page-source.ts";
import { roleOf } from "../../../src/detectors/firewall/role.ts";
import {
  type FirewallInput,
  type FirewallResult,
  scanAndCut,
} from "../../../src/detectors/firewall/rules.ts";
import { pageTitle } from "../../../src/pages/page-parts.ts";

/** @param known what is known of the address beside its page */
export function readScreened(
  source: PageSource,
  known: Pick<FirewallInput, "reported" | "isVerifiedHost"> = {},
): { page: BrowserPage; result: FirewallResult } {
  const { url, status } = source;
  const input = { ...known, url, role: roleOf(url) };
  if (!isMarkup(source.mediaType)) {
    const isUnseen = source.cut === true || status >= 400;
    const { result, pages } = scanAndCut({ ...input, html: undefined, text: source.text, isUnseen });
    return { page: readBrowserPage({ ...source, text: pages[0]!.source }), result };
  }
  const page = readBrowserPage(source);
  const isUnseen = page.truncated || status >= 400;
  const { result, pages } = scanAndCut({ ...input, html: page.model, text: undefined, isUnseen });
  const model = pages[0]!;
  return { page: { ...page, model, title: pageTitle(model) }, result };
}
