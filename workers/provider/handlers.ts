/** The provider API. What is said of a domain was probed, or is in the crawl's record and says when. */

import type { z } from "zod";
import type { ComposeRequest } from "../../schemas/draft.ts";
import type { MadeFormat } from "../../schemas/publishable-document.ts";
import { documentOfSite } from "../../src/agent-web/as/formats.ts";
import { readinessOf } from "../../src/agent-web/readiness.ts";
import { composeDocument } from "../../src/crawl/draft.ts";
import { knownSite } from "../../src/crawl/known-site.ts";
import { verdictSummary } from "../../src/crawl/verdict.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import type { PublicKey } from "../../src/domain/trust/ed25519.ts";
import { formatTxtRecord, parseTxtRecord } from "../../src/domain/trust/txt-record.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { domainAnswer } from "./answers.ts";
import { INTERACTIVE_LOOKUP_MS, type ProviderDeps } from "./context.ts";
import { MAX_BATCH, type provider } from "./contract.ts";
import { domainConnectHandlers } from "./domain-connect-handlers.ts";
import { badDomain, badEndpoint, keyFault } from "./faults.ts";
import { disablePlan, enablePlan, providerManifest } from "./plan.ts";
import { recheck } from "./recheck.ts";
import { endpointFor, recordTemplate } from "./record-template.ts";
import { siteDns } from "./site-dns.ts";
import { verifyBatch } from "./verify-batch.ts";

/** Patience of a status; what is known is shown when the probe takes longer. */
const STATUS_PATIENCE_MS = 8_000;

interface TemplateQuery {
  domain: string;
  endpoint?: string | undefined;
  pk?: string | undefined;
}

export const providerHandlers = (deps: ProviderDeps): Handlers<typeof provider> => ({
  getProviderManifest: async () =>
    providerManifest(deps.publicUrl, deps.schedule, deps.deadlineMs, MAX_BATCH),

  getRecordTemplate: async ({ query }) => {
    const found = await templateOf(deps, query);
    return found instanceof Failure ? found : { ...found.template, verdict: found.verdict };
  },

  getEnablePlan: async ({ query }) => {
    const found = await templateOf(deps, query);
    if (found instanceof Failure) return found;
    const { template, published, others, verdict } = found;
    const plan =
      query.action === "enable" ? enablePlan(template, published, others) : disablePlan(template, published);
    return { ...plan, verdict };
  },

  getDomainStatus: async ({ query: { domain } }) => {
    const parsed = parsePastedDomain(domain);
    if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
    const answer = await domainAnswer(deps, parsed.host, {
      agentRun: false,
      patienceMs: STATUS_PATIENCE_MS,
      isBatch: false,
    });
    if (answer.kind === "known") return answer.status;
    return fail(
      "unavailable",
      `${answer.keys.ok ? "The TXT record is usable" : "DNS did not answer in time"}; the document of ${parsed.host} was not read yet, and is as soon as its host may be asked.`,
      { retryAfterSeconds: Math.max(1, Math.ceil((answer.askAgainAt - deps.now()) / 1_000)) },
    );
  },

  verifyBatch: ({ body }, { clientAddress }) => verifyBatch(deps, body, clientAddress),

  testCallback: ({ body }, { clientAddress }) =>
    verifyBatch(deps, { ...body, domains: [], include_agent_run: false }, clientAddress),

  getSite: async ({ params: { domain } }) => {
    const parsed = parsePastedDomain(domain);
    if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
    return (await deps.verdictOn(parsed.host, deps.now())).verdict;
  },

  makeSiteDocument: ({ params: { domain, format }, query }) =>
    makeDocument(deps, domain, format, query.endpoint),

  getSiteReadiness: async ({ params: { domain } }) => {
    const parsed = parsePastedDomain(domain);
    if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
    return readinessOf((await deps.verdictOn(parsed.host, deps.now())).verdict);
  },

  recheckSite: async ({ params: { domain } }) => {
    const parsed = parsePastedDomain(domain);
    return parsed.ok ? recheck(deps, parsed.host) : badDomain(parsed.detail, parsed.reason);
  },

  draftDocument: async ({ params: { domain } }) => {
    const parsed = parsePastedDomain(domain);
    if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
    return (
      (await deps.drafter.draft(parsed.host)) ??
      fail("unavailable", `${parsed.host} must not be asked at this moment, or takes long to answer.`, {
        retryAfterSeconds: 10,
      })
    );
  },

  composeDocument: async ({ params: { domain }, body }) => {
    const parsed = parsePastedDomain(domain);
    if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
    return composed(parsed.host, body, deps.now());
  },

  getSiteDns: async ({ params: { domain } }) => {
    const parsed = parsePastedDomain(domain);
    return parsed.ok ? siteDns(deps, parsed.host) : badDomain(parsed.detail, parsed.reason);
  },

  ...domainConnectHandlers(deps),

  getBatch: ({ params: { request_id } }) => batchOf(deps, request_id),
});

/** The template of a domain's record, and what is published now: endpoint and keys of records that are there stay. */
async function templateOf(deps: ProviderDeps, query: TemplateQuery) {
  const parsed = parsePastedDomain(query.domain);
  if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
  const { host } = parsed;
  const [published, known] = await Promise.all([
    keysOfDomain(deps.resolver, host, AbortSignal.timeout(INTERACTIVE_LOOKUP_MS)),
    knownSite(deps, host),
  ]);
  const current = published.ok ? published : undefined;
  const endpoint = endpointFor(host, query.endpoint ?? current?.endpoint.origin);
  if (!endpoint.ok) return badEndpoint("/query/endpoint", endpoint.reason);
  const faulty = query.pk === undefined ? undefined : keyFault(query.pk);
  if (faulty) return faulty;
  const verified = current?.keys.find(({ kid }) => kid === known.record?.kid) ?? current?.keys[0];
  const template = recordTemplate(host, endpoint.endpoint, query.pk ?? verified?.publicKey, deps.publicUrl);
  const stay = query.pk === undefined ? (current?.keys.filter((key) => key !== verified) ?? []) : [];
  const others = recordsOf(stay, endpoint.endpoint, published.records);
  return { template, published: published.records, others, verdict: verdictSummary(known, deps.now()) };
}

/** The records of published keys at an endpoint: as they are published where they are there, else as they have to be. */
const recordsOf = (keys: readonly PublicKey[], endpoint: string, published: readonly string[]): string[] =>
  keys.map(({ publicKey }) => {
    const isSame = (text: string): boolean => {
      const parsed = parseTxtRecord(text);
      return parsed.ok && parsed.record.publicKey === publicKey && parsed.record.endpoint === endpoint;
    };
    return published.find(isSame) ?? formatTxtRecord({ publicKey, endpoint });
  });

/** The document of an owner's answers, and where it goes. */
function composed(
  host: string,
  { endpoint: wanted, ...answers }: z.output<typeof ComposeRequest>,
  now: number,
) {
  const parsed = endpointFor(host, wanted);
  if (!parsed.ok) return badEndpoint("/body/endpoint", parsed.reason);
  const { endpoint } = parsed;
  const document = composeDocument(host, answers, { endpoint, now });
  const document_url = `${endpoint}/.well-known/bridge.json`;
  return { domain: host, endpoint, document, document_url, record_name: `_bridge.${host}` };
}

/** What became of a batch. */
async function batchOf(deps: ProviderDeps, request_id: string) {
  const stored = /^[\w-]{1,64}$/.test(request_id) ? await deps.batches.get(request_id) : undefined;
  if (!stored || stored.value.private)
    return fail("batch_not_found", "No batch of this id is kept; batches are kept for a week.");
  const { created_at, summary, running_until, delivery } = stored.value;
  const state = (running_until ?? 0) > deps.now() ? ("running" as const) : ("done" as const);
  return { request_id, created_at, verification: { state, summary }, delivery };
}

/** A document that a site's owner could publish, of what was seen there. */
async function makeDocument(
  deps: ProviderDeps,
  domain: string,
  format: MadeFormat,
  endpoint: string | undefined,
) {
  const parsed = parsePastedDomain(domain);
  if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
  const { presence, ...known } = await knownSite(deps, parsed.host);
  if (known.isBlocked) return fail("not_observed", "The site is taken down in this registry.");
  if (!presence) return fail("not_observed", `No service for agents was seen at ${parsed.host}.`);
  const isVerified = verdictSummary(known, deps.now()).listed;
  const made = documentOfSite(presence, isVerified, format, endpoint);
  return typeof made === "string" ? fail("not_observed", made) : made;
}
