/** `npm run eval -- neutrality`: how far the neutrality score tells real pages apart. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pageEvidence } from "../../../src/crawl/pages/evidence.ts";
import { neutralityOf } from "../../../src/domain/listing/listing.ts";
import { FULL_PAGES, type MeasureName } from "../../../src/domain/trust/neutrality.ts";
import { evidenceOfPages } from "../../../src/domain/trust/page-evidence.ts";
import { readPageModel } from "../../../src/pages/page-model.ts";
import { dataFile } from "../../support/data.ts";
import { siteRecord } from "../../support/site-record.ts";

const REPORT = new URL("../../../docs/evaluation/neutrality.md", import.meta.url);
const NOW = Date.parse("2026-03-01T00:00:00Z");
const MAX_CHARS = 2 * 1024 * 1024;
const MEASURED = ["dark", "affiliate", "trackers", "ownership"] as const satisfies readonly MeasureName[];

/** Files of HTML below a folder of hosts, each with the address that it stands for. */
const pagesIn = (folder: string): { url: URL; html: string }[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.html?$/i.test(name))
    .sort()
    .map((name) => ({
      url: new URL(`https://${name.replaceAll("\\", "/")}`),
      html: readFileSync(join(folder, name), "utf8").slice(0, MAX_CHARS),
    }));

/** A verified site of ten such pages that declares nothing. */
function siteOf({ url, html }: { url: URL; html: string }) {
  const { measures, findings } = pageEvidence(readPageModel(html), url);
  const page = { page: url.href, seen_at: new Date(NOW).toISOString(), text_hash: "", measures, findings };
  const evidence = { ...evidenceOfPages([page], NOW), pages: FULL_PAGES };
  return neutralityOf(siteRecord(url.hostname, NOW, { evidence }), NOW);
}

/** By linear interpolation. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return low + (high - low) * (place % 1);
}
const SHARES = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1];
const row = (name: string, values: readonly number[], digits: number): string =>
  `| ${name} | ${SHARES.map((share) => quantile(values, share).toFixed(digits)).join(" | ")} |`;

export async function evaluate(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { write: { type: "boolean", default: false }, pages: { type: "string" } },
  });
  const folder = values.pages ?? dataFile("agent-web/sites");
  if (folder === undefined) {
    process.stderr.write(
      "No real pages: set BRIDGE_DATA_DIR, or give a folder of <host>/<path>.html with --pages.\n",
    );
    return 2;
  }
  const sites = pagesIn(folder).map(siteOf);
  const scores = sites.map(({ score }) => score);
  const partOf = (name: MeasureName): number[] =>
    sites.map(({ parts }) => parts.find((part) => part.name === name)!.value);
  const caps = sites.filter(({ cap }) => cap !== null).length;
  const distinct = new Set(scores).size;
  const report = `# How far the neutrality score tells sites apart

Made by \`npm run eval -- neutrality --write\`; \`--pages DIR\` for other pages, as \`<host>/<path>.html\`.

${sites.length} real pages, each taken for a verified site of ten such pages that declares nothing (honesty and declarations
unknown). ${distinct} different scores; ${caps} are capped by the grade of their dark patterns. Interquartile range:
**${(quantile(scores, 0.75) - quantile(scores, 0.25)).toFixed(1)}** points of the score; the boost runs from ${Math.min(...sites.map(({ boost }) => boost)).toFixed(3)} to ${Math.max(...sites.map(({ boost }) => boost)).toFixed(3)}.

| | ${SHARES.map((share) => (share === 0 ? "least" : share === 1 ? "most" : `${100 * share} %`)).join(" | ")} |
| --- | ${SHARES.map(() => "---").join(" | ")} |
${row("score", scores, 1)}
${MEASURED.map((name) => row(`${name}, 0 to 1`, partOf(name), 2)).join("\n")}
`;
  process.stdout.write(report);
  if (values.write) writeFileSync(REPORT, report);
  return 0;
}
