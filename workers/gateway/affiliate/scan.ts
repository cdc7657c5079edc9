/** The module's task of a scan thread. */
import { scanHtml } from "../../../src/detectors/affiliate/rules.ts";
import { decoded } from "../common/decoded-text.ts";
import { sha256 } from "../common/digest.ts";
import type { SentText } from "../common/page-text.ts";

export interface AffiliateScanInput {
  html: SentText;
  url: string | undefined;
  /** What is hashed before the page. */
  hashedBefore: string;
}

/** Scans and hashes a page. */
export function scanForAffiliateLinks({ html: sent, url, hashedBefore }: AffiliateScanInput) {
  const html = decoded(sent);
  return { page: scanHtml({ html, url }), sha256: sha256(hashedBefore, html) };
}
