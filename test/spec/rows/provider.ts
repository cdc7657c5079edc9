/** Section 4.3, row by row. */
import {
  BATCH,
  ENABLE_PLAN,
  PROBLEM,
  PROVIDER_MANIFEST,
  PROVIDER_STATUS,
  RECORD_TEMPLATE,
} from "../payloads.ts";
import type { Payload, Row } from "../row.ts";
import type { Shape } from "../shape.ts";

const API = "/api/discovery/provider";
const ok = (shape: Shape, also: (body: Payload, given: { host: string }) => boolean): Row["expect"] => ({
  status: 200,
  shape,
  also,
});
const refused = (code: string, pointer: string): Row["expect"] => ({
  status: 400,
  code,
  shape: PROBLEM,
  also: (body) => body.errors.some((fault) => fault.pointer === pointer),
});
const post = (body: unknown): Row["request"] => ({ method: "POST", path: `${API}/verify-batch`, body });

export const PROVIDER_ROWS: readonly Row[] = [
  {
    name: "the provider manifest is a contract for machines",
    request: { path: `${API}/manifest` },
    expect: ok(PROVIDER_MANIFEST, () => true),
  },
  {
    name: "a record template holds the key that the domain was verified with",
    request: { path: `${API}/record-template?domain=$host` },
    expect: ok(
      RECORD_TEMPLATE,
      ({ domain, ready, record }, { host }) =>
        domain === host && ready && record.host === "_bridge" && /pk=[\w-]{43};/.test(record.value),
    ),
  },
  {
    name: "a record template is not ready without a key",
    request: { path: `${API}/record-template?domain=https://New.Example./x` },
    expect: ok(
      RECORD_TEMPLATE,
      ({ domain, ready, record }) =>
        domain === "new.example" &&
        !ready &&
        record.host_fqdn === "_bridge.new.example" &&
        record.value === null,
    ),
  },
  ...["10.0.0.1", "localhost", "a@b.example", "*.shop.example"].map(
    (domain): Row => ({
      name: `a record template refuses the domain ${domain}`,
      request: { path: `${API}/record-template?domain=${domain}` },
      expect: refused("invalid_domain", "/query/domain"),
    }),
  ),
  {
    name: "a record template refuses an endpoint of another domain",
    request: { path: `${API}/record-template?domain=shop.example&endpoint=https://other.example` },
    expect: refused("invalid_endpoint", "/query/endpoint"),
  },
  {
    name: "a plan enables by default",
    request: { path: `${API}/enable-plan?domain=shop.example` },
    expect: ok(
      ENABLE_PLAN,
      ({ request, steps, rollback }) =>
        request.action === "enable" &&
        steps.some(({ operation }) => operation.action === "upsert_record") &&
        rollback.steps[0]?.operation.action === "delete_record",
    ),
  },
  {
    name: "a plan disables when asked",
    request: { path: `${API}/enable-plan?domain=$host&action=disable` },
    expect: ok(ENABLE_PLAN, ({ steps }) => steps[0]?.operation.action === "delete_record"),
  },
  {
    name: "a plan refuses another action",
    request: { path: `${API}/enable-plan?domain=shop.example&action=destroy` },
    expect: refused("invalid_request", "/query/action"),
  },
  {
    name: "the status of an enabled domain passes every check",
    request: { path: `${API}/status?domain=$HOST.` },
    expect: ok(
      PROVIDER_STATUS,
      ({ state, checks }) =>
        state === "enabled" && checks.txt?.state === "pass" && checks.signature?.reason === "verified",
    ),
  },
  {
    name: "the status of a domain that has nothing is disabled",
    request: { path: `${API}/status?domain=nobody-has-this.test` },
    expect: ok(
      PROVIDER_STATUS,
      ({ state, checks }) => state === "disabled" && checks.txt?.reason === "no_txt",
    ),
  },
  {
    name: "a status requires the domain",
    request: { path: `${API}/status` },
    expect: refused("invalid_request", "/query/domain"),
  },
  {
    name: "a batch is answered in the order asked, whatever one of its domains is",
    request: post({ domains: ["$host", "not a domain", "$HOST"] }),
    expect: ok(
      BATCH,
      ({ results, summary, callback }, { host }) =>
        results.map((each) => (each as { domain?: unknown }).domain ?? null).join() === `${host},,${host}` &&
        summary.enabled === 2 &&
        summary.invalid === 1 &&
        !callback.accepted,
    ),
  },
  { name: "a batch needs domains", request: post({}), expect: refused("invalid_request", "/body/domains") },
  {
    name: "a batch of none is refused",
    request: post({ domains: [] }),
    expect: refused("invalid_request", "/body/domains"),
  },
  {
    name: "a batch of 51 is refused",
    request: post({ domains: Array(51).fill("shop.example") }),
    expect: refused("invalid_request", "/body/domains"),
  },
  ...[
    "ftp://dns.example/",
    "http://10.0.0.1/",
    "https://localhost/",
    "https://dns.example:22/",
    "no address",
  ].map(
    (callback_url): Row => ({
      name: `a batch refuses the callback ${callback_url}`,
      request: post({ domains: ["$host"], callback_url }),
      expect: refused("invalid_callback", "/body/callback_url"),
    }),
  ),
  {
    name: "a batch that is not known is 404",
    request: { path: `${API}/batches/01980000-0000-7000-8000-000000000000` },
    expect: { status: 404, code: "batch_not_found", shape: PROBLEM },
  },
];
