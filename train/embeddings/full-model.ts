/** The figures of the model that the static vectors are made from, for docs/evaluation/neural.md. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRODUCT_SETS, readPairs } from "../../test/eval/neural/products.ts";
import { runPython } from "../python.ts";

const here = import.meta.dirname;

/** Writes models/embeddings/full-model.json (some minutes on two cores). Needs the product titles. */
export async function measureFullModel(): Promise<void> {
  const sets = PRODUCT_SETS.flatMap((set) => {
    const pairs = readPairs(set)?.map(({ left, right, same }) => [left.title, right.title, same]);
    return pairs ? [[set, pairs] as const] : [];
  });
  if (sets.length === 0) throw new Error("No product titles: set BRIDGE_DATA_DIR.");
  const script = join(here, "full_model.py");
  const output = runPython(
    join(here, "requirements.txt"),
    script,
    [],
    JSON.stringify(Object.fromEntries(sets)),
  );
  const figures = { model: "all-MiniLM-L6-v2, 384 components", products: JSON.parse(output) as unknown };
  writeFileSync(
    join(here, "..", "..", "models", "embeddings", "full-model.json"),
    `${JSON.stringify(figures, null, 2)}\n`,
  );
}
