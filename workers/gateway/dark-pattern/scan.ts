/** The Dark Pattern Detector's task of a scan thread. */
import { type Snapshot, scanDarkPatterns } from "../../../src/detectors/dark-pattern/rules.ts";
import { decoded } from "../common/decoded-text.ts";
import { pageDigest, sha256 } from "../common/digest.ts";
import type { SentText } from "../common/page-text.ts";

export interface DarkPatternScanInput {
  url: string | undefined;
  html: SentText | undefined;
  text: SentText | undefined;
  /** The rest of the page was not seen. */
  isPart: boolean;
  later: Snapshot | undefined;
  secondsLater: number | undefined;
}

/** Scans and hashes what was sent or fetched. */
export function scanForDarkPatterns({ url, later, secondsLater, isPart, ...page }: DarkPatternScanInput) {
  const [html, text] = [decoded(page.html), decoded(page.text)];
  const result = scanDarkPatterns({ first: { html, text, isPart }, later, secondsLater });
  return { ...result, input_sha256: sha256(pageDigest(url, html, text), later?.html, later?.text) };
}
