/** Decides which expressions are rejected. */
import type { Exception } from "./exceptions.ts";
import type { Expression } from "./inventory.ts";
import { type ExpressionVerdict, expressionKey, type Verdicts } from "./verdicts.ts";

const LONGEST_SHOWN = 160;

/**
 * One line per fault: expressions that are neither linear nor excepted, and exceptions that do not match exactly one
 * such expression.
 */
export function refusals(
  expressions: readonly Expression[],
  verdicts: Verdicts,
  exceptions: readonly Exception[],
): string[] {
  const faults: string[] = [];
  const used = new Map<Exception, number>();
  for (const expression of expressions) {
    const verdict = verdicts.get(expressionKey(expression));
    if (verdict?.says === "linear") continue;
    const exception = exceptions.find((one) => isExcepted(expression, one));
    if (exception) used.set(exception, (used.get(exception) ?? 0) + 1);
    else
      faults.push(
        `${expression.places.join(", ")}: ${verdict ? said(verdict) : "not asked about"}: ${expressionKey(expression).slice(0, LONGEST_SHOWN)}`,
      );
  }
  for (const exception of exceptions)
    if (used.get(exception) !== 1)
      faults.push(
        `the exception of ${exception.file} for ${exception.begins} is for ${used.get(exception) ?? 0} expressions`,
      );
  return faults;
}

export const isExcepted = ({ source, places }: Expression, { file, begins }: Exception): boolean =>
  source.startsWith(begins) && places.some((place) => place.startsWith(`${file}:`));

const said = (verdict: ExpressionVerdict): string =>
  verdict.says === "unknown"
    ? "recheck cannot decide"
    : verdict.says === "polynomial"
      ? `polynomial, of degree ${verdict.degree}`
      : verdict.says;
