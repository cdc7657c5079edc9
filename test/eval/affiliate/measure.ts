/** Recall over programmes, false alarms over ordinary links, and the manipulating pages beside their twins. */
import { affiliateOf, cleanUrlOf } from "../../../src/detectors/affiliate/addresses.ts";
import { scanPage } from "../../../src/detectors/affiliate/rules.ts";
import { readPageModel } from "../../../src/pages/page-model.ts";
import { ORDINARY_LINKS, PAID_LINKS } from "./links.ts";
import { PAGE_CASES, PAGE_URL } from "./pages.ts";

export interface Measure {
  programmes: number;
  programmesFound: number;
  links: number;
  linksFound: number;
  idsRight: number;
  cleanKnown: number;
  cleanRight: number;
  ordinary: number;
  falseAlarms: number;
  pages: number;
  pagesFound: number;
  twinsAlarmed: number;
  misses: string[];
}

const rulesOf = (html: string): string[] =>
  scanPage(readPageModel(html), new URL(PAGE_URL)).findings.map(({ rule_id }) => rule_id);

export function measure(): Measure {
  const misses: string[] = [];
  const say = (ok: boolean, what: string): boolean => {
    if (!ok) misses.push(what);
    return ok;
  };
  const links = PAID_LINKS.map((one) => ({ one, seen: affiliateOf(new URL(one.url)) }));
  const found = links.filter(({ one, seen }) =>
    say(seen?.program === one.program, `${one.program}: ${one.url}`),
  );
  const missed = new Set(links.filter((each) => !found.includes(each)).map(({ one }) => one.program));
  const programmes = new Set(PAID_LINKS.map(({ program }) => program));
  const known = links.filter(({ one }) => one.clean !== undefined);
  const alarms = ORDINARY_LINKS.filter(
    (url) => !say(affiliateOf(new URL(url)) === undefined, `ordinary: ${url}`),
  );
  return {
    programmes: programmes.size,
    programmesFound: [...programmes].filter((name) => !missed.has(name)).length,
    links: links.length,
    linksFound: found.length,
    idsRight: links.filter(({ one, seen }) => say(seen?.id === one.id, `id ${seen?.id}: ${one.url}`)).length,
    cleanKnown: known.length,
    cleanRight: known.filter(({ one }) =>
      say(cleanUrlOf(new URL(one.url)) === one.clean, `clean ${cleanUrlOf(new URL(one.url))}: ${one.url}`),
    ).length,
    ordinary: ORDINARY_LINKS.length,
    falseAlarms: alarms.length,
    pages: PAGE_CASES.length,
    pagesFound: PAGE_CASES.filter(({ name, rule, page }) =>
      say(rulesOf(page).includes(rule), `page: ${name}`),
    ).length,
    twinsAlarmed: PAGE_CASES.filter(
      ({ name, rule, twin }) => !say(!rulesOf(twin).includes(rule), `twin: ${name}`),
    ).length,
    misses,
  };
}
