/** What goes into the thread that reads pages, and what comes out of it. Apart from page.ts, which loads the parsers. */
import type { PageEvidence } from "./evidence.ts";

/** Characters of page text kept: a bound on what is compressed to 8 KiB. */
export const MAX_TEXT_CHARS = 20_000;

/** An answer that says it is HTML. */
export interface PageAnswer {
  body: Uint8Array;
  /** The Content-Type field. */
  contentType: string;
  /** The X-Robots-Tag field without the names of crawlers that mean us; empty when there is none. */
  robotsTag: string;
  /** Where it came from, redirects followed. */
  url: string;
  /** The site's home page: only links that lead on from there are kept. */
  home: string;
}

export interface SeenPage {
  title: string;
  /** The html element's `lang`. */
  language: string | null;
  text: string;
  noindex: boolean;
  /** Absolute addresses worth reading, at most 100; none when the page or its answer says nofollow. */
  links: string[];
  evidence: PageEvidence;
}
