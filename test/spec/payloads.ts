/** The specification's payloads (section 2), its constants (section 9), and what stands where it is silent. */
import type { Shape } from "./shape.ts";

/** 2.1 */
export const DISCOVERY_DOCUMENT: Shape = {
  bridge_version: "string",
  generated_at: "date-time",
  provider: { name: "string", domain: "string", category: "string", description: "string" },
  capabilities: {
    commands: ["string"],
    permissions: {
      readContent: "boolean",
      click: "boolean",
      fillForms: "boolean",
      scroll: "boolean",
      navigate: "boolean",
      apiAccess: "boolean?",
      automatedLogin: "boolean?",
      extractData: "boolean?",
    },
    tier: "string",
    transport: ["string"],
    features: ["string"],
  },
  agent_access: {
    bridge_script: "string",
    api_base: "string",
    websocket: "string",
    noscript: "string",
    discovery: "string",
  },
  fairness: {
    is_independent: "boolean",
    commission_rate: "number",
    direct_benefit: "string",
    neutrality_score: "number",
  },
  security: {
    session_required: "boolean",
    origin_validation: "boolean",
    rate_limit: "integer",
    sandbox: "boolean",
  },
  endpoints: "object",
  manifest: { payload: "string", protected: "string", signature: "string" },
};

export const PING: Shape = {
  status: "string",
  bridge_version: "=1.2.0",
  protocol_version: "=1.0",
  timestamp: "date-time",
};

/** 2.4 */
const SEARCH_ENVELOPE = {
  bridge_version: "=1.2.0",
  query: "string",
  total: "integer",
  total_is_exact: "boolean",
} as const;
export const SEARCH: Shape = {
  ...SEARCH_ENVELOPE,
  results: [
    {
      siteId: "string",
      name: "string",
      domain: "string",
      neutrality_score: "number",
      fairness_boost: "number",
      relevance: "number",
    },
  ],
};

const LISTING: Shape = {
  siteId: "string",
  domain: "string",
  name: "string",
  description: "string",
  category: "string",
  tags: ["string"],
  location: "object|null",
  trust_ring: "integer",
  trust_score: "number",
  trust_reasons: {
    signature: "number",
    dnssec: "number",
    age: "number",
    uptime: "number",
    findings: "number",
  },
  status: "=enabled",
  verified_at: "date-time",
  last_ok: "date-time",
  neutrality_score: "number",
  fairness_boost: "number",
  is_independent: "boolean|null",
  discovery_url: "address",
  beacon_url: "address",
};
export const DIRECTORY_SEARCH: Shape = { ...SEARCH_ENVELOPE, results: [{ ...LISTING, relevance: "number" }] };
export const REGISTRY: Shape = {
  bridge_version: "=1.2.0",
  total: "integer",
  total_is_exact: "boolean",
  category: "string",
  limit: "integer",
  offset: "integer",
  next_cursor: "string|null",
  listings: [LISTING],
};

/** 2.6 */
export const BRIDGE_META: Shape = {
  protocol: "=bridge/3.19",
  trust_ring: "integer",
  registry: "address",
  spider_report: "address",
};
/** 2.5 */
const PEER: Shape = {
  domain: "string",
  trust_ring: "integer",
  intent_tags: ["string"],
  verified_at: "date-time",
};
export const PEERS: Shape = {
  count: "integer",
  peers: [PEER],
  instructions: "string",
  bridge_meta: BRIDGE_META,
};
export const BEACON: Shape = {
  bridge_meta: BRIDGE_META,
  domain: "string",
  trust_ring: "integer",
  score: "number",
  intent_tags: ["string"],
  manifest: { payload: "string", protected: "string", signature: "string" },
  peers: [PEER],
  next: [{ domain: "string", url: "address" }],
  generated_at: "date-time",
};

/** 4.3, where the specification shows no bodies. */
export const RECORD_TEMPLATE: Shape = {
  domain: "string",
  ready: "boolean",
  record: { host: "string", host_fqdn: "string", type: "=TXT", ttl: "integer", value: "string|null" },
  zone_file: "string|null",
  chunks: ["string"],
  verify: { status: "address", document: "address", batch: "address" },
};
const STEP: Shape = {
  step: "integer",
  title: "string",
  operation: { action: "string", record: "object|null" },
  until: "string",
  interval_seconds: "integer",
  timeout_seconds: "integer",
};
export const ENABLE_PLAN: Shape = {
  request: { domain: "string", action: "string", endpoint: "address" },
  steps: [STEP],
  verification: { url: "address", interval_seconds: "integer", timeout_seconds: "integer" },
  rollback: { on_failure: "string", steps: [STEP] },
};
const CHECK: Shape = { state: "string", reason: "string", detail: "string" };
export const PROVIDER_STATUS: Shape = {
  domain: "string",
  state: "string",
  checks: { txt: CHECK, dnssec: CHECK, manifest: CHECK, signature: CHECK, agent_ready: CHECK },
  checked_at: "date-time",
};
export const PROVIDER_MANIFEST: Shape = {
  txt_record: { host: "=_bridge", type: "=TXT", format: "string", required_keys: ["string"], ttl: "integer" },
  operations: [{ name: "string", method: "string", url: "string" }],
  verification: { status: { interval_seconds: "integer" }, batch: { url: "address", max_domains: "=50" } },
  callback: { standard: "=Standard Webhooks 1.0.0", retry_seconds: ["number"] },
  bridge_version: "=1.2.0",
  protocol_version: "=1.0",
  examples: "object",
};
export const BATCH: Shape = {
  request_id: "string",
  summary: { total: "integer", enabled: "integer", partial: "integer", disabled: "integer" },
  results: [{ asked: "string", domain: "string|null", state: "string", reason: "string" }],
  callback: { accepted: "boolean", url: "string|null", status_url: "address" },
};

/** 4.6 */
export const RING4_VERIFICATION: Shape = { valid: "boolean", key: "string|null", reason: "string" };
export const PROJECT_LOG: Shape = {
  project_id: "string",
  count: "integer",
  events: [{ id: "string", leaf_index: "integer", event_type: "string", outcome: "string" }],
  next_cursor: "string|null",
};
export const INVARIANTS: Shape = {
  version: "string",
  sha256: "string",
  invariants: [{ id: "string", name: "string", description: "string", applies_to: ["string"] }],
};

export const PROBLEM: Shape = {
  type: "string",
  title: "string",
  status: "integer",
  detail: "string",
  instance: "string",
  code: "string",
};
