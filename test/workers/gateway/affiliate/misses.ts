/** What is told wrongly of links of programmes, of ordinary links, and of manipulating pages beside their honest twins. */
import { affiliateOf, cleanUrlOf } from "../../../../src/detectors/affiliate/addresses.ts";
import { scanPage } from "../../../../src/detectors/affiliate/rules.ts";
import { readPageModel } from "../../../../src/pages/page-model.ts";
import { ORDINARY_LINKS, PAID_LINKS } from "./links.ts";
import { PAGE_CASES, PAGE_URL } from "./pages.ts";

/** A line for each. */
export function misses(): string[] {
  return [
    ...PAID_LINKS.flatMap(missesOfLink),
    ...ORDINARY_LINKS.flatMap(falseAlarms),
    ...PAGE_CASES.flatMap(missesOfPage),
  ];
}

function missesOfLink(link: (typeof PAID_LINKS)[number]): string[] {
  const address = new URL(link.url);
  const seen = affiliateOf(address);
  const clean = cleanUrlOf(address);
  return [
    ...(seen?.program === link.program ? [] : [`${link.program}: ${link.url}`]),
    ...(seen?.id === link.id ? [] : [`id ${seen?.id}: ${link.url}`]),
    ...(link.clean === undefined || clean === link.clean ? [] : [`clean ${clean}: ${link.url}`]),
  ];
}

function falseAlarms(url: string): string[] {
  return affiliateOf(new URL(url)) === undefined ? [] : [`ordinary: ${url}`];
}

function missesOfPage({ name, rule, page, twin }: (typeof PAGE_CASES)[number]): string[] {
  return [
    ...(rulesOf(page).includes(rule) ? [] : [`page: ${name}`]),
    ...(rulesOf(twin).includes(rule) ? [`twin: ${name}`] : []),
  ];
}

function rulesOf(html: string): string[] {
  return scanPage(readPageModel(html), new URL(PAGE_URL)).findings.map(({ rule_id }) => rule_id);
}
