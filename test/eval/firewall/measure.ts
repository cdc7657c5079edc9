/** What the firewall makes of texts whose source neither trained nor chose anything of what judges them. */

import type { TextRole } from "../../../schemas/finding.ts";
import type { WindowModel } from "../../../src/classifiers/window-model.ts";
import { attackModel, BASE_RATES, judgeText, WARN_RISK } from "../../../src/detectors/firewall/judge.ts";
import { type LeftOut, leaveOneOut } from "../../../train/firewall/left-out.ts";
import { readMeasured } from "../../../train/firewall/measured.ts";
import { readSources, type SourcedText } from "../../../train/firewall/sources.ts";
import { calibrationError } from "../interval.ts";
import { attackedPage, CHANNELS } from "./pages.ts";
import { agentDocuments, homePages } from "./real-documents.ts";
import { type Outcome, outcomeOf } from "./rows.ts";

/** One source's attacks, by a judgement that saw none of the source. */
export interface LeftOutRow {
  readonly source: string;
  readonly role: TextRole;
  readonly outcomes: readonly Outcome[];
  /** Whether each attack is riskier than all but 1 % and 5 % of the harmless texts. */
  readonly atOne: readonly boolean[];
  readonly atFive: readonly boolean[];
  /** The classifier's logit alone at 1 %: the plain model of words and characters. */
  readonly plainAtOne: readonly boolean[];
}

export interface HarmlessRow {
  readonly set: string;
  readonly role: TextRole;
  readonly outcomes: readonly Outcome[];
}

export interface Measured {
  readonly leftOut: readonly LeftOutRow[];
  readonly harmless: readonly HarmlessRow[];
  readonly ways: readonly (readonly [way: string, found: readonly boolean[]])[];
  readonly errors: readonly (readonly [role: TextRole, error: number, count: number])[];
}

const ATTACKS_A_WAY = 60;

/**
 * @param onStep told what is measured next: it takes minutes
 * @param folds default: made anew, which takes most of the time
 */
export function measureAll(onStep: (step: string) => void, folds?: Iterable<LeftOut>): Measured {
  const measured = readMeasured().flatMap(({ texts }) => texts);
  const harmless = measured.filter(({ isAttack }) => !isAttack);
  const leftOut: LeftOutRow[] = [];
  for (const { name, held, model } of folds ?? leaveOneOut(readSources(), measured)) {
    onStep(`left out: ${name}`);
    const attacks = held.filter(({ isAttack, source }) => isAttack && source === name);
    leftOut.push(...rowsOf(name, attacks, harmless, withCalibrations(model)));
  }
  for (const [source, texts] of Map.groupBy(measured, ({ source }) => source))
    leftOut.push(
      ...rowsOf(
        source,
        texts.filter(({ isAttack }) => isAttack),
        harmless,
        attackModel(),
      ),
    );
  onStep("harmless texts and documents");
  return { leftOut, harmless: harmlessRows(harmless), ways: waysOf(measured), errors: errorsOf(measured) };
}

/** The committed calibrations: three numbers a role, which no source decides by itself. */
function withCalibrations(model: WindowModel): WindowModel {
  return model.calibratedBy(attackModel().card.calibrations!);
}

function rowsOf(
  source: string,
  attacks: readonly SourcedText[],
  harmless: readonly SourcedText[],
  model: WindowModel,
): LeftOutRow[] {
  return [...Map.groupBy(attacks, ({ role }) => role)].map(([role, texts]) => {
    const riskOf = ({ text }: SourcedText): number => judgeText(text, role, {}, model).risk;
    const plainOf = ({ text }: SourcedText): number => model.riskiest(text)?.logit ?? -20;
    const risks = harmless.map(riskOf).sort((a, b) => a - b);
    const plain = harmless.map(plainOf).sort((a, b) => a - b);
    const above = (sorted: readonly number[], share: number): number =>
      sorted[Math.floor((1 - share) * (sorted.length - 1))]!;
    const judged = texts.map(riskOf);
    return {
      source,
      role,
      outcomes: judged.map((risk) => ({
        isAttack: true,
        isWarned: risk >= WARN_RISK,
        isBlocked: risk >= 0.8,
      })),
      atOne: judged.map((risk) => risk > above(risks, 0.01)),
      atFive: judged.map((risk) => risk > above(risks, 0.05)),
      plainAtOne: texts.map((text) => plainOf(text) > above(plain, 0.01)),
    };
  });
}

function harmlessRows(harmless: readonly SourcedText[]): HarmlessRow[] {
  const rows = [...Map.groupBy(harmless, ({ source }) => source)].map(([set, texts]) => {
    const { role } = texts[0]!;
    return { set, role, outcomes: texts.map(({ text }) => outcomeOf(text, role, false)) };
  });
  const documents = (set: string, role: TextRole, texts: readonly { text: string }[]): HarmlessRow => ({
    set,
    role,
    outcomes: texts.map(({ text }) => outcomeOf(text, role, false)),
  });
  return [
    ...rows,
    documents("real documents for agents", "agent_document", agentDocuments()),
    documents("real home pages", "page", homePages()),
  ];
}

/** deepset's attacks, which nothing learned from, in real pages. */
function waysOf(measured: readonly SourcedText[]): Measured["ways"] {
  const pages = homePages().filter(({ text }) => !outcomeOf(text, "page", false).isWarned);
  const attacks = measured.filter(({ isAttack, source }) => isAttack && source === "deepset");
  if (pages.length === 0) return [];
  return Object.keys(CHANNELS).map((way) => [
    way,
    Array.from({ length: ATTACKS_A_WAY }, (_, i) => {
      const attack = attacks[(i * 7) % attacks.length]!.text;
      return outcomeOf(attackedPage(attack, way, pages[i % pages.length]!.text), "page", true).isWarned;
    }),
  ]);
}

/** Distance between probability and truth by role, where attacks are the share of the texts that probabilities assume. */
function errorsOf(measured: readonly SourcedText[]): Measured["errors"] {
  return [...Map.groupBy(measured, ({ role }) => role)].flatMap(([role, texts]) => {
    const attacks = texts.filter(({ isAttack }) => isAttack).length;
    if (attacks === 0 || attacks === texts.length) return [];
    const judged = texts.map(({ text, isAttack }) => ({
      probability: judgeText(text, role).risk,
      isTrue: isAttack,
      weight: isAttack ? BASE_RATES[role] / attacks : (1 - BASE_RATES[role]) / (texts.length - attacks),
    }));
    return [[role, calibrationError(judged), texts.length] as const];
  });
}
