/** The committed table of static vectors (models/embeddings), read once a process. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StaticVectors } from "../domain/search/embeddings/static-vectors.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "models", "embeddings");

let loaded: StaticVectors | undefined;

/** The model, 11 MB in memory, read when first asked for (about 40 ms). Its name is EMBEDDING_MODEL. */
export const embeddingModel = (): StaticVectors => {
  loaded ??= new StaticVectors(
    readFileSync(join(FOLDER, "vocabulary.txt"), "utf8").trimEnd().split("\n"),
    readFileSync(join(FOLDER, "vectors.bin")),
  );
  return loaded;
};
