/** Section 4.5: Collective Bargaining. */
import { json, type OperationRow } from "./row.ts";

export const BARGAINING_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/v1/bargaining/join",
    addedBody: [
      "product_ref",
      "quantity",
      "currency",
      "commitment",
      "target_members",
      "open_hours",
      "pool_id",
      "price",
      "nonce",
    ],
    ...json,
    errors: [401, 403, 409, 429],
  },
  {
    method: "GET",
    path: "/api/v1/bargaining/pools",
    added: ["product_ref", "state", "mine", "limit", "offset"],
    ...json,
    errors: [401, 403, 429],
  },
  { method: "GET", path: "/api/v1/bargaining/pool/{id}", ...json, errors: [401, 403, 404, 429] },
];

export const BARGAINING_BEYOND: readonly string[] = ["POST /api/v1/bargaining/offer"];
