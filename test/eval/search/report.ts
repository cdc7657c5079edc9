/** The findings as gates and as a report. Pure. */
import type { Agreement } from "./agreement.ts";
import type { Evenness } from "./exposure.ts";
import { type MarketResult, SYSTEMS } from "./fairness.ts";
import { LIES } from "./market.ts";
import type { Answered, Band } from "./questions.ts";
import type { Relevance } from "./relevance.ts";
import type { Judged } from "./sentences.ts";
import { SYSTEMS as ASKED_BY, type AskedSet, wilson } from "./sets.ts";
import type { Done } from "./strangers.ts";

export interface Findings {
  market: MarketResult;
  /** Markets of other seeds, ours alone. */
  further?: MarketResult[];
  /** A market in which no site is named after its trade. */
  unnamed?: MarketResult;
  relevance?: Relevance;
  agreement?: Agreement;
  /** Everyday sentences, and the same by static vectors. */
  sentences?: Record<"given" | "still", Judged>;
  strangers?: Done;
  /** Every set of questions, by each system. */
  sets?: AskedSet[];
  byMeaning?: Answered;
  /** The questions that vectors and ranking were chosen by. */
  practice?: Answered;
}

/** What must hold. */
export const GATES = {
  ratio: 0.97,
  smallToLarge: [0.9, 1.1],
  awrf: 0.98,
  gini: 0.1,
  gain: 0.01,
  tau: 0.95,
} as const;

function marketChecks({ evenness, gains }: MarketResult, where: string): [boolean, string][] {
  const { smallToLarge, awrf, gini } = evenness.ours!;
  const [least, most] = GATES.smallToLarge;
  return [
    [smallToLarge >= least && smallToLarge <= most, `small to large exposure is ${smallToLarge}${where}`],
    [awrf >= GATES.awrf, `AWRF is ${awrf}${where}`],
    [gini <= GATES.gini, `the Gini coefficient is ${gini}${where}`],
    ...Object.entries(gains.ours!).map(([lie, gain]): [boolean, string] => [
      gain <= GATES.gain,
      `lying by ${lie} gains ${gain}${where}`,
    ]),
  ];
}

/** A sentence for each gate that does not hold. */
export function failedGates({ market, further = [], relevance, agreement }: Findings): string[] {
  const checks: [boolean, string][] = [
    [relevance === undefined || relevance.ratio >= GATES.ratio, `nDCG@10 is ${relevance?.ratio} of BM25's`],
    ...marketChecks(market, ""),
    ...further.flatMap((one, i) => marketChecks(one, ` in further market ${i + 1}`)),
    [agreement === undefined || agreement.tau >= GATES.tau, `the engines' τ is ${agreement?.tau}`],
  ];
  return checks.filter(([holds]) => !holds).map(([, sentence]) => sentence);
}

const three = (value: number): string => value.toFixed(3);
const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;

/** A table whose columns stand in line, as the formatter has them. */
function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]!.length)));
  const line = (cells: string[], fill = " "): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, fill)).join(" | ")} |\n`;
  const rule = line(
    head.map(() => ""),
    "-",
  );
  return line(head) + rule + rows.map((cells) => line(cells)).join("");
}

const MEASURES: [string, string, (found: Evenness) => number][] = [
  ["small : large exposure within a grade", "0.9 to 1.1", ({ smallToLarge }) => smallToLarge],
  ["AWRF", "≥ 0.98", ({ awrf }) => awrf],
  ["Gini coefficient within a grade", "≤ 0.10", ({ gini }) => gini],
];

const marketTable = ({ evenness, gains }: MarketResult): string =>
  table(
    ["", "gate", ...SYSTEMS],
    [
      ...MEASURES.map(([name, gate, of]) => [
        name,
        gate,
        ...SYSTEMS.map((system) => three(of(evenness[system]!))),
      ]),
      ...LIES.map((lie) => [
        `gain by lying: ${lie}`,
        "≤ 1 %",
        ...SYSTEMS.map((system) => percent(gains[system]![lie]!)),
      ]),
    ],
  );

function median(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

/** Least, median and most over markets that nothing was tuned on. */
function furtherTable(further: readonly MarketResult[]): string {
  const row = (name: string, gate: string, of: (one: MarketResult) => number) => {
    const sorted = further.map(of).sort((a, b) => a - b);
    return [name, gate, three(sorted[0]!), three(median(sorted)), three(sorted.at(-1)!)];
  };
  const gains = further.flatMap((one) => LIES.map((lie) => one.gains.ours![lie]!));
  const evenness = table(
    ["ours", "gate", "least", "median", "most"],
    MEASURES.map(([name, gate, of]) => row(name, gate, ({ evenness }) => of(evenness.ours!))),
  );
  return `${evenness}

The greatest gain by a lie in any of them: ${percent(Math.max(...gains))}.`;
}

function bandsTable(found: readonly Answered[], names: readonly string[]): string {
  const cells = ({ bands, questions }: Answered, least: number): string[] => {
    const above = bands.filter(({ tenth }) => tenth >= least);
    const right = (some: readonly Band[]) => some.reduce((sum, band) => sum + band.right, 0);
    const others = above.reduce((sum, band) => sum + band.shown, 0) - right(above);
    return [percent(right(above) / Math.max(1, right(bands))), (others / questions).toFixed(1)];
  };
  return table(
    ["least relevance", ...names.flatMap((name) => [`right, ${name}`, "others a question"])],
    [0, 1, 2, 3, 4].map((least) => [
      (least / 10).toFixed(1),
      ...found.flatMap((answered) => cells(answered, least)),
    ]),
  );
}

/** What a least relevance leaves of that which meaning alone found. */
const relevanceByMeaning = ({ byMeaning, practice }: Findings): string =>
  byMeaning === undefined || practice === undefined
    ? ""
    : `
## Relevance by meaning

Of the right services that these questions find by meaning, those that have at least a relevance, and how many others have it (some
would serve as well). The practice questions are those that it was fitted to.

${bandsTable([practice, byMeaning], ["practice", "measured"])}`;

function shareOf(share: number, count: number): string {
  const [low, high] = wilson(share, count);
  return `${share.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** How often the right one is found, by each set and system. */
export function questionsTable(sets: AskedSet[] = []): string {
  if (sets.length === 0) return "";
  const rows = sets.map(({ name, about, answers }) => {
    const asked = ASKED_BY.map((system) => answers[system]);
    const questions = asked.find((answered) => answered !== undefined)?.questions ?? 0;
    const found = asked.map((answered) =>
      answered === undefined
        ? "–"
        : `${shareOf(answered.first, questions)}; ${shareOf(answered.share, questions)}`,
    );
    return [name.replace(".jsonl", ""), String(questions), ...found, about];
  });
  return `
## Questions

The right one first; in the first ten: the mean of four hours, and what holds with 95 % (Wilson). **Questions are our own**, and so are the sites
of \`everyday\` and \`languages\`. By itself: \`npm run eval -- search --questions\`; the encoder by \`bridge install-encoder\`.

${table(["Set", "Questions", ...ASKED_BY, "About"], rows)}`;
}

function sentencesOf({ sentences, strangers }: Findings): string {
  if (sentences === undefined) return "";
  const { given, still } = sentences;
  const said = ({ first, clean }: Judged) => [first, clean].map((share) => shareOf(share, given.sentences));
  const [first, clean] = said(given);
  const [stillFirst, stillClean] = said(still);
  const others =
    strangers &&
    ` ${strangers.tasks} tasks of
strangers (LiveMCPBench) over ${strangers.sites} servers: one whose tools were annotated is first for ${strangers.first}, in the first five for ${strangers.first5}.`;
  return `
## Sentences

Everyday ones of our own over 460 sites of the synthetic web, ${given.sentences}, written before any was asked; four have no answer there. They are
practice: answers were read. The first hit sensible, or nothing where nothing fits, for **${first}**; nothing senseless in
the first five for **${clean}**; by static vectors ${stillFirst} and ${stillClean}.${others ?? ""}
By itself: \`npm run eval -- search --sentences\`.
`;
}

/** What ranking cannot see; printed, and bounded by nothing. */
function openAccessControlOf({ unnamed }: Findings): string {
  if (unnamed === undefined) return "";
  const { "cloaking and tags": both, "all at once": all } = unnamed.gains.ours!;
  return `Where no site is named after its trade, a page has room for other sites: there cloaking and tags together gain ${percent(both!)},
and with the description all at once ${percent(all!)}. A site whose pages say all that it declares looks like what it says it is;
no ranking sees that, and this is not bounded.
`;
}

/** docs/evaluation/search.md */
export function reportOf(findings: Findings): string {
  const { market, further = [], relevance, agreement } = findings;
  const kept = relevance
    ? `
## Relevance

nDCG@10 on ${relevance.collection} (${relevance.docs} documents, ${relevance.queries} queries, ${relevance.engine}): **${three(relevance.ndcg10_ours)}**, plain BM25 of the same words
(k1 1.2, b 0.75) ${three(relevance.ndcg10_bm25)}: ratio **${three(relevance.ratio)}**, at least 0.97 wanted. Any collection of this form:
\`npm run eval -- search --collection DIR\`.
`
    : "";
  const alike = agreement
    ? `
## Both engines

${agreement.queries} searches on SQLite and on Elasticsearch: Kendall's τ of the first twenty **${three(agreement.tau)}** (at least 0.95 wanted), the very same
first page for ${percent(agreement.same)}.
`
    : "";
  const others =
    further.length > 0
      ? `
Ranking and that market were tuned together. ${further.length} further markets, of other seeds:

${furtherTable(further)}`
      : "";
  return `# How good search is

Written by \`npm run eval -- search --write\`.
${kept}${sentencesOf(findings)}
## Fairness

A seeded market of ${market.sites} sites (sizes lognormal, median 12 pages; forty trades), ${market.questions} questions over ${market.epochs} hours; exposure of a page
of twenty, 1 / log2(place + 1). A grade is how a site answers: its trade in name, tags and text; in tags and text; in
text alone; and how it treats visitors, in the ranking's steps. Small and large are the thirds of a grade by pages. Evidence does not depend on size. Baselines: BM25 over all that a
site says, and that times the log of its size (and of the views it claims). Lies are told by one in ten of the sites
asked for, and compared with the same sites being honest; test/eval/search/market.ts says what each lie is.

${marketTable(market)}
${openAccessControlOf(findings)}${others}${alike}${questionsTable(findings.sets)}${relevanceByMeaning(findings)}`;
}
