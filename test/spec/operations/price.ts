/** Section 4.5: Price Time Machine. */
import { json, type OperationRow } from "./row.ts";

export const PRICE_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/v1/price/track",
    addedBody: [
      "platform",
      "productId",
      "price",
      "currency",
      "observed_at",
      "seller",
      "region",
      "url",
      "product_name",
    ],
    ...json,
    errors: [401, 429],
  },
  {
    method: "GET",
    path: "/api/v1/price/history/{platform}/{productId}",
    added: ["seller", "region", "currency", "days", "announced_percent", "announced_was"],
    ...json,
    errors: [401, 404, 429],
  },
  {
    method: "GET",
    path: "/api/v1/price/compare",
    query: { product_name: { type: "string", required: true } },
    added: ["brand", "model", "currency", "limit"],
    ...json,
    errors: [401, 429],
  },
];

/** What everybody may read of a site's prices. */
export const PRICE_BEYOND: readonly string[] = ["GET /api/registry/sites/{domain}/prices"];
