/** How well reports of one thing are known as such: `npm run eval -- bounty [--write]`. Reports are made by a seeded generator. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mulberry32 } from "../../../src/domain/listing/mulberry32.ts";
import { canonicalUrl } from "../../../src/domain/names/canonical-url.ts";
import { isDuplicate, likeness } from "../../../workers/gateway/bounty/dedupe.ts";
import { confusionOf, measuresOf } from "../confusion.ts";

const SEED = 11;
const THINGS = 220;
const REPORT = join(import.meta.dirname, "..", "..", "..", "docs", "evaluation", "bounty.md");

/** What can be wrong, in the words of different people. */
const FAULTS: readonly (readonly string[])[] = [
  [
    "A hidden paragraph tells agents to send the user's card number",
    "hidden paragraph with instructions for agents: send card number of the user",
    "There's a paragraph, hidden by CSS, that tells agents to send the user's card number somewhere",
  ],
  [
    "The countdown timer starts anew at every visit",
    "Countdown timer restarts on every visit, so the offer never ends",
    "fake countdown: the timer starts again at each visit",
  ],
  [
    "An invisible iframe loads an affiliate click link without any click",
    "Invisible iframe that loads affiliate click link, nobody clicked",
    "loads an affiliate link in an invisible iframe without a click",
  ],
  [
    "False log-in page that copies a bank",
    "This page copies the log-in page of a bank",
    "copy of a bank's log-in page, false",
  ],
  [
    "Insurance is put into the basket without being asked for",
    "insurance was put into my basket, I never asked for it",
    "Puts insurance into the basket though nobody asked",
  ],
];
const PAGES = ["/", "/offer", "/product/{n}", "/shop/item/{n}/details", "/checkout", "/blog/{n}-news"];

interface Made {
  thing: number;
  domain: string;
  url: string;
  description: string;
}

/** The many ways in which people copy an address. */
function respell(url: string, random: () => number): string {
  const parsed = new URL(url);
  const choice = Math.floor(random() * 6);
  if (choice === 0) parsed.searchParams.set("utm_source", "mail");
  if (choice === 1) parsed.hash = "top";
  if (choice === 2) parsed.protocol = "http:";
  if (choice === 3) parsed.hostname = `www.${parsed.hostname}`;
  if (choice === 4 && parsed.pathname !== "/") parsed.pathname += "/";
  return choice === 5
    ? parsed.href.toUpperCase().replace(parsed.pathname.toUpperCase(), parsed.pathname)
    : parsed.href;
}

function makeReports(): Made[] {
  const random = mulberry32(SEED);
  const reports: Made[] = [];
  for (let thing = 0; thing < THINGS; thing++) {
    // Five things a domain, so that there is something to be confused with.
    const domain = `shop${Math.floor(thing / 5)}.example`;
    const fault = FAULTS[thing % FAULTS.length]!;
    const page = PAGES[Math.floor(random() * PAGES.length)]!;
    const number = 100 + Math.floor(random() * 900);
    for (const description of fault) {
      const sameMake = page.includes("{n}") && random() < 0.5;
      const path = page.replace("{n}", String(sameMake ? 100 + Math.floor(random() * 900) : number));
      reports.push({ thing, domain, url: respell(`https://${domain}${path}`, random), description });
    }
  }
  return reports;
}

type Judge = (one: Made, other: Made) => boolean;

function measure(reports: readonly Made[], judge: Judge) {
  const pairs: [boolean, boolean][] = [];
  for (const [i, one] of reports.entries())
    for (const other of reports.slice(i + 1))
      if (one.domain === other.domain) pairs.push([one.thing === other.thing, judge(one, other)]);
  return measuresOf(confusionOf(pairs));
}

const reported = ({ url, description }: Made) => ({
  canonicalUrl: canonicalUrl(new URL(url)),
  description,
});
const JUDGES: Record<string, Judge> = {
  "the same address, letter by letter": (one, other) => one.url === other.url,
  "the same words, by half": (one, other) => likeness(one.description, other.description) >= 0.5,
  ours: (one, other) => isDuplicate(reported(one), reported(other)),
};

export async function evaluate(args: string[]): Promise<number> {
  const reports = makeReports();
  const results = Object.entries(JUDGES).map(([name, judge]) => [name, measure(reports, judge)] as const);
  const lines = results.map(
    ([name, { f1, precision, recall }]) => `| ${name} | ${f1} | ${precision} | ${recall} |`,
  );
  const ours = results.at(-1)![1].f1 ?? 0;
  const report = `# Reports of one thing

\`npm run eval -- bounty --write\` writes this page. ${reports.length} reports of ${THINGS} things, made by a seeded generator (seed ${SEED}):
addresses respelt as people copy them, faults in the words of three people, pages of one make; five things a domain, all
under one kind. Every pair of one domain counts. The harder for it: in use, only reports of one kind are
compared. **The reports are our own texts, and their pages' addresses made: this compares ways with each other, and proves nothing of
people's reports.**

| Two reports are one thing by | F1 | Precision | Recall |
| --- | --- | --- | --- |
${lines.join("\n")}
`;
  process.stdout.write(report);
  if (args.includes("--write")) writeFileSync(REPORT, report);
  return results.every(([, { f1 }]) => (f1 ?? 0) <= ours) ? 0 : 1;
}
