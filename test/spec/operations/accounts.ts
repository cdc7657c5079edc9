/** Section 4.4: plans, accounts, license. */
import { json, type OperationRow } from "./row.ts";

export const ACCOUNT_OPERATIONS: readonly OperationRow[] = [
  { method: "GET", path: "/api/plans", ...json },
  {
    method: "POST",
    path: "/api/auth/register",
    body: {
      email: { type: "string", required: true },
      password: { type: "string", required: true, minLength: 8 },
      name: { type: "string", required: true },
    },
    contentType: "application/json",
    status: 201,
    errors: [400],
  },
  {
    method: "POST",
    path: "/api/auth/login",
    body: { email: { type: "string", required: true }, password: { type: "string", required: true } },
    ...json,
    errors: [401],
  },
  {
    method: "POST",
    path: "/api/license/verify",
    body: { licenseKey: { type: "string", required: true }, domain: { type: "string", required: true } },
    ...json,
    errors: [403],
  },
];

/** What an account owns. */
export const ACCOUNT_OPERATIONS_BEYOND: readonly string[] = [
  "GET /api/auth/me",
  "POST /api/auth/password",
  "GET /api/account/sites",
  "POST /api/account/sites",
  "GET /api/account/sites/challenge",
  "PATCH /api/account/sites/{siteId}",
  "DELETE /api/account/sites/{siteId}",
  "PUT /api/account/sites/{siteId}/document",
  "DELETE /api/account/sites/{siteId}/document",
  "GET /api/account/licenses",
  "POST /api/account/licenses",
  "POST /api/account/licenses/{licenseId}/rotate",
  "POST /api/account/licenses/{licenseId}/revoke",
  "GET /api/account/projects",
  "POST /api/account/projects",
  "POST /api/account/projects/{projectId}/rotate",
  "POST /api/account/projects/{projectId}/revoke",
  "GET /api/account/agents",
  "POST /api/account/agents",
  "POST /api/account/agents/{agentId}/rotate",
  "POST /api/account/agents/{agentId}/revoke",
  "GET /api/account/wallet",
  "PUT /api/account/wallet/{domain}",
  "DELETE /api/account/wallet/{domain}",
  "GET /api/account/gateway-key",
  "PUT /api/account/gateway-key",
  "DELETE /api/account/gateway-key",
];
