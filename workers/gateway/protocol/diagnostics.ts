/** What is said about a document: where, what, how bad, and a patch that mends it where one exists. */
import { z } from "zod";

/** RFC 6902. Applied in order to the parsed document. */
export const PatchOperation = z.object({
  op: z.enum(["add", "remove", "replace"]),
  path: z.string().meta({ description: "JSON Pointer (RFC 6901)" }),
  value: z.unknown().optional(),
});
export type PatchOperation = z.infer<typeof PatchOperation>;

export const LAYERS = ["json", "schema", "lint", "trust"] as const;

export const Diagnostic = z
  .object({
    code: z.string().meta({
      description: "Layer and rule; stable",
      example: "lint.https",
    }),
    severity: z.enum(["error", "warning", "info"]).meta({
      description:
        "error: a registry refuses or distrusts the document; warning: readers may; info: no fault",
    }),
    pointer: z.string().meta({
      description:
        "JSON Pointer (RFC 6901) of the value at fault; of a missing member, where it should stand; empty for the whole document",
      example: "/agent_access/api_base",
    }),
    line: z.int().min(1).nullable().meta({
      description: "Line in the text sent, from 1; null where no text was sent or it has no such place",
    }),
    column: z.int().min(1).nullable().meta({ description: "Column, from 1, in UTF-16 units" }),
    message: z.string(),
    fix_patch: z.array(PatchOperation).nullable().meta({
      description:
        "JSON Patch (RFC 6902) that mends this fault; a signed document must be signed again. Null where only the owner can mend it",
    }),
  })
  .meta({ id: "Diagnostic" });
export type Diagnostic = z.infer<typeof Diagnostic>;

/** A diagnostic before its place in the text is known. */
export type Diagnosis = Omit<Diagnostic, "line" | "column">;

export type Path = (string | number)[];

export const GRADES = ["A", "B", "C", "D", "F"] as const;
export type ProtocolGrade = (typeof GRADES)[number];

const COST = { error: 20, warning: 5, info: 0 } as const;
/** With an error a registry refuses the document: the best that can then be said of it. */
const BEST_WITH_ERROR = 60;

export const errorAt = (
  code: string,
  pointer: string,
  message: string,
  fix: PatchOperation[] | null,
): Diagnosis => ({ code, severity: "error", pointer, message, fix_patch: fix });

export const warningAt = (
  code: string,
  pointer: string,
  message: string,
  fix: PatchOperation[] | null,
): Diagnosis => ({ code, severity: "warning", pointer, message, fix_patch: fix });

/** The value that a pointer names, undefined where there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const step of pointerSteps(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** The steps of a pointer; digits stay text. */
export const pointerSteps = (pointer: string): string[] =>
  pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/** 0 to 100: 20 off for each error, 5 for each warning, at most 60 with an error. */
export function protocolScore(faults: readonly Pick<Diagnosis, "severity">[]): {
  score: number;
  grade: ProtocolGrade;
} {
  const cost = faults.reduce((sum, { severity }) => sum + COST[severity], 0);
  const most = faults.some(({ severity }) => severity === "error") ? BEST_WITH_ERROR : 100;
  const score = Math.max(0, Math.min(most, 100 - cost));
  const grade = score >= 90 ? "A" : score >= 80 ? "B" : score >= 65 ? "C" : score >= 50 ? "D" : "F";
  return { score, grade };
}

/** The patch that puts a value in the place of what is there. */
export const replacing = (path: Path, value: unknown): PatchOperation[] => [
  { op: "replace", path: pointerOf(path), value },
];

/** RFC 6901 section 3. */
export const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
