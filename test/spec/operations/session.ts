/** Section 4.1: sessions, actions and pages. */
import { json, type OperationRow } from "./row.ts";

export const SESSION_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/bridge/authenticate",
    body: {
      licenseKey: { type: "string" },
      agentId: { type: "string" },
      agentName: { type: "string" },
    },
    addedBody: ["permissions", "purpose", "siteId"],
    ...json,
    errors: [401],
  },
  { method: "GET", path: "/api/bridge/actions", query: { siteId: { type: "string" } }, ...json },
  {
    method: "POST",
    path: "/api/bridge/execute",
    body: {
      action: { type: "string", required: true },
      target: { type: "string" },
      value: { type: "string" },
      context: { type: "object" },
    },
    addedBody: ["dry_run", "confirm_total", "confirm_unknown_total", "max_total"],
    ...json,
    errors: [401, 403],
  },
  {
    method: "GET",
    path: "/api/bridge/page-info",
    query: { siteId: { type: "string" }, url: { type: "string" } },
    ...json,
    errors: [404],
  },
  {
    method: "GET",
    path: "/api/noscript/bridge/{siteId}",
    status: 200,
    contentType: "text/html",
    errors: [404],
  },
];

/** The script that discovery documents name, and what lets a site join the websocket. */
export const SESSION_OPERATIONS_BEYOND: readonly string[] = [
  "GET /bridge.js",
  "GET /bridge.d.ts",
  "POST /api/bridge/site-token",
  "GET /api/bridge/read-page",
  "POST /api/bridge/screen",
  "GET /api/bridge/receipts",
  "GET /api/bridge/receipts/{receiptId}",
];
