/** Payloads of the provider API (docs/providers.md) for DNS providers and registrars. */
import { z } from "zod";
import { Dnssec, Host, Timestamp, TrustRing } from "./common.ts";
import { TrustReasons } from "./site.ts";
import { VerdictSummary } from "./verdict.ts";

export const ProviderState = z.enum(["enabled", "partial", "disabled"]).meta({
  id: "ProviderState",
  description:
    "enabled: ring 3 or 4, so listed; partial: ring 1 or 2, a valid TXT record while the document is missing or wrong, or stale; disabled: neither, not visited, or blocked",
});
export type ProviderState = z.infer<typeof ProviderState>;

export const Check = z
  .object({
    state: z.enum(["pass", "warn", "fail", "unknown"]).meta({
      description: "warn: valid, with room for improvement; unknown: inconclusive, or not reached",
      example: "pass",
    }),
    reason: z.string().meta({ description: "Stable code", example: "verified" }),
    detail: z.string().meta({ description: "For humans; may quote the site" }),
  })
  .meta({ id: "ProviderCheck" });
export type Check = z.infer<typeof Check>;

export const Checks = z
  .object({
    txt: Check.meta({ description: "The TXT record of _bridge.<domain>" }),
    dnssec: Check.meta({ description: "The result of a validating resolver: secure, insecure or bogus" }),
    manifest: Check.meta({ description: "The discovery document and its manifest" }),
    signature: Check.meta({ description: "The manifest's signature, verified with the key in DNS" }),
    agent_ready: Check.meta({ description: "Whether agents can discover the site and its actions" }),
  })
  .meta({ id: "ProviderChecks" });
export type Checks = z.infer<typeof Checks>;

export const DomainStatus = z
  .object({
    domain: Host,
    state: ProviderState,
    trust_ring: TrustRing,
    trust_score: z.number().min(0).max(100),
    trust_reasons: TrustReasons,
    dnssec: Dnssec,
    checks: Checks,
    verdict: VerdictSummary.meta({
      description:
        "What the registry says of the domain now, by the crawl's own visits; what was probed or changed since counts when it visits next",
    }),
    expires_at: Timestamp.nullable().meta({ description: "When the signed manifest expires" }),
    source: z.enum(["probe", "record", "dns"]).meta({
      description:
        "probe: checked for somebody's request; record: from the latest crawl; dns: DNS alone decided, the document was not looked at",
    }),
    checked_at: Timestamp,
  })
  .meta({ id: "DomainStatus" });
export type DomainStatus = z.infer<typeof DomainStatus>;

const AgentStep = z.object({
  step: z.enum(["discovery", "actions", "page_read"]),
  state: z.enum(["pass", "warn", "fail", "unknown"]),
  reason: z.string(),
  detail: z.string(),
});
export const AgentRun = z
  .object({ ok: z.boolean(), steps: z.array(AgentStep) })
  .meta({ id: "AgentRun", description: "What an agent without a session can do on the site" });
export type AgentRun = z.infer<typeof AgentRun>;

export const BatchState = z.enum(["enabled", "partial", "disabled", "pending", "invalid"]);
export const BatchResult = z
  .object({
    ...DomainStatus.partial().shape,
    asked: z.string().meta({ description: "The domain as sent", example: "HTTPS://Shop.Example/" }),
    domain: Host.nullable().meta({ description: "Canonical; null if the input is not a domain" }),
    state: BatchState.meta({
      description:
        "pending: looked at, and not done before the deadline: ask again at `ask_again_at`; invalid: not a domain",
    }),
    ask_again_at: Timestamp.optional().meta({
      description: "Of what is pending: when it is likely to be known",
    }),
    reason: z.string().meta({ description: "Stable code", example: "verified" }),
    detail: z.string(),
    agent_run: AgentRun.optional(),
  })
  .meta({ id: "BatchResult" });
export type BatchResult = z.infer<typeof BatchResult>;

export const BatchSummary = z
  .object({
    total: z.int(),
    enabled: z.int(),
    partial: z.int(),
    disabled: z.int(),
    pending: z.int(),
    timeout: z.int().meta({ description: "Always 0: what is not finished is pending" }),
    invalid: z.int(),
  })
  .meta({ id: "BatchSummary" });
export type BatchSummary = z.infer<typeof BatchSummary>;

export const BatchReply = z
  .object({
    request_id: z.uuid(),
    summary: BatchSummary,
    results: z.array(BatchResult),
    checked_at: Timestamp,
    callback: z
      .object({
        accepted: z.boolean(),
        url: z.string().nullable(),
        status_url: z.url(),
        reason: z.string().nullable().meta({ description: "Why it was not accepted" }),
      })
      .meta({ description: "The webhook; accepted is false when the request names no callback" }),
  })
  .meta({ id: "BatchReply" });
export type BatchReply = z.infer<typeof BatchReply>;

/** Header fields of a webhook (Standard Webhooks 1.0.0). */
export const WebhookHeaders = z.object({
  "webhook-id": z
    .string()
    .meta({ description: "Id of what is sent, the same at every attempt; of a batch, its request_id" }),
  "webhook-timestamp": z
    .string()
    .regex(/^\d+$/)
    .meta({ description: "Seconds since the epoch, of this attempt", example: "1769860800" }),
  "webhook-signature": z.string().optional().meta({
    description:
      "`v1,` and the base64 of HMAC-SHA256(secret, id + `.` + timestamp + `.` + body); without a secret, absent",
  }),
});

export const DeliveryAttempt = z.object({
  at: Timestamp,
  status: z.int().nullable().meta({ description: "HTTP status; null without a response" }),
  failure: z
    .string()
    .nullable()
    .meta({ description: "Why there is no response, or why it does not count", example: "timeout" }),
  took_ms: z.int(),
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const Delivery = z
  .object({
    state: z.enum(["pending", "delivered", "failed"]),
    url: z.string(),
    signed: z.boolean(),
    reason: z.string().nullable().meta({
      description: "Why delivery ended: delivered, gone (410), refused_address, attempts_exhausted …",
    }),
    attempts: z.array(DeliveryAttempt),
    attempts_left: z.int(),
    next_attempt_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: "WebhookDelivery" });
export type Delivery = z.infer<typeof Delivery>;

export const BatchStatus = z
  .object({
    request_id: z.uuid(),
    created_at: Timestamp,
    verification: z.object({
      state: z.enum(["running", "done"]).meta({
        description:
          "running: what was pending is still looked at, and is sent to the callback when it is known",
      }),
      summary: BatchSummary,
    }),
    delivery: Delivery.nullable().meta({ description: "null when the request named no callback" }),
  })
  .meta({ id: "BatchStatus" });
export type BatchStatus = z.infer<typeof BatchStatus>;

export const TxtRecordPayload = z
  .object({
    domain: Host,
    ready: z.boolean().meta({ description: "Whether the value can be published as is" }),
    how_to: z.string().nullable().meta({ description: "What to do first if it is not" }),
    record: z.object({
      zone: Host.meta({ description: "The registrable domain, which is usually the zone" }),
      host: z.string().meta({ description: "Relative to the zone", example: "_bridge" }),
      host_fqdn: z.string().meta({ example: "_bridge.shop.example" }),
      type: z.literal("TXT"),
      ttl: z.int().meta({ description: "Seconds" }),
      value: z
        .string()
        .nullable()
        .meta({ description: "The plain value, without quotes; null until it can be published" }),
    }),
    zone_file: z
      .string()
      .nullable()
      .meta({ description: "One line of a zone file (RFC 1035 section 5); null without a value" }),
    chunks: z
      .array(z.string())
      .meta({ description: "The value as quoted strings of at most 255 bytes; empty without a value" }),
    endpoint: z.url(),
    verify: z.object({ status: z.url(), document: z.url(), batch: z.url() }),
    verdict: DomainStatus.shape.verdict,
  })
  .meta({ id: "RecordTemplate" });
export type TxtRecordPayload = z.infer<typeof TxtRecordPayload>;

const PlanRecord = z.object({
  name: z.string(),
  type: z.literal("TXT"),
  ttl: z.int(),
  value: z.string().nullable().meta({ description: "null while no key is known" }),
});
const PlanStep = z.object({
  step: z.int(),
  title: z.string(),
  operation: z.object({
    action: z.enum(["upsert_record", "delete_record", "serve_document", "poll"]),
    record: PlanRecord.nullable(),
    url: z.url().nullable(),
  }),
  until: z.string().meta({ description: "The condition that completes the step" }),
  interval_seconds: z.int(),
  timeout_seconds: z.int(),
});
export const EnablePlan = z
  .object({
    request: z.object({ domain: Host, action: z.enum(["enable", "disable"]), endpoint: z.url() }),
    ready: z.boolean(),
    how_to: z.string().nullable(),
    steps: z.array(PlanStep),
    verification: z.object({
      url: z.url(),
      method: z.literal("GET"),
      done_when: z.object({ state_in: z.array(ProviderState) }),
      interval_seconds: z.int(),
      timeout_seconds: z.int(),
    }),
    rollback: z.object({ on_failure: z.string(), steps: z.array(PlanStep) }),
    verdict: DomainStatus.shape.verdict,
  })
  .meta({ id: "EnablePlan" });
export type EnablePlan = z.infer<typeof EnablePlan>;

export const ProviderManifest = z
  .object({
    bridge_version: z.string(),
    protocol_version: z.string(),
    handshake: z.string(),
    provider_api: z.url(),
    txt_record: z.object({
      host: z.string(),
      type: z.literal("TXT"),
      format: z.string(),
      required_keys: z.array(z.string()),
      optional_keys: z.array(z.string()),
      ttl: z.int(),
    }),
    operations: z.array(
      z.object({ name: z.string(), method: z.string(), url: z.string(), summary: z.string() }),
    ),
    verification: z.object({
      status: z.object({ url: z.string(), interval_seconds: z.int(), timeout_seconds: z.int() }),
      batch: z.object({ url: z.url(), max_domains: z.int(), deadline_seconds: z.number() }),
    }),
    callback: z.object({
      standard: z.string(),
      method: z.literal("POST"),
      headers: z.array(z.string()),
      signature: z.string(),
      retry_seconds: z.array(z.number()).meta({ description: "Delay before each attempt" }),
      ends_at_status: z.array(z.int()),
      redirects: z.literal("refused"),
      status_url: z.string(),
    }),
    states: z.array(ProviderState),
    examples: z.object({
      record_value: z.string(),
      verify_batch: z.object({ domains: z.array(z.string()) }),
    }),
  })
  .meta({ id: "ProviderManifest" });
export type ProviderManifest = z.infer<typeof ProviderManifest>;
