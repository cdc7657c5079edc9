/** How the validator does on mutants: found at the exact place, mended by its own patch. */
import { applyPatch } from "../../../../workers/gateway/protocol/patch.ts";
import { type DocumentJudgement, judgeDocument } from "../../../../workers/gateway/protocol/rules.ts";
import { drawBase, NOW, signed } from "./documents.ts";
import { drawMutants, type Mutant } from "./mutants.ts";

export interface Outcome {
  mutant: Mutant;
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
    exact: hit !== undefined && told.length === 1,
    placed: hit?.line != null && hit.column != null && hit.column <= (lines[hit.line - 1]?.length ?? 0) + 1,
    mended: !mutant.mendable || after?.diagnostics.every(({ code }) => code === "trust.unsigned") === true,
  };
}

/** @param most mutants of one kind */
export function tryMutants(seed: number, bases: number, most: number): Outcome[] {
  return drawMutants(seed, bases, most).map(tryMutant);
}

/** What is said against sound documents, signed and unsigned. */
export function falseAlarms(seed: number, bases: number): DocumentJudgement[] {
  return Array.from({ length: bases }, (_, index) => drawBase(seed, index))
    .flatMap((base) => [
      judge(JSON.stringify(base.document), { base, txt: undefined }),
      judge(JSON.stringify(signed(base)), { base, txt: base.txt }),
    ])
    .filter(({ diagnostics }) => diagnostics.some(({ code }) => code !== "trust.unsigned"));
}
