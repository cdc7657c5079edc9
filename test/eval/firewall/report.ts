/** docs/evaluation/firewall.md out of what was measured. */
import { attackModel } from "../../../src/detectors/firewall/judge.ts";
import { firewallRuleset } from "../../../src/detectors/firewall/version.ts";
import { shownShare } from "../interval.ts";
import type { HarmlessRow, LeftOutRow, Measured } from "./measure.ts";

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const share = (flags: readonly boolean[]): string => shownShare(flags, 2);

const attackRow = ({ source, role, outcomes, atOne, atFive, plainAtOne }: LeftOutRow): string =>
  row([
    source,
    role,
    outcomes.length,
    share(outcomes.map(({ isWarned }) => isWarned)),
    share(outcomes.map(({ isBlocked }) => isBlocked)),
    share(atOne),
    share(atFive),
    share(plainAtOne),
  ]);

const harmlessRow = ({ set, role, outcomes }: HarmlessRow): string =>
  row([
    set,
    role,
    outcomes.length,
    share(outcomes.map(({ isWarned }) => isWarned)),
    share(outcomes.map(({ isBlocked }) => isBlocked)),
  ]);

/** Ways that are found alike share a row. */
const wayRows = (ways: Measured["ways"]): string[] =>
  [...Map.groupBy(ways, ([, found]) => share(found))].map(([shown, alike]) =>
    row([alike.map(([way]) => way).join(", "), shown]),
  );

/** How many of them are texts by themselves: documents and pages, the last two, are not. */
const textsOf = (harmless: readonly HarmlessRow[]): number =>
  harmless.slice(0, -2).reduce((sum, { outcomes }) => sum + outcomes.length, 0);

export const reportOf = ({
  leftOut,
  harmless,
  ways,
  errors,
}: Measured): string => `# Telling attacks from harmless texts

\`npm run eval -- firewall --write\` writes this page (ruleset ${firewallRuleset()}). Every row is by a judgement whose classifier saw nothing of
the source, of sources with the same origin, or of texts that share thirteen words in a row with it. What "warned" counts includes what is
blocked; intervals are of 95 % (bootstrap). Texts of this project's own are not measured on. Every source was looked at about six times while
openings (src/detectors/firewall/openings.ts) and training were made, and the share of attacks among pages was chosen on the last two rows of harmless
texts: new sources may do worse.

## Attacks

At 1 % and 5 %: riskier than all but that share of the ${textsOf(harmless)} harmless texts below, OWASP's prose about attacks among them; texts
by themselves, documents apart. Classifier alone: without openings, at 1 %: the plain model of words and characters.

| Source | Role | Texts | Warned of | Blocked | At 1 % | At 5 % | Classifier alone |
| --- | --- | --- | --- | --- | --- | --- | --- |
${leftOut
  .filter(({ outcomes }) => outcomes.length > 0)
  .map(attackRow)
  .join("\n")}

## Harmless texts

Nothing of them was learned from.

| Set | Role | Texts | Warned of | Blocked |
| --- | --- | --- | --- | --- |
${harmless.map(harmlessRow).join("\n")}

## Hidden in real pages

deepset's attacks, put into real home pages by ways that keep them from people: share warned of, by ${ways[0]?.[1].length ?? 0} pages a way.

| Ways | Warned of |
| --- | --- |
${wayRows(ways).join("\n")}

## Probabilities

\`risk_score\` is a probability where three in a hundred pages and documents, and one in ten other texts, are attacks; fitted by role
(Platt's scaling) to sources that were left out, with what each doubling of a text's length costs. Expected calibration error on sources that nothing was fitted to: ${errors.map(([role, error, count]) => `${role} ${error.toFixed(3)} (${count} texts)`).join(", ")}.
Scale, bias and doubt: ${Object.entries(attackModel().card.calibrations ?? {})
  .map(([role, { scale, bias, doubt }]) => `${role} ${scale}, ${bias}, ${doubt}`)
  .join("; ")}.

Mistakes, read by hand: [test/eval/firewall/mistakes.md](../../test/eval/firewall/mistakes.md).
`;
