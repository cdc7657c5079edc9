/** Section 4.3: the provider API. */
import { json, type OperationRow } from "./row.ts";

const domain = { type: "string", required: true } as const;

export const PROVIDER_OPERATIONS: readonly OperationRow[] = [
  { method: "GET", path: "/api/discovery/provider/manifest", ...json },
  {
    method: "GET",
    path: "/api/discovery/provider/record-template",
    query: { domain, endpoint: { type: "string" } },
    added: ["pk"],
    ...json,
    errors: [400],
  },
  {
    method: "GET",
    path: "/api/discovery/provider/enable-plan",
    query: {
      domain,
      action: { type: "string", default: "enable" },
      endpoint: { type: "string" },
    },
    added: ["pk"],
    ...json,
    errors: [400],
  },
  { method: "GET", path: "/api/discovery/provider/status", query: { domain }, ...json, errors: [400] },
  {
    method: "POST",
    path: "/api/discovery/provider/verify-batch",
    body: {
      domains: { type: "array", required: true },
      include_agent_run: { type: "boolean", default: false },
      callback_url: { type: "string" },
      callback_secret: { type: "string" },
    },
    ...json,
    errors: [400],
  },
  { method: "GET", path: "/api/discovery/provider/batches/{request_id}", ...json, errors: [404] },
];

/** What the registry says of a site, for whoever asks. */
export const PROVIDER_BEYOND: readonly string[] = [
  "GET /api/registry/sites/{domain}",
  "GET /api/registry/sites/{domain}/as/{format}",
  "GET /api/registry/sites/{domain}/ready",
  "GET /api/registry/sites/{domain}/draft",
  "GET /api/registry/sites/{domain}/dns",
  "POST /api/registry/sites/{domain}/document",
  "POST /api/registry/sites/{domain}/recheck",
  "POST /api/discovery/provider/test-callback",
  "GET /api/registry/sites/{domain}/domain-connect",
  "GET /api/discovery/provider/domain-connect",
  "GET /api/discovery/provider/domain-connect/{service}",
];
