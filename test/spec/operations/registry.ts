/** Sections 4.1 and 4.2: discovery, search, registry and directory. */
import { json, type OperationRow } from "./row.ts";

/** The parameters of the search of sites, by either of its two paths. */
const search: Pick<OperationRow, "query" | "added"> = {
  query: {
    q: { type: "string", required: true },
    category: { type: "string" },
    limit: { type: "integer", default: 20, minimum: 1, maximum: 100 },
  },
  added: [
    "intent",
    "location",
    "trust_ring",
    "min_neutrality",
    "access",
    "min_relevance",
    "status",
    "as_typed",
    "highlight",
    "explain",
    "offset",
    "cursor",
    "facets",
  ],
};

export const REGISTRY_OPERATIONS: readonly OperationRow[] = [
  // 4.1 Discovery and protocol
  { method: "GET", path: "/agent-bridge.json", ...json, errors: [404] },
  { method: "GET", path: "/.well-known/bridge.json", ...json },
  { method: "GET", path: "/api/bridge/ping", ...json },
  { method: "GET", path: "/api/bridge/discover", query: { siteId: { type: "string" } }, ...json },
  {
    method: "GET",
    path: "/api/bridge/search",
    ...search,
    ...json,
  },
  // 4.2 Registry and directory
  {
    method: "GET",
    path: "/api/discovery/registry",
    query: {
      category: { type: "string", default: "all" },
      limit: { type: "integer", default: 50, minimum: 1, maximum: 200 },
      offset: { type: "integer", default: 0, minimum: 0 },
    },
    added: [
      "cursor",
      "intent",
      "location",
      "trust_ring",
      "min_neutrality",
      "access",
      "status",
      "domain",
      "updated_since",
      "facets",
    ],
    ...json,
  },
  {
    method: "GET",
    path: "/api/discovery/search",
    ...search,
    ...json,
  },
  {
    method: "GET",
    path: "/api/registry/discover",
    query: {
      intent: { type: "string" },
      location: { type: "string" },
      trust_ring: { type: "integer", minimum: 0 },
    },
    added: ["limit", "category", "exact", "min_relevance", "min_neutrality", "access", "cursor"],
    ...json,
  },
  {
    method: "POST",
    path: "/api/registry/report",
    body: {
      domain: { type: "string" },
      intent_tags: { type: "array" },
      trust_ring: { type: "integer" },
      score: { type: "number" },
      gossip_peers: { type: "array" },
    },
    ...json,
  },
  { method: "GET", path: "/.bridge", ...json },
];

/** What the registry says of itself. */
export const REGISTRY_BEYOND: readonly string[] = [
  "GET /api/registry/status",
  "GET /api/registry/about",
  "GET /api/registry/census",
  "GET /api/registry/serves",
  "GET /api/registry/services",
  "GET /api/registry/tools",
  "GET /ard/agents",
  "GET /ard/agents/{identifier}",
  "GET /v0.1/servers",
  "GET /v0.1/servers/{serverName}/versions",
  "GET /v0.1/servers/{serverName}/versions/{version}",
  "POST /ard/explore",
  "POST /ard/search",
];
