/** Section 4.5: the Dark Pattern Detector. */
import { json, type OperationRow } from "./row.ts";

export const DARK_PATTERN_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/v1/dark-pattern/audit",
    addedBody: ["url", "html", "text", "later", "jurisdictions"],
    ...json,
    errors: [401],
  },
  {
    method: "POST",
    path: "/api/v1/dark-pattern/scan",
    addedBody: ["url", "html", "text", "later"],
    ...json,
    errors: [401],
  },
  { method: "GET", path: "/api/v1/dark-pattern/patterns", ...json, errors: [401] },
];
