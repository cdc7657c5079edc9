/** Static token vectors distilled from all-MiniLM-L6-v2: distill.py says how. */
import { join } from "node:path";
import { runPython } from "../python.ts";

const here = import.meta.dirname;
const root = join(here, "..", "..");

/** Writes models/embeddings/ anew (about a minute on two cores). */
export const train = async (): Promise<void> => {
  runPython(join(here, "requirements.txt"), join(here, "distill.py"), [
    join(root, "models", "embeddings"),
    join(root, "test", "domain", "embeddings", "pieces.json"),
  ]);
};
