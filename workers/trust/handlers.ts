import { InteractionEntry, type LogEntry } from "../../schemas/ring4.ts";
import { stopAfter } from "../../src/concurrency/stop-after.ts";
import { knownSite } from "../../src/crawl/known-site.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { INVARIANTS_NOW } from "../../src/domain/trust/invariants.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { trust } from "./contract.ts";
import type { TrustDeps } from "./deps.ts";
import { EVIDENCE_LOOKUP_MS, siteEvidence } from "./evidence.ts";
import { logHandlers } from "./log-files.ts";
import { siteObservations } from "./observations.ts";
import { entryBytes, hostOf, register } from "./register.ts";
import { registrationView, signedTtlOf, signingKey } from "./rules.ts";

const CURSOR = /^(0|[1-9]\d{0,15})$/;

export const trustHandlers = (deps: TrustDeps): Handlers<typeof trust> => ({
  registerDomain: ({ body }) => register(deps, body),

  getRegistration: ({ params }) => statusOf(deps, params.domain),

  siteEvidence: ({ params, query }, { signal }) => siteEvidence(deps, params.domain, query.log_size, signal),

  listObservations: (input) => siteObservations(deps, input),

  verifySignature: async ({ body: { domain, message, signature } }, { signal }) => {
    const host = hostOf(domain);
    if (host instanceof Failure) return host;
    const none = { valid: false, key: null };
    const keys = await keysOfDomain(deps.resolver, host, stopAfter(EVIDENCE_LOOKUP_MS, signal));
    if (!keys.ok) return { ...none, reason: keys.reason };
    const key = message.isWellFormed() ? signingKey(message, signature, keys.keys) : undefined;
    return key
      ? { valid: true, key: key.kid, reason: "signature_right" }
      : { ...none, reason: "signature_wrong" };
  },

  logInteraction: async ({ body }, { principal }) => {
    if (body.project_id !== principal.projectId)
      return fail("permission_denied", "This key belongs to another project than project_id.");
    const host = body.domain === undefined ? undefined : hostOf(body.domain);
    if (host instanceof Failure) return host;
    const { project_id, event_type, outcome } = body;
    const id = uuidv7();
    const entry: LogEntry = {
      v: 1,
      kind: "interaction",
      id,
      at: iso(deps.now()),
      project_id,
      ...(host !== undefined && { domain: host }),
      event_type,
      outcome,
    };
    const topic = { kind: "interaction", project: project_id } as const;
    const { leafIndex, head } = await deps.transparency.commit(topic, id, entryBytes(entry));
    return { id, leaf_index: leafIndex, checkpoint: head.note };
  },

  listInteractions: async ({ params: { project_id }, query: { limit, cursor } }) => {
    if (cursor !== undefined && !CURSOR.test(cursor))
      return fail("invalid_cursor", "The cursor is invalid. Start again without a cursor.");
    const topic = { kind: "interaction", project: project_id } as const;
    const found = await deps.transparency.entries(topic, cursor === undefined ? -1 : Number(cursor), limit);
    const kept = found.flatMap(({ leafIndex, entry }) => (entry ? [{ leafIndex, entry }] : []));
    const events = kept.map(({ leafIndex, entry }) => {
      const { id, at, domain, event_type, outcome } = InteractionEntry.parse(
        JSON.parse(Buffer.from(entry).toString("utf8")),
      );
      return { id, leaf_index: leafIndex, at, domain: domain ?? null, event_type, outcome };
    });
    const next = found.length === limit ? String(found.at(-1)!.leafIndex) : null;
    const erased = found.flatMap(({ leafIndex, entry }) => (entry ? [] : [leafIndex]));
    return { project_id, count: events.length, events, erased, next_cursor: next };
  },

  getInvariants: async () => INVARIANTS_NOW,

  ...logHandlers(deps),
});

/** The current status of a domain's registration, from DNS and the last visit. */
async function statusOf(deps: TrustDeps, domain: string) {
  const host = hostOf(domain);
  if (host instanceof Failure) return host;
  const registration = (await deps.registrations.get(hostKey(host)))?.value;
  if (!registration)
    return fail("not_registered", `${host} is not registered; POST /api/ring4/register registers it.`);
  const [known, keys, content] = await Promise.all([
    knownSite(deps, host),
    keysOfDomain(deps.resolver, host),
    deps.contents.get(host),
  ]);
  const inDns = keys.ok
    ? keys.keys.map(({ kid }) => kid)
    : keys.reason === "dns_failed"
      ? undefined
      : ("revoked" as const);
  const standing = registrationView(registration, known, inDns, deps.now());
  // DNS is ahead of the crawl, whose next visit takes the ring away.
  if (standing.trust_ring === 4 && standing.status !== "registered")
    await deps.frontier.bringForward(host, Math.floor(deps.now()));
  return {
    domain: host,
    ...standing,
    last_verified: known.record?.verified_at ?? null,
    capabilities: registration.capabilities,
    constraints: registration.constraints,
    ttl_seconds: (content?.document && signedTtlOf(content.document)) || null,
    history: registration.history,
  };
}
