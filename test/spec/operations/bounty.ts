/** Section 4.5: Bounty Network. */
import { json, type OperationRow } from "./row.ts";

const errors = [401, 429] as const;

export const BOUNTY_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/v1/bounty/report",
    addedBody: ["url", "kind", "description", "html", "handle"],
    ...json,
    errors: [400, ...errors],
  },
  { method: "GET", path: "/api/v1/bounty/report/{id}", added: ["stix"], ...json, errors: [404, ...errors] },
  { method: "GET", path: "/api/v1/bounty/leaderboard", added: ["limit"], ...json, errors },
  { method: "GET", path: "/api/v1/bounty/stats", added: ["days"], ...json, errors },
];

export const BOUNTY_BEYOND: readonly string[] = ["GET /api/v1/bounty/reports"];
