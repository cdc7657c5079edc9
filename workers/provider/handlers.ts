/** The provider API. What is said of a domain was probed, or is in the crawl's record and says when. */

import type { DomainStatus } from "../../schemas/provider.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { LOOKUP_MS, type ProviderDeps, probeWithin } from "./context.ts";
import { MAX_BATCH, type provider } from "./contract.ts";
import { statusOfProbe, statusOfRecord } from "./domain-status.ts";
import { enablePlan, providerManifest } from "./plan.ts";
import { endpointFor, isPublicKey, recordTemplate } from "./record-template.ts";
import { verifyBatch } from "./verify-batch.ts";

/** A record of the crawl that is at most this old answers a status without a probe. */
const FRESH_MS = 60_000;
/** Patience of a status; what is known is shown when the probe takes longer. */
const STATUS_PATIENCE_MS = 8_000;

const badDomain = (detail: string, code: string): Failure<"invalid_domain"> =>
  fail("invalid_domain", `domain ${detail}. Send a domain such as shop.example.`, {
    errors: [{ pointer: "/query/domain", code, message: detail }],
  });

/** The key that the crawl verified the domain with, read from DNS again; undefined where there is none. */
const registeredKey = async (
  { sites, resolver }: ProviderDeps,
  host: string,
): Promise<string | undefined> => {
  const kid = (await sites.get(hostKey(host)))?.value.kid;
  if (!kid) return undefined;
  const found = await keysOfDomain(resolver, host, AbortSignal.timeout(LOOKUP_MS));
  return found.ok ? found.keys.find((key) => key.kid === kid)?.publicKey : undefined;
};

const templateOf = async (
  deps: ProviderDeps,
  query: { domain: string; endpoint?: string | undefined; pk?: string | undefined },
) => {
  const parsed = parsePastedDomain(query.domain);
  if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
  const endpoint = endpointFor(parsed.host, query.endpoint);
  if (!endpoint.ok)
    return fail("invalid_endpoint", `endpoint ${endpoint.reason}.`, {
      errors: [{ pointer: "/query/endpoint", code: "invalid_endpoint", message: endpoint.reason }],
    });
  if (query.pk !== undefined && !isPublicKey(query.pk))
    return fail("invalid_request", "query.pk: is not a usable Ed25519 public key in base64url", {
      errors: [{ pointer: "/query/pk", code: "invalid_key", message: "is not a usable Ed25519 public key" }],
    });
  const publicKey = query.pk ?? (await registeredKey(deps, parsed.host));
  return recordTemplate(parsed.host, endpoint.endpoint, publicKey, deps.publicUrl);
};

/** The status of one domain: a fresh record, a probe, or in the end what is known of it. */
const statusOf = async (deps: ProviderDeps, host: string): Promise<DomainStatus | undefined> => {
  const record = (await deps.sites.get(hostKey(host)))?.value;
  const now = deps.now();
  const known = () => record && statusOfRecord(record, deps.now());
  if (record && record.visits > 0 && now - Date.parse(record.last_visit_at) <= FRESH_MS) return known();
  const probe = await probeWithin(deps, host, false, STATUS_PATIENCE_MS);
  if (probe?.kind !== "seen") return known();
  return statusOfProbe(host, probe.seen, probe.record, probe.at);
};

export const providerHandlers = (deps: ProviderDeps): Handlers<typeof provider> => ({
  manifest: async () => providerManifest(deps.publicUrl, deps.schedule, deps.deadlineMs, MAX_BATCH),

  recordTemplate: ({ query }) => templateOf(deps, query),

  enablePlan: async ({ query }) => {
    const template = await templateOf(deps, query);
    return "record" in template ? enablePlan(template, query.action) : template;
  },

  status: async ({ query: { domain } }) => {
    const parsed = parsePastedDomain(domain);
    if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
    const status = await statusOf(deps, parsed.host);
    return (
      status ??
      fail("unavailable", `${parsed.host} is not known yet and must not be asked at this moment.`, {
        retryAfterSeconds: 10,
      })
    );
  },

  verifyBatch: ({ body }, { clientAddress }) => verifyBatch(deps, body, clientAddress),

  batch: async ({ params: { request_id } }) => {
    const stored = /^[\w-]{1,64}$/.test(request_id) ? await deps.batches.get(request_id) : undefined;
    if (!stored) return fail("batch_not_found", "No batch of this id is kept; batches are kept for a week.");
    const { created_at, summary, delivery } = stored.value;
    return { request_id, created_at, verification: { state: "done", summary }, delivery };
  },
});
