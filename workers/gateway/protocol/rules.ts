/** A discovery document judged in layers: JSON, schema, lint, trust. Each is judged only where the one before holds. */
import { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import { parseHost } from "../../../src/domain/names/domain-name.ts";
import { type Diagnosis, type Diagnostic, LAYERS, type ProtocolGrade, protocolScore } from "./diagnostics.ts";
import { lintFaults } from "./lint-layer.ts";
import { applyPatch } from "./patch.ts";
import { schemaFaults } from "./schema-layer.ts";
import { readSource } from "./source.ts";
import { trustLayer } from "./trust-layer.ts";

export type Layer = (typeof LAYERS)[number];
export type LayerState = "passed" | "failed" | "not_observed";

export interface DocumentJudgement {
  /** No error in any layer. */
  valid: boolean;
  /** The ring that the document would have, as far as was seen. */
  ring: 0 | 1 | 2 | 3;
  score: number;
  grade: ProtocolGrade;
  layers: Record<Layer, LayerState>;
  diagnostics: Diagnostic[];
  notObserved: { what: string; reason: string }[];
}

export interface JudgeContext {
  now: number;
  /** Canonical host that the document should be for; undefined to go by what it says. */
  domain: string | undefined;
  /** TXT records of `_bridge.<domain>`, undefined when not seen. */
  txt: readonly string[] | undefined;
  /** False when the text was written by us from a value: it has no lines of the caller's. */
  hasPlaces: boolean;
  /** Faults that lie outside the document, such as two paths that differ. */
  outside?: readonly Diagnosis[];
}

/** Diagnostics shown; the score counts all. */
const MAX_SHOWN = 200;

/** Faults whose patches are followed to their end: a document with more is wrong as a whole. */
const MAX_COMPLETED = 8;
/** Patches one patch may bring about. */
const MAX_CONSEQUENCES = 24;

/** The same, as a scan thread's task. */
export const judgeTask = ({ text, context }: { text: string; context: JudgeContext }): DocumentJudgement =>
  judgeDocument(text, context);

/** Never throws; 64 KiB of anything takes milliseconds. */
export function judgeDocument(text: string, context: JudgeContext): DocumentJudgement {
  const source = readSource(text);
  const layers: Record<Layer, LayerState> = {
    json: "passed",
    schema: "not_observed",
    lint: "not_observed",
    trust: "not_observed",
  };
  const faults: (Diagnosis & { offset?: number })[] = [...(context.outside ?? []), ...source.faults];
  const notObserved: DocumentJudgement["notObserved"] = [];
  let ring: DocumentJudgement["ring"] = 0;
  const fail = (layer: Layer, found: readonly Diagnosis[]): boolean => {
    faults.push(...found);
    const failed = found.some(({ severity }) => severity === "error");
    layers[layer] = failed ? "failed" : "passed";
    return failed;
  };
  if (source.faults.length > 0) layers.json = "failed";
  else if (!fail("schema", schemaFaults(source.value, context))) {
    // The schema counts characters where the reader counts UTF-16 units: the reader has the last word.
    const read = DiscoveryDocument.safeParse(source.value);
    if (read.success) {
      fail("lint", lintFaults(read.data, context));
      const own = parseHost(read.data.provider.domain);
      const domain = context.domain ?? (own.ok ? own.host : undefined);
      if (domain !== undefined) {
        const trust = trustLayer(Buffer.from(text), read.data, { ...context, domain });
        fail("trust", trust.faults);
        ring = trust.ring;
        notObserved.push(...trust.notObserved);
      }
    } else
      fail(
        "schema",
        read.error.issues.map((issue) => issueFault(issue.path, issue.message)),
      );
  }
  if (layers.json === "passed" && faults.length <= MAX_COMPLETED)
    for (const [i, fault] of faults.entries()) faults[i] = completed(fault, faults, source.value, context);
  for (const layer of LAYERS)
    if (layers[layer] === "not_observed")
      notObserved.push({ what: layer, reason: "a layer before it failed" });
  const diagnostics = faults.slice(0, MAX_SHOWN).map(({ offset, ...fault }) => {
    const place = context.hasPlaces
      ? offset === undefined
        ? source.placeOf(fault.pointer)
        : source.placeAt(offset)
      : null;
    return { ...fault, line: place?.line ?? null, column: place?.column ?? null };
  });
  const { score, grade } = protocolScore(faults);
  const valid = !faults.some(({ severity }) => severity === "error");
  return { valid, ring, score, grade, layers, diagnostics, notObserved };
}

const issueFault = (path: PropertyKey[], message: string): Diagnosis => ({
  code: "schema.form",
  severity: "error",
  pointer: path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
  message,
  fix_patch: null,
});

/** The patch, followed by those that it makes needful: a command whose permission it could not know, and the like. */
function completed(
  fault: Diagnosis,
  all: readonly Diagnosis[],
  value: unknown,
  context: JudgeContext,
): Diagnosis {
  if (!fault.fix_patch) return fault;
  const others = new Set(all.filter((one) => one !== fault).map(keyOf));
  const patch = [...fault.fix_patch];
  let mended = applyPatch(value, patch);
  for (let round = 0; round < MAX_CONSEQUENCES; round++) {
    const next = bodyFaults(mended, context).find((one) => one.fix_patch && !others.has(keyOf(one)));
    if (!next) break;
    patch.push(...next.fix_patch!);
    mended = applyPatch(mended, next.fix_patch!);
  }
  return { ...fault, fix_patch: patch };
}

const keyOf = ({ code, pointer }: Diagnosis): string => `${code} ${pointer}`;

/** Schema and, where it holds, lint: what a patch may disturb. */
function bodyFaults(value: unknown, context: JudgeContext): Diagnosis[] {
  const ofSchema = schemaFaults(value, context);
  if (ofSchema.length > 0) return ofSchema;
  const read = DiscoveryDocument.safeParse(value);
  return read.success ? lintFaults(read.data, context) : [];
}
