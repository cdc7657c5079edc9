/**
 * `node deploy/names.ts [folder]`, a step of `npm run check`: no two files of the program export one name, so that an import says
 * what it means; and a function with a body is a declaration, so that a file can be read from its purpose to its helpers.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Expression, parseSync, type Statement } from "oxc-parser";

const ROOT = process.argv[2] ?? join(import.meta.dirname, "..");
/** What is one program: an SDK is published alone, and each test or bench is a program of its own. */
const PROGRAM = "{schemas,src,workers,app,world,deploy}/**/*.{ts,mjs}";
const ALL = "{schemas,src,workers,app,world,deploy,sdk/typescript/src,test,train}/**/*.{ts,mjs}";
/** Names that are demanded of several files by what loads them. */
const DEMANDED: Readonly<Record<string, RegExp>> = {
  // app/roles.ts loads each role as a module that starts it.
  start: /^workers\/[^/]+\/role\.ts$/,
};

const isOfProgram = new Set(globSync(PROGRAM, { cwd: ROOT }));
const exporters = new Map<string, string[]>();
const faults: string[] = [];
for (const file of globSync(ALL, { cwd: ROOT, exclude: ["**/node_modules", "**/*.d.ts"] })) {
  const { program, module } = parseSync(file, readFileSync(join(ROOT, file), "utf8"));
  faults.push(
    ...expressionsIn(program.body).map((name) => `${file}: ${name} is to be declared as a function`),
  );
  if (!isOfProgram.has(file)) continue;
  const entries = module.staticExports.flatMap((each) => each.entries);
  const names = entries.flatMap(({ exportName, importName, moduleRequest }) =>
    exportName.kind === "Name" && importName.kind === "None" && !moduleRequest ? [exportName.name!] : [],
  );
  for (const name of new Set(names))
    if (!DEMANDED[name]?.test(file)) exporters.set(name, [...(exporters.get(name) ?? []), file]);
}
for (const [name, files] of exporters)
  if (files.length > 1) faults.push(`${name} is exported by ${files.sort().join(", ")}`);

for (const fault of faults.sort()) process.stdout.write(`${fault}\n`);
process.exit(faults.length > 0 ? 1 : 0);

/** Names of a module's constants that are functions with a body. One whose type is stated takes its parameters' types from there. */
function expressionsIn(statements: readonly Statement[]): string[] {
  return statements.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "VariableDeclaration") return [];
    return declared.declarations.flatMap(({ id, init }) =>
      id.type === "Identifier" && !id.typeAnnotation && hasBody(init) ? [id.name] : [],
    );
  });
}

function hasBody(init: Expression | null): boolean {
  if (init?.type === "ArrowFunctionExpression") return init.body.type === "BlockStatement";
  return init?.type === "FunctionExpression";
}
