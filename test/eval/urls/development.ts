/** How well addresses of phishing are told by sources that the fit did not see: docs/evaluation/urls.md. */
import { globSync, readFileSync } from "node:fs";
import { readAddressModel } from "../../../src/detectors/phishing/address-model.ts";
import { URL_THRESHOLD } from "../../../src/detectors/phishing/url-analysis.ts";
import { readSources, type Source } from "../../../train/urls/addresses.ts";
import { type Fitted, fitCalibration, fittedOf, PRIOR, weightIn } from "../../../train/urls/train.ts";
import { dataFile } from "../../support/data.ts";
import { calibrationError, type Judged, shownShare } from "../interval.ts";

type Calibration = ReturnType<typeof fitCalibration>;

const MOST_SHARE = 0.01;
const ADDRESS = /https?:\/\/[^\s"'\\<>()[\]`{}|^,;]{4,300}/g;

const probabilitiesOf = ({ logOdds }: Fitted, { bias, scale }: Calibration): number[] =>
  logOdds.map(([all]) => 1 / (1 + Math.exp(-(bias + scale * all))));

const share = (values: readonly number[], least: number): string =>
  shownShare(values.map((value) => value >= least));

/** Links of real agent-ready sites: to measure with alone. None where the data is not there. */
function agentWebLinks(): Source[] {
  const folders = ["agent-web/sites", "agent-web-2/well-known/sites", "agent-web-2/handmade/sites"]
    .map(dataFile)
    .filter((folder) => folder !== undefined);
  const files = folders.flatMap((cwd) =>
    globSync("**/*.*", { cwd, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`),
  );
  const found = files.flatMap(
    (file) => readFileSync(file, "utf8").replaceAll("&amp;", "&").match(ADDRESS) ?? [],
  );
  const addresses = [...new Set(found)].filter((one) => URL.parse(one)?.hostname.includes("."));
  return addresses.length === 0 ? [] : [{ name: "links of agent-ready sites", isPhishing: false, addresses }];
}

/** The least log-odds of the trees at which each source of honest addresses is warned of one in a hundred at most, on average. */
function treesAlone(sources: readonly Fitted[]): number {
  const honest = sources.filter(({ isPhishing }) => !isPhishing);
  const shareFrom = (least: number): number =>
    honest.reduce(
      (sum, { logOdds }) => sum + logOdds.filter(([, trees]) => trees >= least).length / logOdds.length,
      0,
    ) / honest.length;
  let least = -5;
  while (shareFrom(least) > MOST_SHARE) least += 0.05;
  return least;
}

export function developmentReport(): string {
  const model = readAddressModel();
  const sources = fittedOf(model, model.ordinary, readSources());
  const measuredAlone = fittedOf(model, model.ordinary, agentWebLinks());
  const least = treesAlone(sources);
  const judged: Judged[] = [];
  const lines = [...sources, ...measuredAlone].map((source) => {
    const others = sources.filter((one) => one !== source);
    // Without the only source of phishing nothing could be fitted.
    const unseen = others.some(({ isPhishing }) => isPhishing) ? fitCalibration(others) : model.calibration;
    const probabilities = probabilitiesOf(source, unseen);
    if (sources.includes(source))
      for (const probability of probabilities)
        judged.push({ probability, isTrue: source.isPhishing, weight: weightIn(sources, source) });
    const cells = [
      source.name,
      source.isPhishing ? "phishing" : "honest",
      source.logOdds.length,
      share(
        source.logOdds.map(([, trees]) => trees),
        least,
      ),
      share(probabilities, URL_THRESHOLD),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return page(model.version, calibrationError(judged), lines);
}

const page = (
  version: string,
  error: number,
  lines: readonly string[],
): string => `# Telling addresses of phishing

\`npm run eval -- urls --write\` writes this page. Model urls ${version}, threshold ${URL_THRESHOLD}: a probability for a world where ${PRIOR * 100} of 100
addresses are phishing, from the log-odds of trees over 83 numbers of the address's text (models/urls) and of brands that it names outside their own domains.
Nothing is fetched, and no list of today's addresses is asked.

Share warned of, with 95 % bootstrap intervals, by sources of others that the fit did not see (coin sites are the only phishing at hand, and seen); beside it the
trees alone, at one in a hundred of these honest sources. Expected calibration error: ${error.toFixed(3)}.

| Source | What | Addresses | Trees alone | Trees and brands |
| --- | --- | --- | --- | --- |
${lines.join("\n")}

Sites with consent dialogs are of @duckduckgo/autoconsent, brands' pages of simple-icons, articles of caniuse-db, coin sites (names of sites that took
people's coins, without paths) and honest names like theirs of eth-phishing-detect; links of agent-ready sites are of sites that nothing was fitted to, and were looked
at four times. The trees learned from none of them. Their makers state, at one honest address of a hundred warned of, .85 of phishing found in
PhreshPhish, .73 in feeds of 2026, .58 and .51 in collections of 2021 and 2020, each on domains that they never saw. No feed was at hand here.
Own addresses of one's own:
\`npm run eval -- urls --phishing FILE… --benign FILE…\`.

## What it cannot do

Names without brand on ordinary suffixes: two of three coin sites. Misspellings of short names, or to another name. A page on
an honest site under an honest path. A brand that is not listed.
`;
