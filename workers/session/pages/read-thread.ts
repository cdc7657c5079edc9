/** Threads of the session role that read pages for `readPage`: Markdown of a stranger's page, and the firewall's scan of it. */
import type { TextRole } from "../../../schemas/finding.ts";
import type { ScannedText } from "../../../schemas/read-page.ts";
import { readMarkdown } from "../../../src/browser/markdown.ts";
import type { PageReply } from "../../../src/browser/page-source.ts";
import { pageSource } from "../../../src/browser/read-source.ts";
import type { LinkFinding } from "../../../src/detectors/firewall/links.ts";
import { scanFirewall } from "../../../src/detectors/firewall/rules.ts";
import { readScreened } from "./screened-page.ts";

export interface ReadJob {
  reply: PageReply;
  /** What was confirmed of the address before. */
  reported: readonly LinkFinding[];
  /** The site is verified and listed. */
  isVerifiedHost: boolean;
}

export interface ToScreen {
  texts: readonly string[];
  /** What they are to the agent; default: a page. */
  role?: TextRole | undefined;
}

/** Reads and scans a page, which is shown without what was found in it. */
export function read({ reply, reported, isVerifiedHost }: ReadJob) {
  const source = pageSource(reply);
  const { page, result } = readScreened(source, { reported, isVerifiedHost });
  const { verdict_when_cut: verdict, risk_score, findings } = result;
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
export function screen({ texts, role }: ToScreen): ScannedText {
  const { verdict, risk_score, findings } = scanFirewall({
    ...{ url: undefined, html: undefined, role },
    text: texts.join("\n\n"),
  });
  return { verdict, risk_score, findings };
}
