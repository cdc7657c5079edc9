/** Threads of the session role that read pages for `readPage`: Markdown of a stranger's page, and the firewall's scan of it. */
import type { ScannedText } from "../../../schemas/read-page.ts";
import { readMarkdown } from "../../../src/browser/markdown.ts";
import { readBrowserPage } from "../../../src/browser/page.ts";
import { isMarkup, type PageReply } from "../../../src/browser/page-source.ts";
import { pageSource } from "../../../src/browser/read-source.ts";
import type { LinkFinding } from "../../../src/detectors/firewall/links.ts";
import { scanFirewall } from "../../../src/detectors/firewall/rules.ts";

export interface ReadJob {
  reply: PageReply;
  /** What was confirmed of the address before. */
  reported: readonly LinkFinding[];
  /** The site is verified and listed. */
  isVerifiedHost: boolean;
}

/** Reads and scans a page. */
export function read({ reply, reported, isVerifiedHost }: ReadJob) {
  const source = pageSource(reply);
  const page = readBrowserPage(source);
  const isHtml = isMarkup(source.mediaType);
  const { verdict, risk_score, findings } = scanFirewall({
    url: source.url,
    html: isHtml ? page.model : undefined,
    text: isHtml ? undefined : source.text,
    isUnseen: page.truncated || source.status >= 400,
    isVerifiedHost,
    reported,
  });
  return {
    firewall: { verdict, risk_score, findings },
    url: page.url.href,
    status: source.status,
    title: page.title,
    language: page.language,
    content: readMarkdown(page),
  };
}

/** Scans texts that a site showed, as one. */
export function screen(texts: readonly string[]): ScannedText {
  const { verdict, risk_score, findings } = scanFirewall({
    url: undefined,
    html: undefined,
    text: texts.join("\n\n"),
  });
  return { verdict, risk_score, findings };
}
