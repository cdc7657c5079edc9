/** The firewall's task of a scan thread. */
import type { TextRole } from "../../../schemas/finding.ts";
import type { LinkFinding } from "../../../src/detectors/firewall/links.ts";
import { roleOf } from "../../../src/detectors/firewall/role.ts";
import { joinTexts, scanFirewall } from "../../../src/detectors/firewall/rules.ts";
import { decoded } from "../common/decoded-text.ts";
import { pageDigest } from "../common/digest.ts";
import type { SentText } from "../common/page-text.ts";

export interface FirewallScanInput {
  url: string | undefined;
  html: SentText | undefined;
  text: SentText | undefined;
  /** HTML or plain text, as its markup shows; beside `html` it is text. */
  content: string | undefined;
  /** As in FirewallInput; default: by the address. */
  role: TextRole | undefined;
  isUnseen: boolean;
  isVerifiedHost: boolean;
  /** What was confirmed of the address before. */
  reported: readonly LinkFinding[];
}

/** Scans and hashes what was sent or fetched. */
export function scanForAttacks(input: FirewallScanInput) {
  const { url, content, isUnseen, isVerifiedHost, reported } = input;
  const [html, text] = [decoded(input.html), decoded(input.text)];
  const { content_is_html: isHtml, ...result } = scanFirewall({
    url,
    html,
    text,
    content,
    role: input.role ?? roleOf(url),
    isUnseen,
    isVerifiedHost,
    reported,
  });
  const input_sha256 = isHtml
    ? pageDigest(url, content, text)
    : pageDigest(url, html, joinTexts(text, content));
  return { ...result, input_sha256 };
}
