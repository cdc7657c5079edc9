/** How the validator does on mutants: found, found at the exact place, mended by its own patch. */

import { applyPatch } from "../../../workers/gateway/protocol/patch.ts";
import { type DocumentJudgement, judgeDocument } from "../../../workers/gateway/protocol/rules.ts";
import { drawBase, NOW, signed } from "./documents.ts";
import { drawMutants, type Mutant } from "./mutants.ts";

export interface Outcome {
  mutant: Mutant;
  found: boolean;
  /** The only fault told, at its pointer. */
  exact: boolean;
  /** Line and column point into the text. */
  placed: boolean;
  mended: boolean;
  judgement: DocumentJudgement;
}

const judge = (text: string, { base, txt }: Pick<Mutant, "base" | "txt">): DocumentJudgement =>
  judgeDocument(text, {
    now: NOW,
    domain: undefined,
    txt,
    hasPlaces: true,
    ...(txt && { domain: base.domain }),
  });

/** What is said of a sound document that is not signed. */
const isFault = ({ code }: { code: string }, mutant: Mutant): boolean =>
  code !== "trust.unsigned" || !mutant.mendable;

function tryMutant(mutant: Mutant): Outcome {
  const judgement = judge(mutant.text, mutant);
  const told = judgement.diagnostics.filter((one) => isFault(one, mutant));
  const hit = told.find(({ pointer, code }) => pointer === mutant.pointer && mutant.code.test(code));
  const lines = mutant.text.split("\n");
  const patch = hit?.fix_patch;
  const after = patch ? judge(JSON.stringify(applyPatch(JSON.parse(mutant.text), patch)), mutant) : undefined;
  return {
    mutant,
    judgement,
    found: told.length > 0,
    exact: hit !== undefined && told.length === 1,
    placed: hit?.line != null && hit.column != null && hit.column <= (lines[hit.line - 1]?.length ?? 0) + 1,
    mended: !mutant.mendable || after?.diagnostics.every(({ code }) => code === "trust.unsigned") === true,
  };
}

export interface Measure {
  mutants: number;
  outcomes: Outcome[];
  found: number;
  exact: number;
  placed: number;
  mended: number;
  /** Sound documents that something was said of. */
  falseAlarms: number;
  sound: number;
}

export function measure(seed: number, bases: number, most: number): Measure {
  const outcomes = drawMutants(seed, bases, most).map(tryMutant);
  const count = (of: (outcome: Outcome) => boolean): number => outcomes.filter(of).length;
  const sound = Array.from({ length: bases }, (_, index) => drawBase(seed, index)).flatMap((base) => [
    judge(JSON.stringify(base.document), { base, txt: undefined }),
    judge(JSON.stringify(signed(base)), { base, txt: base.txt }),
  ]);
  return {
    mutants: outcomes.length,
    outcomes,
    found: count(({ found }) => found),
    exact: count(({ exact }) => exact),
    placed: count(({ placed }) => placed),
    mended: count(({ mended }) => mended),
    falseAlarms: sound.filter(({ diagnostics }) => diagnostics.some(({ code }) => code !== "trust.unsigned"))
      .length,
    sound: sound.length,
  };
}
