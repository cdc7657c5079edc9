/** The Dark Pattern Detector's task of a scan thread. */
import { type Snapshot, scanDarkPatterns } from "../../../src/detectors/dark-pattern/rules.ts";
import { pageDigest, sha256 } from "../common/digest.ts";
import { decoded, type PageText } from "../common/page-text.ts";

export interface ScanInput {
  url: string | undefined;
  html: PageText | undefined;
  text: PageText | undefined;
  later: Snapshot | undefined;
  secondsLater: number | undefined;
}

/** Scans and hashes what was sent or fetched. */
export const scan = ({ url, later, secondsLater, ...page }: ScanInput) => {
  const [html, text] = [decoded(page.html), decoded(page.text)];
  const result = scanDarkPatterns({ first: { html, text }, later, secondsLater });
  return { ...result, input_sha256: sha256(pageDigest(url, html, text), later?.html, later?.text) };
};
