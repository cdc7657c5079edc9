/** The playbook of enabling or disabling a domain, and the provider contract as one document. Pure. */
import { VERSIONS } from "../../schemas/common.ts";
import type { EnablePlan, ProviderManifest, ProviderState } from "../../schemas/provider.ts";
import { provider } from "./contract.ts";
import { RECORD_TTL_SECONDS, type RecordTemplate, statusUrl } from "./record-template.ts";

/** Seconds between two questions of the same thing, and until giving up. */
const POLL_SECONDS = 30;
const POLL_TIMEOUT_SECONDS = 3_600;
/** Well past the record's TTL: by then no resolver holds the old answer. */
const DNS_TIMEOUT_SECONDS = 900;

/** What to do; what the registry says of the domain stands beside it. */
type Plan = Omit<EnablePlan, "verdict">;
type Step = Plan["steps"][number];

/** A step, before it has its number. */
type Unnumbered = Omit<Step, "step">;

/**
 * Serves the document, publishes the record, and polls.
 * @param published the bridge records that are there now: a rollback publishes them again
 * @param others records of the domain's other keys, which stay: two keys are published while one takes over from the other
 */
export function enablePlan(
  template: RecordTemplate,
  published: readonly string[],
  others: readonly string[] = [],
): Plan {
  const { ready, how_to, record } = template;
  const isOf = (values: readonly (string | null)[], value: string) => values.includes(value);
  const added = others.filter((value) => !isOf(published, value));
  const removed = published.filter((value) => !isOf([record.value, ...others], value));
  const undone = [record.value, ...added].filter((value) => value !== null && !isOf(published, value));
  return {
    ...planOf(template, "enable", ["enabled"]),
    ready,
    how_to,
    steps: numbered([
      serve(template),
      publish(template, record.value),
      ...added.map((value) => publish(template, value)),
      ...removed.map((value) => withdraw(template, value)),
      poll(template, "state is enabled"),
    ]),
    rollback: {
      on_failure:
        published.length > 0
          ? "Publish what was there before, and remove what was not."
          : "Remove the record: without it nothing of this domain is trusted or listed.",
      steps: numbered(
        published.length > 0
          ? [
              ...published.map((value) => publish(template, value)),
              ...undone.map((value) => withdraw(template, value)),
            ]
          : [withdraw(template, record.value)],
      ),
    },
  };
}

/** What every plan says. @param states the states that end it */
function planOf(template: RecordTemplate, action: "enable" | "disable", states: ProviderState[]) {
  const { domain, endpoint, verify } = template;
  return {
    request: { domain, action, endpoint },
    verification: {
      url: verify.status,
      method: "GET" as const,
      done_when: { state_in: states },
      ...waits(POLL_TIMEOUT_SECONDS),
    },
  };
}

const waits = (timeout_seconds: number) => ({ interval_seconds: POLL_SECONDS, timeout_seconds });

const numbered = (steps: readonly Unnumbered[]): Step[] => steps.map((step, i) => ({ step: i + 1, ...step }));

const serve = (template: RecordTemplate): Unnumbered => ({
  title: "Serve the signed discovery document",
  operation: { action: "serve_document", record: null, url: template.verify.document },
  until: "the address answers 200 over HTTPS, without a redirect, with a manifest signed by the record's key",
  ...waits(POLL_TIMEOUT_SECONDS),
});

const publish = (template: RecordTemplate, value: string | null): Unnumbered => ({
  title: `Publish the TXT record ${template.record.host_fqdn}`,
  operation: { action: "upsert_record", record: recordOf(template, value), url: null },
  until: "the zone's name servers answer with the record",
  ...waits(DNS_TIMEOUT_SECONDS),
});

const recordOf = ({ record }: RecordTemplate, value: string | null) => ({
  name: record.host_fqdn,
  type: record.type,
  ttl: record.ttl,
  value,
});

const withdraw = (template: RecordTemplate, value: string | null): Unnumbered => ({
  title: `Remove the TXT record ${template.record.host_fqdn}`,
  operation: { action: "delete_record", record: recordOf(template, value), url: null },
  until: "the zone's name servers answer without the record",
  ...waits(DNS_TIMEOUT_SECONDS),
});
const poll = (template: RecordTemplate, until: string): Unnumbered => ({
  title: "Poll the status",
  operation: { action: "poll", record: null, url: template.verify.status },
  until,
  ...waits(POLL_TIMEOUT_SECONDS),
});

/** Removes what is published, which ends everything else. A document that stays is a partial state, and trusted by nobody. */
export function disablePlan(template: RecordTemplate, published: readonly string[]): Plan {
  const isThere = published.length > 0;
  return {
    ...planOf(template, "disable", ["disabled", "partial"]),
    ready: isThere,
    how_to: isThere ? null : `There is no bridge record at ${template.record.host_fqdn}: nothing to remove.`,
    steps: numbered([
      ...published.map((value) => withdraw(template, value)),
      poll(template, "state is not enabled"),
    ]),
    rollback: {
      on_failure: isThere ? "Publish what was there before." : "There is nothing to undo.",
      steps: numbered(published.map((value) => publish(template, value))),
    },
  };
}

/** The provider contract. @param scheduleMs waits before each attempt of a webhook, milliseconds */
export const providerManifest = (
  publicUrl: string,
  scheduleMs: readonly number[],
  deadlineMs: number,
  maxDomains: number,
): ProviderManifest => ({
  bridge_version: VERSIONS.bridge,
  protocol_version: VERSIONS.protocol,
  handshake: VERSIONS.handshake,
  provider_api: `${publicUrl}/api/discovery/provider/manifest`,
  txt_record: {
    host: "_bridge",
    type: "TXT",
    format: "v=BRIDGE1; k=ed25519; pk=<public key, 43 characters of base64url>; endpoint=https://<host>",
    required_keys: ["pk", "endpoint"],
    optional_keys: ["v", "k"],
    ttl: RECORD_TTL_SECONDS,
  },
  operations: Object.entries(provider.operations).map(([name, { method, paths, summary }]) => ({
    name,
    method,
    url: publicUrl + paths[0],
    summary,
  })),
  verification: {
    status: {
      url: statusUrl(publicUrl, "{domain}").replace("%7Bdomain%7D", "{domain}"),
      ...waits(POLL_TIMEOUT_SECONDS),
    },
    batch: {
      url: `${publicUrl}/api/discovery/provider/verify-batch`,
      max_domains: maxDomains,
      deadline_seconds: deadlineMs / 1_000,
    },
  },
  callback: {
    standard: "Standard Webhooks 1.0.0",
    method: "POST",
    headers: ["webhook-id", "webhook-timestamp", "webhook-signature"],
    signature: "v1,base64(HMAC-SHA256(secret, webhook-id + '.' + webhook-timestamp + '.' + body))",
    retry_seconds: scheduleMs.map((ms) => ms / 1_000),
    ends_at_status: [410],
    redirects: "refused",
    status_url: `${publicUrl}/api/discovery/provider/batches/{request_id}`,
  },
  states: ["enabled", "partial", "disabled"],
  examples: {
    record_value:
      "v=BRIDGE1; k=ed25519; pk=11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo; endpoint=https://shop.example",
    verify_batch: { domains: ["shop.example", "other.example"] },
  },
});
