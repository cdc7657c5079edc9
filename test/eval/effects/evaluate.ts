/** `npm run eval -- effects`: whether forms read, write or spend money, inferred against labels by hand. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { EFFECTS } from "../../../schemas/action.ts";
import { FORM_SETS, type Judged, judge, readForms, type Share, sharesOf, weaker } from "./measure.ts";

const REPORT = new URL("../../../docs/evaluation/effects.md", import.meta.url);
/** Least share of purchases that are told as such. */
export const LEAST_PURCHASE_RECALL = 0.98;

const shareText = ({ right, of }: Share): string => `${right} of ${of}`;

const rowsOf = (name: string, judged: readonly Judged[]): string =>
  EFFECTS.map((effect) => {
    const { precision, recall } = sharesOf(judged, effect);
    return `| ${name} | \`${effect}\` | ${shareText(precision)} | ${shareText(recall)} |`;
  }).join("\n");

const reportOf = (sets: Map<string, Judged[]>): string => `# Effects of forms

Made by \`npm run eval -- effects --write\`. ${[...sets.values()].flat().length} forms were written by hand, by ourselves, as sites of four languages (and a few of two more)
write them (test/eval/effects/forms), and labeled with what sending them does: \`read\`, \`write\`, \`purchase\`. The words of the rules
(src/browser/effect-words.ts) were chosen before and on the tuned half. **These are figures of practice, not proof**: nobody else's forms are among them.

When the rules were done, 37 of the kept half's 39 purchases were told, and 2 of its 40 writes were something else; these were mended, so
the kept half is no longer unseen. Of 44 order buttons of 32 languages that others collected, 7 were told then (26 November 2026); since,
a button of no list may buy, and all 44 are told, but were looked at.

| Half | Effect | Precision | Recall |
| --- | --- | --- | --- |
${[...sets].map(([name, judged]) => rowsOf(name, judged)).join("\n")}

Told weaker than they are: ${weaker([...sets.values()].flat()).length}.

What is not seen: what only a script says, a price in a picture, a form whose words are of another language and which shows neither price nor
payment. A site's signed document (\`effect\` of an action) makes an effect stronger, and never weaker.
`;

/** @returns 1 where too few purchases are told */
export async function evaluate(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { write: { type: "boolean", default: false } } });
  const sets = new Map(FORM_SETS.map((set) => [set as string, readForms(set).map(judge)]));
  const report = reportOf(sets);
  process.stdout.write(report);
  if (values.write) writeFileSync(REPORT, report);
  const { right, of } = sharesOf([...sets.values()].flat(), "purchase").recall;
  return right / of >= LEAST_PURCHASE_RECALL ? 0 : 1;
}
