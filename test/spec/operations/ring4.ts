/** Section 4.6: trust (Ring 4), and the transparency log's public files. */
import { json, type OperationRow } from "./row.ts";

export const RING4_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/ring4/register",
    body: {
      domain: { type: "string", required: true },
      capabilities: { type: "array" },
      constraints: { type: "array" },
      project_id: { type: "string" },
    },
    addedBody: ["proof", "issued_at"],
    ...json,
    errors: [400, 403],
  },
  { method: "GET", path: "/api/ring4/status/{domain}", ...json, errors: [404] },
  {
    method: "POST",
    path: "/api/ring4/verify",
    body: {
      domain: { type: "string", required: true },
      message: { type: "string", required: true },
      signature: { type: "string", required: true },
    },
    ...json,
  },
  {
    method: "POST",
    path: "/api/ring4/log",
    body: {
      project_id: { type: "string", required: true },
      domain: { type: "string" },
      event_type: { type: "string", required: true },
      outcome: { type: "string", required: true },
    },
    ...json,
    errors: [401, 403],
  },
  { method: "GET", path: "/api/ring4/log/{project_id}", added: ["limit", "cursor"], ...json },
  { method: "GET", path: "/api/ring4/invariants", ...json },
];

/** C2SP tlog-tiles. */
export const RING4_BEYOND: readonly string[] = [
  "GET /api/registry/sites/{domain}/evidence",
  "GET /api/registry/sites/{domain}/observations",
  "GET /.well-known/bridge-log/checkpoint",
  "GET /.well-known/bridge-log/key",
  "GET /.well-known/bridge-log/tile/{rest}",
  "GET /.well-known/bridge-log/entry/{index}",
  "GET /.well-known/bridge-log/erasures",
];
