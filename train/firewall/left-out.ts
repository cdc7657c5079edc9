/**
 * One source left out at a time: what a classifier says of texts whose source it did not see. What calibrates the committed one, and
 * what is measured (test/eval/firewall).
 */

import { TEXT_ROLES, type TextRole } from "../../schemas/finding.ts";
import { MAX_CHARS } from "../../src/classifiers/feature-reader.ts";
import type { RoleCalibration } from "../../src/classifiers/model-card.ts";
import type { WindowModel } from "../../src/classifiers/window-model.ts";
import { BASE_RATES, doublingsOf, UNITS_A_WORD } from "../../src/detectors/firewall/judge.ts";
import { fitDense } from "../dense.ts";
import { fitWindows } from "./fit.ts";
import type { Source, SourcedText } from "./sources.ts";

/** Texts that share so many words in a row are copies (Brown et al. 2020). */
const COPIED_WORDS = 13;
/** Harmless texts of a role that are judged beside the attacks of one source. */
const MOST_HARMLESS = 500;
/** Twice as many looks share one prior: where they tell nothing of each other, its odds are halved. */
const MOST_DOUBT = Math.LN2;
/** Passages of a document, in turn: nobody publishes one alone. */
const PASSAGES = [1, 4, 16, 64] as const;

export interface LeftOut {
  /** The source with attacks that is left out. */
  readonly name: string;
  readonly held: readonly SourcedText[];
  readonly model: WindowModel;
}

/**
 * Classifiers that each saw all but one source with attacks, its family and its copies, and but some sources without.
 * @param apart texts that nothing learns from: their copies are left out of everything
 */
export function* leaveOneOut(sources: readonly Source[], apart: readonly SourcedText[]): Generator<LeftOut> {
  const foreign = sources.filter(({ isOwn }) => !isOwn);
  const attacking = foreign.filter(({ texts }) => texts.some(({ isAttack }) => isAttack));
  const harmless = foreign.filter((source) => !attacking.includes(source));
  for (const [place, { name, family = name }] of attacking.entries()) {
    const without = harmless.filter((_, i) => i % attacking.length === place);
    const out = [...attacking.filter((one) => (one.family ?? one.name) === family), ...without];
    const held = sources
      .filter((one) => one.name === name || without.includes(one))
      .flatMap(({ texts }) => texts);
    const copied = shinglesOf([...held, ...apart]);
    const seen = sources.filter((one) => !out.includes(one)).flatMap(({ texts }) => texts);
    const { model } = fitWindows(seen.filter((one) => !isCopy(one, copied)));
    yield { name, held, model };
  }
}

/** Texts of sources without copies of others. */
export function withoutCopies(sources: readonly Source[], others: readonly SourcedText[]): SourcedText[] {
  const copied = shinglesOf(others);
  return sources.flatMap(({ texts }) => texts).filter((one) => !isCopy(one, copied));
}

const shinglesOf = (texts: readonly SourcedText[]): Set<string> =>
  new Set(texts.filter(({ isAttack }) => isAttack).flatMap(({ text }) => [...shingles(text)]));

const isCopy = ({ text, isAttack }: SourcedText, copied: ReadonlySet<string>): boolean =>
  isAttack && shingles(text).some((shingle) => copied.has(shingle));

function shingles(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, -COPIED_WORDS + 1).map((_, at) => words.slice(at, at + COPIED_WORDS).join(" "));
}

/** What the riskiest window of a text has, however long it is. */
export function logitOf(model: WindowModel, text: string): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < Math.max(1, text.length); at += MAX_CHARS)
    most = Math.max(most, model.riskiest(text.slice(at, at + MAX_CHARS))?.logit ?? most);
  return Math.max(most, -20);
}

interface Judged {
  readonly logit: number;
  readonly doublings: number;
  readonly isAttack: boolean;
}

/**
 * Platt's scaling by role, for its base rate of attacks, with what each doubling of the length takes: in documents an attack stands among
 * harmless words, so that length itself says nothing.
 */
export function calibrate(folds: readonly LeftOut[]): Record<TextRole, RoleCalibration> {
  const judged = new Map<TextRole, Judged[]>(TEXT_ROLES.map((role) => [role, []]));
  for (const fold of folds) for (const role of TEXT_ROLES) judged.get(role)!.push(...judgedOf(fold, role));
  const scalings = Object.fromEntries(
    [...judged].map(([role, rows]) => [role, scalingOf(rows, BASE_RATES[role])]),
  ) as Record<TextRole, RoleCalibration>;
  // Tools answer with documents, too: what length takes from the doubt is learned of those, and attacks in passages tell the rest.
  const { doubt } = scalings.agent_document;
  return { ...scalings, tool_result: { ...scalings.tool_result, doubt } };
}

function judgedOf({ held, model }: LeftOut, role: TextRole): Judged[] {
  const isUsers = role === "user";
  const attacks = held.filter((one) => one.isAttack && (one.role === "user") === isUsers);
  const isPublic = role === "page" || role === "agent_document";
  const texts = held.filter((one) => !one.isAttack && isOf(role, one.role)).map(({ text }) => text);
  const harmless = (isPublic ? documentsOf(texts) : texts).slice(0, MOST_HARMLESS);
  const judge = (text: string, isAttack: boolean): Judged => ({
    logit: logitOf(model, text),
    doublings: doublingsOf(text.length / UNITS_A_WORD),
    isAttack,
  });
  const around = (place: number): string => {
    const one = harmless[place % Math.max(1, harmless.length)];
    return isUsers || one === undefined ? "" : `${one}\n\n`;
  };
  return [
    ...harmless.map((text) => judge(text, false)),
    ...attacks.map(({ text }, place) => judge(`${around(place)}${text}`, true)),
  ];
}

/**
 * Whether harmless texts of a role are what one meets as another: tools answer anything. A page is calibrated as a document for agents
 * is: offers and messages by themselves are no pages.
 */
function isOf(met: TextRole, role: TextRole): boolean {
  if (met === "page") return role === "agent_document";
  return role === met || (met === "tool_result" && role !== "user");
}

/** Passages joined to documents of several lengths. */
function documentsOf(passages: readonly string[]): string[] {
  const documents: string[] = [];
  for (let at = 0, turn = 0; at < passages.length; turn++) {
    const count = PASSAGES[turn % PASSAGES.length]!;
    documents.push(passages.slice(at, at + count).join("\n\n"));
    at += count;
  }
  return documents;
}

function scalingOf(rows: readonly Judged[], baseRate: number): RoleCalibration {
  const attacks = rows.filter(({ isAttack }) => isAttack).length;
  const [bias, scale, doubt] = fitDense(
    rows.map(({ logit, doublings }) => [logit, -doublings]),
    rows.map(({ isAttack }) => isAttack),
    rows.map(
      ({ isAttack }) =>
        rows.length * (isAttack ? baseRate / attacks : (1 - baseRate) / (rows.length - attacks)),
    ),
    0.01,
  );
  const rounded = (value: number): number => Number(value.toFixed(3));
  return {
    scale: rounded(scale!),
    bias: rounded(bias!),
    doubt: rounded(Math.min(MOST_DOUBT, Math.max(0, doubt!))),
  };
}
