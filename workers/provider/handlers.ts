/** The provider API. What is said of a domain was probed, or is in the crawl's record and says when. */

import type { Logger } from "pino";
import { BatchReply, type BatchResult, type DomainStatus } from "../../schemas/provider.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import type { Allowance } from "../../src/domain/names/address.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { checkAddresses, notPublic } from "../../src/domain/names/target.ts";
import { iso } from "../../src/domain/protocols/time.ts";
import { selectRecords } from "../../src/domain/trust/txt-record.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import type { Records } from "../../src/stores/records.ts";
import { MAX_BATCH, type provider } from "./contract.ts";
import { enablePlan, providerManifest } from "./plan.ts";
import type { Prober } from "./prober.ts";
import {
  batchUrl,
  endpointFor,
  isPublicKey,
  reasonOf,
  recordTemplate,
  statusOfProbe,
  statusOfRecord,
  summaryOf,
} from "./rules.ts";
import { type BatchRecord, newDelivery, parseCallback, secretBytes } from "./webhook-rules.ts";
import type { Webhooks } from "./webhooks.ts";

/** A record of the crawl that is at most this old answers a status without a probe. */
const FRESH_MS = 60_000;
/** Patience of a status; what is known is shown when the probe takes longer. */
const STATUS_PATIENCE_MS = 8_000;
const LOOKUP_MS = 2_000;
/** Characters of a batch's entry that are said back: a host name and some more. */
const MAX_ECHO = 300;

export interface ProviderDeps {
  prober: Prober;
  webhooks: Webhooks;
  limiter: Pick<Limiter, "refusal">;
  sites: Records<SiteRecord>;
  batches: Records<BatchRecord>;
  resolver: Resolver;
  allow: readonly Allowance[];
  now: () => number;
  clock: Clock;
  publicUrl: string;
  deadlineMs: number;
  schedule: readonly number[];
  log: Logger;
}

/** What `work` gives, or undefined after `ms`; the work goes on for others who wait for it. */
const within = async <T>(clock: Clock, work: Promise<T>, ms: number): Promise<T | undefined> => {
  const enough = new AbortController();
  try {
    return await Promise.race([work, clock.sleep(ms, enough.signal).then(() => undefined)]);
  } finally {
    enough.abort();
  }
};

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
  const answer = await resolver.txt(`_bridge.${host}`, AbortSignal.timeout(LOOKUP_MS));
  if (answer.outcome !== "found") return undefined;
  const selection = selectRecords(answer.records, host);
  return selection.ok ? selection.keys.find((key) => key.kid === kid)?.publicKey : undefined;
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
  const probe = await within(deps.clock, deps.prober.probe(host, false), STATUS_PATIENCE_MS);
  if (probe?.kind !== "seen") return known();
  return statusOfProbe(host, probe.seen, probe.record, probe.at);
};

/** One entry of a batch, within what is left of its time. */
const resultOf = async (
  deps: ProviderDeps,
  asked: string,
  agentRun: boolean,
  untilMs: number,
): Promise<BatchResult> => {
  const parsed = parsePastedDomain(asked);
  const echo = asked.slice(0, MAX_ECHO).toWellFormed();
  if (!parsed.ok)
    return { asked: echo, domain: null, state: "invalid", reason: parsed.reason, detail: parsed.detail };
  const { host } = parsed;
  const left = Math.max(0, untilMs - deps.clock.monotonicMs());
  const probe = await within(deps.clock, deps.prober.probe(host, agentRun), left);
  if (probe?.kind !== "seen")
    return {
      asked: echo,
      domain: host,
      state: "timeout",
      reason: probe ? "host_busy" : "deadline",
      detail: probe
        ? "The host must not be asked now; ask again in a moment."
        : "Not finished within the deadline.",
    };
  const status = statusOfProbe(host, probe.seen, probe.record, probe.at);
  const told = reasonOf(status);
  return { asked: echo, ...status, ...told, ...(probe.agentRun && { agent_run: probe.agentRun }) };
};

const badCallback = (member: string, reason: string): Failure<"invalid_callback"> =>
  fail("invalid_callback", `${member} ${reason}.`, {
    errors: [{ pointer: `/body/${member}`, code: "invalid_callback", message: reason }],
  });

/** Refuses a receiver that is visibly none; DNS is asked, and asked again by the guarded client when it is sent to. */
const refuseCallback = async (
  { allow, resolver }: ProviderDeps,
  url: string | undefined,
  secret: string | undefined,
): Promise<Failure<"invalid_callback"> | undefined> => {
  if (url === undefined)
    return secret === undefined ? undefined : badCallback("callback_secret", "needs a callback_url");
  if (secret !== undefined && !secretBytes(secret))
    return badCallback("callback_secret", "is not base64 after whsec_");
  const parsed = parseCallback(url, allow);
  if (!parsed.ok) return badCallback("callback_url", parsed.reason);
  const port = Number(parsed.url.port) || (parsed.url.protocol === "https:" ? 443 : 80);
  const host = parsed.url.hostname.replace(/\.$/, "");
  const answer = await resolver.addresses(host, AbortSignal.timeout(LOOKUP_MS));
  if (answer.outcome === "failed") return undefined;
  // A name that is known inside alone gets the answer of one that nobody knows.
  const records = answer.outcome === "found" ? answer.records : [];
  const refused = records.length === 0 ? notPublic() : checkAddresses(records, port, allow);
  return refused && badCallback("callback_url", `cannot be sent to: ${refused.detail}`);
};

/** Keeps the batch and puts its webhook on its way. @returns the reply, as it is sent and delivered */
const settle = async (
  deps: ProviderDeps,
  result: BatchReply,
  secret: string | undefined,
  clientAddress: string,
): Promise<BatchReply> => {
  const { batches, webhooks, schedule } = deps;
  // In the order of the contract, so that reply and webhook are the same bytes.
  const reply = BatchReply.parse(result);
  const { request_id: id, summary, callback } = reply;
  const now = deps.now();
  const { url } = callback;
  const delivery = url === null ? null : newDelivery(url, secret !== undefined, schedule.length, now);
  await batches.put(id, { v: 1, request_id: id, created_at: iso(now), summary, delivery });
  if (url === null) return reply;
  const hook = { v: 1 as const, id, url, secret: secret ?? null, body: JSON.stringify(reply), made: 0 };
  const refused = await webhooks.send(hook, clientAddress);
  if (!refused) return reply;
  await batches.put(id, { v: 1, request_id: id, created_at: iso(now), summary, delivery: null });
  return { ...reply, callback: { ...callback, accepted: false, reason: refused } };
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

  verifyBatch: async ({ body }, { clientAddress }) => {
    const { domains, include_agent_run, callback_url, callback_secret } = body;
    const overMost =
      callback_url !== undefined && (await deps.limiter.refusal("callback_hosts", { clientAddress }));
    if (overMost) return overMost;
    const refused = await refuseCallback(deps, callback_url, callback_secret);
    if (refused) return refused;
    const untilMs = deps.clock.monotonicMs() + deps.deadlineMs;
    const results = await Promise.all(
      domains.map((asked) => resultOf(deps, asked, include_agent_run, untilMs)),
    );
    const request_id = uuidv7();
    const reply: BatchReply = {
      request_id,
      summary: summaryOf(results),
      results,
      checked_at: iso(deps.now()),
      callback: {
        accepted: callback_url !== undefined,
        url: callback_url ?? null,
        status_url: batchUrl(deps.publicUrl, request_id),
        reason: callback_url === undefined ? "none_asked_for" : null,
      },
    };
    return settle(deps, reply, callback_secret, clientAddress);
  },

  batch: async ({ params: { request_id } }) => {
    const stored = /^[\w-]{1,64}$/.test(request_id) ? await deps.batches.get(request_id) : undefined;
    if (!stored) return fail("batch_not_found", "No batch of this id is kept; batches are kept for a week.");
    const { created_at, summary, delivery } = stored.value;
    return { request_id, created_at, verification: { state: "done", summary }, delivery };
  },
});
