/** Part of `npm run check`: every table of facts is as its schema (schemas/tables.ts) has it, and none is without one. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { TABLES } from "../schemas/tables.ts";

const FOLDER = join(import.meta.dirname, "../tables");
const schemas = new Map<string, z.ZodType>(Object.entries(TABLES));
const names = new Set(readdirSync(FOLDER).map((file) => basename(file, ".json")));

const faults: string[] = [];
for (const name of names) if (!schemas.has(name)) faults.push(`tables/${name}.json has no schema`);
for (const [name, schema] of schemas) {
  if (!names.has(name)) {
    faults.push(`tables/${name}.json is missing`);
    continue;
  }
  const { error } = schema.safeParse(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")));
  if (error) faults.push(`tables/${name}.json: ${z.prettifyError(error)}`);
}
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exit(faults.length > 0 ? 1 : 0);
