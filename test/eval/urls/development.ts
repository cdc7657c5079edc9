/** How well addresses of phishing are told by sources that the fit did not see: docs/evaluation/urls.md. */
import { readAddressModel } from "../../../src/detectors/phishing/address-model.ts";
import { URL_THRESHOLD } from "../../../src/detectors/phishing/url-analysis.ts";
import { readSources } from "../../../train/urls/addresses.ts";
import { type Fitted, featuresOf, fitCalibration, PRIOR, weightIn } from "../../../train/urls/train.ts";
import { calibrationError, type Judged, shownShare } from "../interval.ts";

/** Where rules alone warned before there were trees. */
const RULES_ALONE = 2.2;

type Calibration = ReturnType<typeof fitCalibration>;

const probabilitiesOf = ({ rows }: Fitted, { bias, rules, trees }: Calibration): number[] =>
  rows.map(([ruled, learned]) => 1 / (1 + Math.exp(-(bias + rules * ruled + trees * learned))));

const share = (values: readonly number[], least: number): string =>
  shownShare(values.map((value) => value >= least));

/** Cells of a source: what it is, what rules alone find, and what each sum finds. */
function line(source: Fitted, sums: readonly Calibration[]): string {
  const cells = [
    source.name,
    source.isPhishing ? "phishing" : "honest",
    source.rows.length,
    share(
      source.rows.map(([ruled]) => ruled),
      RULES_ALONE,
    ),
    ...sums.map((sum) => share(probabilitiesOf(source, sum), URL_THRESHOLD)),
  ];
  return `| ${cells.join(" | ")} |`;
}

export function developmentReport(): string {
  const model = readAddressModel();
  const sources = featuresOf(model, model.language, readSources());
  const judged: Judged[] = [];
  const fitted = sources.map((source) => {
    const unseen = fitCalibration(sources.filter((one) => one !== source));
    const weight = weightIn(sources, source);
    for (const probability of probabilitiesOf(source, unseen))
      judged.push({ probability, isTrue: source.isPhishing, weight });
    return line(source, [unseen, model.calibration]);
  });
  return page(model.version, calibrationError(judged), fitted);
}

const page = (version: string, error: number, fitted: readonly string[]): string =>
  `# Telling addresses of phishing

\`npm run eval -- urls --write\` writes this page. Model urls ${version}, threshold ${URL_THRESHOLD}. Rules (a brand outside its own
domains, misspellings, free hosting, bait words, letters that no word has, pages among a software's files) and trees over 83 numbers of
the address's text (models/urls) are summed to one probability, for a world where ${PRIOR * 100} of 100 addresses are phishing. Nothing is
fetched, and no list of today's addresses is asked. The threshold is where fewer than one in a hundred of listed sites, their pages and made shops are.

Share warned of, with 95 % bootstrap intervals, source by source: by rules alone; by a sum that was fitted without the source; as
shipped. Expected calibration error of the sums that did not see the source: **${error.toFixed(3)}**.

| Source | What | Addresses | Rules alone | Source not seen | Shipped |
| --- | --- | --- | --- | --- | --- |
${fitted.join("\n")}

Listed sites are of @duckduckgo/autoconsent, coin sites and honest names like theirs of eth-phishing-detect; the rest is made by
train/urls/made.ts: **what is called made is our own texts and proves nothing by itself.** The trees learned from neither. Their makers state, at one honest address of a hundred warned of, .85 of phishing
found in PhreshPhish, .73 in feeds of 2026, .58 and .51 in collections of 2021 and 2020, each on domains that they never saw. Own addresses of
one's own: \`npm run eval -- urls --phishing FILE… --benign FILE…\`.

## What it cannot do

Names without brand or bait on ordinary suffixes: two of three coin sites. Misspellings of short names, or to another name. A page on
an honest site under an honest path. A brand that is not listed.
`;
