/** Section 4.5: Cryptographic Notary. */
import { json, type OperationRow } from "./row.ts";

const SUBJECT = ["url", "product", "seller", "currency", "evidence", "evidence_sha256"];

export const NOTARY_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/v1/notary/price",
    addedBody: [...SUBJECT, "observed_by", "price", "observed_at", "observer", "comparison"],
    ...json,
    errors: [401, 403, 422, 429],
  },
  {
    method: "POST",
    path: "/api/v1/notary/transaction",
    addedBody: [
      ...SUBJECT,
      "quantity",
      "agreed",
      "paid",
      "paid_currency",
      "agreed_at",
      "paid_at",
      "reference_sha256",
    ],
    ...json,
    errors: [401, 403, 429],
  },
  { method: "GET", path: "/api/v1/notary/verify/{certId}", ...json, errors: [401, 403, 404] },
];
