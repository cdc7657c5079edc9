import { describe, expect, it } from "vitest";
import type { PageMeasures, SitePages } from "../../schemas/site-pages.ts";
import { PageQueue } from "../../src/crawl/pages/page-queue.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import { START_MS } from "../workers/crawler/observations.ts";

const HOME = new URL("https://shop.example/");
const at = (path: string): string => new URL(path, HOME).href;
const FAIR: PageMeasures = {
  dark: 1,
  affiliate: 1,
  trackers: 1,
  ownership: 1,
  malicious: false,
  paid: false,
  parent: false,
};
/** Pages with the days since they were seen. */
const knownOf = (
  days: Record<string, number>,
  measures: Record<string, Partial<PageMeasures>> = {},
  tried: Record<string, number> = {},
  now = START_MS,
): SitePages => ({
  v: 1,
  pages: Object.entries(days).map(([path, ago]) => ({
    page: at(path),
    seen_at: iso(now - ago * DAY_MS),
    text_hash: "",
    measures: { ...FAIR, ...measures[path] },
    findings: [],
  })),
  unread: Object.entries(tried).map(([path, ago]) => ({
    page: at(path),
    tried_at: iso(now - ago * DAY_MS),
  })),
});
/** The first pages that a visit asks for, where the home page has these links. */
function asked(known: SitePages | undefined, links: string[], count = 3, now = START_MS): string[] {
  const queue = new PageQueue(HOME, known, now);
  const first = queue.next()!;
  queue.add(links.map(at));
  const later = Array.from({ length: count - 1 }, () => queue.next()?.pathname);
  return [first.pathname, ...later.filter((path) => path !== undefined)];
}

describe("the pages that a visit asks for", () => {
  it("are, on a first visit, the home page and its links in their order", () => {
    expect(asked(undefined, ["/b", "/a", "/c"])).toEqual(["/", "/b", "/a"]);
  });

  it("are the home page and others than last time", () => {
    const known = knownOf({ "/": 1, "/a": 1, "/b": 1 });
    expect(asked(known, ["/a", "/b", "/c", "/d"]).toSorted()).toEqual(["/", "/c", "/d"]);
    expect(asked(known, ["/a", "/b", "/c"], 2)).toEqual(["/", "/c"]);
  });

  it("are those that were seen longest ago where none is new", () => {
    expect(asked(knownOf({ "/": 1, "/a": 3, "/b": 9, "/c": 5 }), ["/a", "/b"])).toEqual(["/", "/b", "/c"]);
  });

  it("are pages of a month ago before new ones: a site without end is read again, too", () => {
    expect(asked(knownOf({ "/": 1, "/a": 31, "/b": 9 }), ["/new"])).toEqual(["/", "/a", "/new"]);
  });

  it("are in the end all that there are, of more than are kept in mind", () => {
    const links = Array.from({ length: 90 }, (_, i) => `/${i}`);
    const seen = new Set<string>();
    let days: Record<string, number> = {};
    for (let visit = 0; visit < 400 && seen.size < 91; visit++) {
      const at = START_MS + visit * DAY_MS;
      const now = asked(knownOf(days, {}, {}, at), links, 3, at);
      for (const path of now) seen.add(path);
      const older = Object.entries(days).map(([path, ago]) => [path, ago + 1] as const);
      const kept = older.filter(([path]) => !now.includes(path)).slice(-47);
      days = Object.fromEntries([...kept, ...now.map((path) => [path, 1] as const)]);
    }
    expect(seen.size).toBe(91);
  });

  it("are first of all those that attack machines, and one that speaks against the site", () => {
    const known = knownOf(
      { "/": 1, "/evil": 1, "/worse": 2, "/sale": 1, "/paid": 2 },
      {
        "/evil": { malicious: true },
        "/worse": { malicious: true },
        "/sale": { dark: 0.4 },
        "/paid": { paid: true },
      },
    );
    expect(asked(known, ["/new", "/other"], 5)).toEqual(["/", "/worse", "/evil", "/paid", expect.anything()]);
    expect(asked(known, ["/new"], 5).at(-1)).toBe("/new");
  });

  it("are not every time the same that give nothing", () => {
    const known = knownOf({ "/": 1, "/a": 2 }, {}, { "/dead": 1, "/a": 0 });
    expect(asked(known, ["/dead", "/new"])).toEqual(["/", "/new", "/dead"]);
  });

  it("are each once, and none when there are none", () => {
    expect(asked(knownOf({ "/": 1 }), ["/", "/a", "/a"], 5)).toEqual(["/", "/a"]);
  });
});
