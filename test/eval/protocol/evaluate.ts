/** `npm run eval -- protocol`: the validator against documents with one fault each. Gate: all found, placed and mended. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Measure, measure } from "./measure.ts";

const REPORT = new URL("../../../docs/evaluation/protocol.md", import.meta.url);

const share = (part: number, whole: number): string => `${part} of ${whole}`;

function reportOf(
  seed: number,
  { mutants, found, exact, placed, mended, falseAlarms, sound, outcomes }: Measure,
) {
  const kinds = new Set(outcomes.map(({ mutant }) => mutant.name));
  return `# Protocol module: validation of discovery documents

Made by \`npm run eval -- protocol --write\` (seed ${seed}): sound documents drawn by the seed, each changed in one place
(test/eval/protocol/mutants.ts), judged by the module's own rules. A mutant counts as mended when the document with the
diagnostic's patch applied has no fault left; the one kind that only a key can mend (a signature taken away) needs none.

| | |
| --- | --- |
| mutants, kinds of fault | ${mutants}, ${kinds.size} |
| found | ${share(found, mutants)} |
| found as the only fault, at its exact JSON Pointer | ${share(exact, mutants)} |
| with a line and column inside the text | ${share(placed, mutants)} |
| mended by its own patch | ${share(mended, mutants)} |
| false alarms on sound documents, signed and unsigned | ${share(falseAlarms, sound)} |

Where one change breaks two things (a permission taken away while its command stays), the fault is told at the offer, not
at the permission: a patch never widens what is permitted.
`;
}

export async function evaluate(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { seed: { type: "string", default: "1" }, write: { type: "boolean", default: false } },
  });
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) {
    process.stderr.write("--seed is a whole number.\n");
    return 2;
  }
  const measured = measure(seed, 12, 120);
  const report = reportOf(seed, measured);
  process.stdout.write(report);
  if (values.write) writeFileSync(REPORT, report);
  const { mutants, exact, placed, mended, falseAlarms } = measured;
  return exact === mutants && placed === mutants && mended === mutants && falseAlarms === 0 ? 0 : 1;
}
