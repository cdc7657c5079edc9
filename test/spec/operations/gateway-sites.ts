/** Section 4.5: the gateway's modules that look at sites: Protocol, Gov Intelligence, Affiliate Intelligence. */
import { json, type OperationRow } from "./row.ts";

export const GATEWAY_SITE_OPERATIONS: readonly OperationRow[] = [
  {
    method: "POST",
    path: "/api/v1/protocol/validate",
    addedBody: ["text", "document", "domain", "txt"],
    ...json,
    errors: [400, 401],
  },
  { method: "GET", path: "/api/v1/protocol/check/{domain}", ...json, errors: [400, 401] },
  { method: "GET", path: "/api/v1/protocol/schema", ...json, errors: [401] },
  {
    method: "POST",
    path: "/api/v1/affiliate/scan-url",
    addedBody: ["url"],
    ...json,
    errors: [400, 401, 403],
  },
  {
    method: "POST",
    path: "/api/v1/affiliate/scan-html",
    addedBody: ["html", "url"],
    ...json,
    errors: [400, 401, 403],
  },
  { method: "GET", path: "/api/v1/affiliate/stats", added: ["days"], ...json, errors: [401, 403] },
  {
    method: "GET",
    path: "/api/v1/gov/check/{domain}",
    added: ["country", "sector"],
    ...json,
    errors: [400, 401, 403],
  },
  {
    method: "GET",
    path: "/api/v1/gov/regulations",
    added: ["country", "sector"],
    ...json,
    errors: [400, 401, 403],
  },
  {
    method: "POST",
    path: "/api/v1/gov/compliance-report",
    addedBody: ["domain", "country", "sector", "html", "headers", "cookies", "dns"],
    ...json,
    errors: [400, 401, 403],
  },
];
