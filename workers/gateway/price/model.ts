/** The committed matcher (models/price). */
import { readFileSync } from "node:fs";
import type { MatchModel } from "./matching.ts";

const FOLDER = new URL("../../../models/price/", import.meta.url);

export function readMatchModel(): MatchModel {
  const { words, ...model } = JSON.parse(readFileSync(new URL("model.json", FOLDER), "utf8"));
  return {
    ...model,
    words: { ...words, weights: new Int8Array(readFileSync(new URL("words.bin", FOLDER))) },
  };
}
