/** The committed models of the module. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import type { Calibrations } from "./classifier.ts";
import { type NeuralTasks, neuralTasks } from "./tasks.ts";

/** Temperature and threshold as they were fitted (models/neural/classifier.json). */
export const readCalibrations = (): Calibrations =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, "..", "..", "..", "models", "neural", "classifier.json"), "utf8"),
  ) as Calibrations;

export const loadTasks = (): NeuralTasks => neuralTasks(embeddingModel(), readCalibrations());
