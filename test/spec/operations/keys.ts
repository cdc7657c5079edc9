/** Section 4.5: key management of the gateway. */
import { json, type OperationRow } from "./row.ts";

export const KEY_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/v1/keys/generate",
    body: { plan: { type: "string" }, owner: { type: "string" }, email: { type: "string" } },
    ...json,
    errors: [401, 403, 429],
  },
  { method: "POST", path: "/api/v1/keys/validate", ...json, errors: [401] },
  { method: "GET", path: "/api/v1/keys/usage", added: ["days"], ...json, errors: [401] },
  { method: "POST", path: "/api/v1/keys/revoke", ...json, errors: [401] },
  { method: "POST", path: "/api/v1/keys/rotate", addedBody: ["grace_seconds"], ...json, errors: [401] },
];

/** All that an account lists, by id. */
export const KEY_BEYOND: readonly string[] = [
  "GET /api/account/keys",
  "POST /api/account/keys",
  "POST /api/account/keys/{keyId}/rotate",
  "POST /api/account/keys/{keyId}/revoke",
];
