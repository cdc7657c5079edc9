/** Section 4.5: the Agent Firewall. */
import { json, type OperationRow } from "./row.ts";

export const FIREWALL_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/v1/firewall/scan",
    body: { url: { type: "string" }, content: { type: "string" } },
    addedBody: ["html", "role", "text"],
    ...json,
    errors: [401, 403],
  },
  { method: "GET", path: "/api/v1/firewall/stats", added: ["months"], ...json, errors: [401, 403] },
];
