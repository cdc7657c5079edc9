/** Caches recheck's verdicts in verdicts.json: some take seconds, and they do not change. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, type Diagnostics } from "recheck";
import type { Expression } from "./inventory.ts";

/** `prefix`, then `pump` repeated to the wanted length, for each pump; `suffix` ends it. */
export interface Attack {
  readonly pumps: readonly { readonly prefix: string; readonly pump: string }[];
  readonly suffix: string;
}

/** `linear`: no attack exists or none was found. `unknown`: recheck gave up, which is no better than an attack. */
export type ExpressionVerdict =
  | { readonly says: "linear" | "unknown" }
  | { readonly says: "exponential" | "polynomial"; readonly degree?: number; readonly attack: Attack };

/** By `/source/flags`. */
export type Verdicts = ReadonlyMap<string, ExpressionVerdict>;

export const VERDICTS_FILE = join(import.meta.dirname, "verdicts.json");
const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../node_modules/recheck/package.json"), "utf8"),
) as {
  version: string;
};

/** Bounded by steps, not by time, so that the machine's load decides nothing, except beyond `timeout`. */
const LIMITS = {
  timeout: 120_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  randomSeed: 0,
} as const;
/** Parallel checks of recheck's program. */
const CONCURRENT = 2;

/** The cached verdicts; none if they are of another version of recheck. */
export function keptVerdicts(): Verdicts {
  const kept = JSON.parse(readFileSync(VERDICTS_FILE, "utf8")) as {
    recheck: string;
    linear: string[];
    others: Record<string, ExpressionVerdict>;
  };
  if (kept.recheck !== version) return new Map();
  return new Map<string, ExpressionVerdict>([
    ...kept.linear.map((key) => [key, { says: "linear" }] as const),
    ...Object.entries(kept.others),
  ]);
}

/** Verdicts of all expressions: from the cache, or from recheck. */
export async function verdictsOf(expressions: readonly Expression[], kept: Verdicts): Promise<Verdicts> {
  const asked = new Map<string, ExpressionVerdict>();
  const pending = expressions.filter((expression) => !kept.has(expressionKey(expression)));
  const work = async (): Promise<void> => {
    for (let next = pending.pop(); next; next = pending.pop())
      asked.set(expressionKey(next), await checkExpression(next));
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return new Map(
    expressions.map((expression) => {
      const key = expressionKey(expression);
      return [key, (kept.get(key) ?? asked.get(key))!];
    }),
  );
}

export const expressionKey = ({ source, flags }: Pick<Expression, "source" | "flags">): string =>
  `/${source}/${flags}`;

/** Checks one expression with recheck, without the cache. */
export const checkExpression = async ({
  source,
  flags,
}: Pick<Expression, "source" | "flags">): Promise<ExpressionVerdict> =>
  verdictOf(await check(source, flags, LIMITS));

function verdictOf(found: Diagnostics): ExpressionVerdict {
  if (found.status !== "vulnerable") return { says: found.status === "safe" ? "linear" : "unknown" };
  const { pumps, suffix } = found.attack;
  const attack = { pumps: pumps.map(({ prefix, pump }) => ({ prefix, pump })), suffix };
  return found.complexity.type === "polynomial"
    ? { says: "polynomial", degree: found.complexity.degree, attack }
    : { says: "exponential", attack };
}

/** The text of verdicts.json: one expression per line, so that concurrent changes merge. */
export function writtenVerdicts(verdicts: Verdicts): string {
  const linear = [...verdicts].filter(([, { says }]) => says === "linear").map(([key]) => key);
  const others = [...verdicts].filter(([, { says }]) => says !== "linear");
  const lines = (entries: readonly string[]): string => entries.map((entry) => `    ${entry}`).join(",\n");
  return `{
  "recheck": ${JSON.stringify(version)},
  "linear": [
${lines(linear.map((key) => JSON.stringify(key)))}
  ],
  "others": {
${lines(others.map(([key, verdict]) => `${JSON.stringify(key)}: ${JSON.stringify(verdict)}`))}
  }
}
`;
}

/** An attack of about this many characters. */
export function attackOf({ pumps, suffix }: Attack, chars: number): string {
  const fixed = suffix.length + pumps.reduce((sum, { prefix }) => sum + prefix.length, 0);
  const each = Math.max(0, chars - fixed) / Math.max(1, pumps.length);
  const text = pumps.map(
    ({ prefix, pump }) => prefix + pump.repeat(Math.floor(each / Math.max(1, pump.length))),
  );
  return text.join("") + suffix;
}
