/** The Dark Pattern Detector's task of a scan thread. */
import { type Snapshot, scanDarkPatterns } from "../../../src/detectors/dark-pattern/rules.ts";
import { decoded } from "../common/decoded-text.ts";
import { pageDigest, sha256 } from "../common/digest.ts";
import type { PageText } from "../common/page-text.ts";

export interface ScanInput {
  url: string | undefined;
  html: PageText | undefined;
  text: PageText | undefined;
  /** The rest of the page was not seen. */
  isPart: boolean;
  later: Snapshot | undefined;
  secondsLater: number | undefined;
}

/** Scans and hashes what was sent or fetched. */
export function scan({ url, later, secondsLater, isPart, ...page }: ScanInput) {
  const [html, text] = [decoded(page.html), decoded(page.text)];
  const result = scanDarkPatterns({ first: { html, text, isPart }, later, secondsLater });
  return { ...result, input_sha256: sha256(pageDigest(url, html, text), later?.html, later?.text) };
}
