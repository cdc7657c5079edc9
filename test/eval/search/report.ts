/** The findings as gates and as a report. Pure. */
import type { Agreement } from "./agreement.ts";
import type { Evenness } from "./exposure.ts";
import { type MarketResult, SYSTEMS } from "./fairness.ts";
import { LIES } from "./market.ts";
import type { Answered } from "./questions.ts";
import type { Relevance } from "./relevance.ts";

export interface Findings {
  market: MarketResult;
  relevance?: Relevance;
  agreement?: Agreement;
  byWords?: Answered;
  byMeaning?: Answered;
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

/** A sentence for each gate that does not hold. */
export const failedGates = ({ market, relevance, agreement }: Findings): string[] => {
  const { smallToLarge, awrf, gini } = market.evenness.ours!;
  const [least, most] = GATES.smallToLarge;
  const gains = Object.entries(market.gains.ours!);
  const checks: [boolean, string][] = [
    [relevance === undefined || relevance.ratio >= GATES.ratio, `nDCG@10 is ${relevance?.ratio} of BM25's`],
    [smallToLarge >= least && smallToLarge <= most, `small to large exposure is ${smallToLarge}`],
    [awrf >= GATES.awrf, `AWRF is ${awrf}`],
    [gini <= GATES.gini, `the Gini coefficient is ${gini}`],
    ...gains.map(([lie, gain]): [boolean, string] => [gain <= GATES.gain, `lying by ${lie} gains ${gain}`]),
    [agreement === undefined || agreement.tau >= GATES.tau, `the engines' τ is ${agreement?.tau}`],
  ];
  return checks.filter(([holds]) => !holds).map(([, sentence]) => sentence);
};

const three = (value: number): string => value.toFixed(3);
const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;

const row = (cells: (string | number)[]): string => `| ${cells.join(" | ")} |\n`;
const table = (head: string[], rows: (string | number)[][]): string =>
  row(head) + row(head.map(() => "---")) + rows.map(row).join("");

const marketTable = ({ evenness, gains }: MarketResult): string => {
  const measures: [string, string, (found: Evenness) => number][] = [
    ["small : large exposure within a grade", "0.9 to 1.1", ({ smallToLarge }) => smallToLarge],
    ["AWRF", "≥ 0.98", ({ awrf }) => awrf],
    ["Gini coefficient within a grade", "≤ 0.10", ({ gini }) => gini],
  ];
  return table(
    ["", "gate", ...SYSTEMS],
    [
      ...measures.map(([name, gate, of]) => [
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
};

const answeredLine = ({ byWords, byMeaning }: Findings): string => {
  if (byWords === undefined) return "";
  const { questions, services, share } = byWords;
  const meaning = byMeaning ? `, with meaning **${percent(byMeaning.share)}**` : "";
  return `
## Questions that share no word with their answer
${questions} questions of our own about ${services} real services (test/eval/search/questions.jsonl, written before anything was
scored). Right one in the first ten: by words ${percent(share)}${meaning}. The goal is 60 %.
`;
};

/** docs/evaluation/search.md */
export const reportOf = (findings: Findings): string => {
  const { market, relevance, agreement } = findings;
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
  return `# How good search is
Written by \`npm run eval -- search --write\`.
${kept}
## Fairness
A seeded market of ${market.sites} sites (sizes lognormal, median 12 pages; forty trades), ${market.questions} questions over ${market.epochs} hours; exposure of a page
of twenty, 1 / log2(place + 1). A grade is how a site answers: its trade in name, tags and text; in tags and text; in
text alone. Small and large are the thirds of a grade by pages. Evidence does not depend on size. Baselines: BM25 over all that a
site says, and that times the log of its size (and of the views it claims). Lies are told by one in ten of the sites
asked for, and compared with the same sites being honest; test/eval/search/market.ts says what each lie is.

${marketTable(market)}
What cloaking and tags together gain is not measured: a site whose pages say all that it declares looks like what it says it is.
${alike}${answeredLine(findings)}`;
};
