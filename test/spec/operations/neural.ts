/** Section 4.5: Neural Engine. */
import { json, type OperationRow } from "./row.ts";

const errors = [401, 403, 429];

export const NEURAL_OPERATIONS: readonly OperationRow[] = [
  { method: "POST", path: "/api/v1/neural/analyze-url", addedBody: ["url", "html", "text"], ...json, errors },
  { method: "POST", path: "/api/v1/neural/classify", addedBody: ["text", "labels"], ...json, errors },
  { method: "POST", path: "/api/v1/neural/embeddings", addedBody: ["texts"], ...json, errors },
];
