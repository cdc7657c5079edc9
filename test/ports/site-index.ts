/** What every SiteIndex must do. Each implementation's test calls this with a way to open a fresh, empty index. */
import { describe } from "vitest";
import { counting } from "./site-index/counting.ts";
import { filters } from "./site-index/filters.ts";
import { finding } from "./site-index/finding.ts";
import { meaning } from "./site-index/meaning.ts";
import { otherReads } from "./site-index/other-reads.ts";
import { paging } from "./site-index/paging.ts";
import { revisions } from "./site-index/revisions.ts";
import type { Open } from "./site-index/support.ts";
import { together } from "./site-index/together.ts";
import { turns } from "./site-index/turns.ts";

/** Runs the suite against one implementation; `open` gives a fresh, empty index each time. */
export function siteIndexSuite(name: string, open: Open): void {
  describe(name, () => {
    revisions(open);
    filters(open);
    finding(open);
    turns(open);
    counting(open);
    paging(open);
    otherReads(open);
    meaning(open);
    together(open);
  });
}
