/** The committed table of static vectors (models/embeddings), read once a process. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StaticVectors } from "../domain/search/embeddings/static-vectors.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "models", "embeddings");

let loaded: StaticVectors | undefined;

/** The model, 14 MB in memory and the tokens, read when first asked for. Its name is EMBEDDING_MODEL. */
export function embeddingModel(): StaticVectors {
  loaded ??= new StaticVectors(
    readFileSync(join(FOLDER, "vocabulary.txt"), "utf8").trimEnd().split("\n"),
    readFileSync(join(FOLDER, "vectors.bin")),
    new Int8Array(readFileSync(join(FOLDER, "foreign.bin"))),
  );
  return loaded;
}
