/** The playbook of enabling or disabling a domain, and the provider contract as one document. Pure. */
import { VERSIONS } from "../../schemas/common.ts";
import type {
  EnablePlan,
  ProviderManifest,
  ProviderState,
  TxtRecordPayload,
} from "../../schemas/provider.ts";
import { provider } from "./contract.ts";
import { RECORD_TTL_SECONDS, statusUrl } from "./record-template.ts";

/** Seconds between two questions of the same thing, and until giving up. */
const POLL_SECONDS = 30;
const POLL_TIMEOUT_SECONDS = 3_600;
/** Well past the record's TTL: by then no resolver holds the old answer. */
const DNS_TIMEOUT_SECONDS = 900;

type Step = EnablePlan["steps"][number];

const recordOf = ({ record: { host_fqdn, type, ttl, value } }: TxtRecordPayload) => ({
  name: host_fqdn,
  type,
  ttl,
  value,
});

const waits = (timeout_seconds: number) => ({ interval_seconds: POLL_SECONDS, timeout_seconds });

const publish = (step: number, template: TxtRecordPayload): Step => ({
  step,
  title: `Publish the TXT record ${template.record.host_fqdn}`,
  operation: { action: "upsert_record", record: recordOf(template), url: null },
  until: "the zone's name servers answer with the record",
  ...waits(DNS_TIMEOUT_SECONDS),
});
const withdraw = (step: number, template: TxtRecordPayload): Step => ({
  step,
  title: `Remove the TXT record ${template.record.host_fqdn}`,
  operation: { action: "delete_record", record: recordOf(template), url: null },
  until: "the zone's name servers answer without the record",
  ...waits(DNS_TIMEOUT_SECONDS),
});
const poll = (step: number, template: TxtRecordPayload, until: string): Step => ({
  step,
  title: "Poll the status",
  operation: { action: "poll", record: null, url: template.verify.status },
  until,
  ...waits(POLL_TIMEOUT_SECONDS),
});
const serve = (step: number, template: TxtRecordPayload): Step => ({
  step,
  title: "Serve the signed discovery document",
  operation: { action: "serve_document", record: null, url: template.verify.document },
  until: "the address answers 200 over HTTPS, without a redirect, with a manifest signed by the record's key",
  ...waits(POLL_TIMEOUT_SECONDS),
});

/** @param action enable publishes, serves and polls; disable removes the record, which ends everything else */
export const enablePlan = (template: TxtRecordPayload, action: "enable" | "disable"): EnablePlan => {
  const enabling = action === "enable";
  const { domain, endpoint, ready, how_to, verify } = template;
  // A document that stays when the record goes is a partial state, and trusted by nobody.
  const states: ProviderState[] = enabling ? ["enabled"] : ["disabled", "partial"];
  return {
    request: { domain, action, endpoint },
    // A record is removed by its name: no key is needed.
    ready: ready || !enabling,
    how_to: enabling ? how_to : null,
    steps: enabling
      ? [serve(1, template), publish(2, template), poll(3, template, "state is enabled")]
      : [withdraw(1, template), poll(2, template, "state is not enabled")],
    verification: {
      url: verify.status,
      method: "GET",
      done_when: { state_in: states },
      ...waits(POLL_TIMEOUT_SECONDS),
    },
    rollback: {
      on_failure: enabling
        ? "Remove the record: without it nothing of this domain is trusted or listed."
        : "Publish the record again as it was before.",
      steps: [enabling ? withdraw(1, template) : publish(1, template)],
    },
  };
};

/** The provider contract. @param retrySeconds waits before each attempt of a webhook */
export const providerManifest = (
  publicUrl: string,
  retrySeconds: readonly number[],
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
    retry_seconds: [...retrySeconds],
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
