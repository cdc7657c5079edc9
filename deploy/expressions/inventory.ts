/**
 * Inventory of the program's regular expressions: literals and construction sites found by a parser, expressions built
 * while modules load, and the patterns of published schemas, which are matched against input too.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync, Visitor } from "oxc-parser";

/** A regular expression and its locations. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
  /** `file:line` of each place, from the root of the project. */
  readonly places: readonly string[];
}

export const ROOT = join(import.meta.dirname, "../..");
/** The program's folders, and those of the SDK, which reads what a registry and its sites send. Tests, benches, evaluations and training read only trusted text. */
const PROGRAM = [
  "app/**/*.{ts,mjs}",
  "src/**/*.ts",
  "workers/**/*.ts",
  "schemas/**/*.ts",
  "sdk/typescript/src/**/*.ts",
];
/** Readers of tables of facts, and of words of several languages, build expressions of them as they load. */
const BUILDS_AT_LOAD = /from "[^"]*\/(?:tables\/read-table|words)\.ts"/;
const SCHEMAS = ["schemas/openapi.json", "schemas/discovery-document.schema.json"];
/** String methods that convert a string to an expression. */
const MAKES_EXPRESSION = new Set(["match", "matchAll", "search"]);

interface Found extends Omit<Expression, "places"> {
  readonly place: string;
}

/**
 * Every distinct expression of the program, ordered by source.
 * @throws Error naming sites that build an expression only at run time, which cannot be checked
 */
export async function inventory(): Promise<Expression[]> {
  const found: Found[] = [];
  const built = new Map<string, string[]>();
  for (const file of globSync(PROGRAM, { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), "utf8");
    const inFile = expressionsIn(file, text);
    found.push(...inFile.literals);
    if (inFile.built.length > 0 || BUILDS_AT_LOAD.test(text)) built.set(file, inFile.built);
  }
  const atLoad = await recorded(async () => {
    for (const file of built.keys()) await import(pathToFileURL(join(ROOT, file)).href);
  });
  const seen = new Set(atLoad.map(({ place }) => place));
  const unseen = [...built.values()].flat().filter((place) => !seen.has(place));
  if (unseen.length > 0)
    throw new Error(
      `built while the program runs, or from a string: ${unseen.join(", ")}. Write a literal, or build it as the module loads.`,
    );
  found.push(...atLoad);
  for (const file of SCHEMAS)
    for (const source of patternsIn(JSON.parse(readFileSync(join(ROOT, file), "utf8"))))
      found.push({ source, flags: "u", place: file });
  return merged(found);
}

/** Literals of a source file, and its other construction sites. */
export function expressionsIn(file: string, text: string): { literals: Found[]; built: string[] } {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const literals: Found[] = [];
  const built = new Set<string>();
  const placeOf = (start: number): string => `${file}:${text.slice(0, start).split("\n").length}`;
  const call = (node: { start: number; callee: { type: string; name?: string } }): void => {
    if (node.callee.type === "Identifier" && node.callee.name === "RegExp") built.add(placeOf(node.start));
  };
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      literals.push({ source: node.regex.pattern, flags: node.regex.flags, place: placeOf(node.start) });
    },
    NewExpression: (node) => call(node as never),
    CallExpression(node) {
      call(node as never);
      const { callee, arguments: values } = node;
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      const [value] = values;
      const isString =
        value?.type === "TemplateLiteral" || (value?.type === "Literal" && typeof value.value === "string");
      if (isString && MAKES_EXPRESSION.has(callee.property.name)) built.add(placeOf(node.start));
    },
  }).visit(program);
  return { literals, built: [...built] };
}

/** Runs `load` and records each expression that a file of the project builds from a string meanwhile. */
async function recorded(load: () => Promise<void>): Promise<Found[]> {
  const found: Found[] = [];
  const Native = globalThis.RegExp;
  const note = (expression: RegExp): RegExp => {
    const [, file, line] =
      /\n[^\n]*note[^\n]*\n[^\n]*\n[^\n]*?(?:file:\/\/)?(\/[^\n]+?):(\d+):\d+/.exec(
        new Error().stack ?? "",
      ) ?? [];
    if (file?.startsWith(`${ROOT}/`) && !file.includes("node_modules"))
      found.push({
        source: expression.source,
        flags: expression.flags,
        place: `${file.slice(ROOT.length + 1)}:${line}`,
      });
    return expression;
  };
  globalThis.RegExp = new Proxy(Native, {
    construct: (target, values) => note(Reflect.construct(target, values) as RegExp),
    apply: (target, self, values) => note(Reflect.apply(target, self, values) as RegExp),
  });
  try {
    await load();
  } finally {
    globalThis.RegExp = Native;
  }
  return found;
}

/** The patterns of a JSON document's schemas, as Ajv reads them. */
function* patternsIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value))
    if (name === "pattern" && typeof member === "string") yield member;
    else yield* patternsIn(member);
}

function merged(found: readonly Found[]): Expression[] {
  const all = new Map<string, { source: string; flags: string; places: Set<string> }>();
  for (const { source, flags, place } of found) {
    const key = `/${source}/${flags}`;
    const known = all.get(key) ?? { source, flags, places: new Set() };
    known.places.add(place);
    all.set(key, known);
  }
  return [...all.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { source, flags, places }]) => ({ source, flags, places: [...places].sort() }));
}
