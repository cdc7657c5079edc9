/** `npm run eval -- gov`: agreement of the cookie catalogue with a public one. */
import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { dataFile } from "../../support/data.ts";
import { type Agreement, measureCookies } from "./cookies.ts";

const REPORT = new URL("../../../docs/evaluation/gov.md", import.meta.url);
const LEAST_AGREEMENT = 0.8;

const percent = (part: number, whole: number): string =>
  `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

function reportOf({ names, known, agreeing, consentAgreeing }: Agreement): string {
  return `# Gov Intelligence

Made by \`npm run eval -- gov --write\`.

Cookie names of our own catalogue (workers/gateway/gov/cookies.ts) against the Open Cookie Database (Apache-2.0, not part
of this repository). Its "Functional" stands for necessary and functional alike. The names are of our own writing; they were compared with it
before, so that this is practice, and says how many names are known rather than how often a site is judged right.

| | |
| --- | --- |
| names in the database | ${names} |
| known to ours | ${known} (${percent(known, names)}) |
| same kind, of those known | ${percent(agreeing, known)} |
| agreement on whether consent is needed | ${percent(consentAgreeing, known)} |

A name that is not known is \`unknown\` and makes its control \`partial\`; it is never passed. Whether pages are accused rightly is not measured
here: no collection of pages with a lawyer's judgement is known to us. Controls by law fail only what is near certain
(test/workers/gateway/gov/accusations.test.ts).
`;
}

export async function evaluate(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { write: { type: "boolean", default: false }, cookies: { type: "string" } },
  });
  const file = values.cookies ?? dataFile("cookies/open-cookie-database.csv");
  if (!file || !existsSync(file)) {
    process.stderr.write("The Open Cookie Database is not there: give its path with --cookies.\n");
    return 2;
  }
  const agreement = measureCookies(file);
  const report = reportOf(agreement);
  process.stdout.write(report);
  for (const one of agreement.disagreements.slice(0, 200)) process.stderr.write(`${one}\n`);
  if (values.write) writeFileSync(REPORT, report);
  return agreement.agreeing / agreement.known >= LEAST_AGREEMENT ? 0 : 1;
}
