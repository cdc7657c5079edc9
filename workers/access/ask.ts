/** `requestAccess`: an agent asks a site's owner for a license. */
import type { AccessQueueRecord, AccessRequestRecord, QueueEntry } from "../../schemas/access.ts";
import type { AccountRecord, AccountSiteRecord, AgentBlock } from "../../schemas/account.ts";
import type { Access } from "../../schemas/license.ts";
import { knownSite } from "../../src/crawl/known-site.ts";
import { recordAt } from "../../src/crawl/verdict.ts";
import { accessOf } from "../../src/domain/listing/listing.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers, Input, Principals } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { activeAccount } from "../../src/stores/accounts.ts";
import type { access } from "./contract.ts";
import { type AccessDeps, queueKey, requestKey } from "./deps.ts";
import {
  APPROVAL_LIFE_MS,
  agentBlockOf,
  cleanText,
  emptyQueue,
  enqueued,
  isReadOnly,
  READ_ONLY,
  REQUEST_LIFE_MS,
  underWay,
} from "./rules.ts";
import { conflict, shown } from "./standing.ts";

type Body = Input<(typeof access)["operations"]["requestAccess"]>["body"];

interface AskedSite {
  site: AccountSiteRecord;
  owner: AccountRecord;
  access: Access;
}

export const requestAccess =
  (deps: AccessDeps): Handlers<typeof access>["requestAccess"] =>
  async ({ body }, { principal: agent, clientAddress }) => {
    const parsed = parseHost(body.domain);
    if (!parsed.ok) return fail("invalid_domain", `domain is not a host name: ${parsed.reason}.`);
    const purpose = cleanText(body.purpose);
    if (purpose === "") return fail("invalid_request", "purpose must say what the license is for.");
    const asked = await siteFor(deps, parsed.host);
    if (asked instanceof Failure) return asked;
    const { agentBlocks, accountId: ownerId } = asked.owner;
    const block = agentBlockOf(agentBlocks, agent.accountId);
    if (block === "block") return fail("agent_blocked", `The owner of ${parsed.host} blocks this agent.`);
    const earlier = await known(deps, ownerId, { siteId: parsed.host, agentId: agent.agentId });
    if (earlier) return shown(deps, earlier);
    const payer = { agent: agent.agentId, account: agent.accountId, clientAddress };
    const refused = await deps.limiter.refusal("access_requests", payer);
    if (refused) return refused;
    const isHeard = block === undefined;
    const record = newRequest(asked, agent, purpose, body, { now: deps.now(), isHeard });
    // The request first: one that is listed can be read.
    await deps.requests.put(requestKey(record.requestId), record);
    const entered = await enter(deps, record, agentBlocks);
    if (entered === record.requestId) return shown(deps, record);
    await deps.requests.remove(requestKey(record.requestId));
    if (entered === undefined) return conflict();
    if (entered instanceof Failure) return entered;
    const other = (await deps.requests.get(requestKey(entered)))?.value;
    return other ? shown(deps, other) : conflict();
  };

/** The site as its owner configured it, now; what the crawl verified says whether that counts. */
async function siteFor(
  deps: AccessDeps,
  siteId: string,
): Promise<AskedSite | Failure<"site_not_registered" | "access_closed">> {
  const site = (await deps.store.site(siteId))?.value;
  const owner = site && (await activeAccount(deps.store, site.accountId, "machine"));
  if (!site || !owner)
    return fail("site_not_registered", `No account has proved ${siteId}: nobody can answer.`);
  const { record, isBlocked } = await knownSite(deps, siteId);
  const at = record && !isBlocked ? recordAt(record, deps.now()) : undefined;
  const access = at ? accessOf({ ...at, access: site.configuration.access }) : "none";
  if (access !== "none") return { site, owner, access };
  return fail("access_closed", `${siteId} takes no requests: only its owner gives licenses.`);
}

/** The request of this agent for this site that is under way. */
async function known(
  { queues, requests, now }: AccessDeps,
  ownerId: string,
  entry: Pick<QueueEntry, "siteId" | "agentId">,
): Promise<AccessRequestRecord | undefined> {
  const queue = (await queues.get(queueKey(ownerId)))?.value;
  const found = queue && underWay(queue, entry, now());
  return found && (await requests.get(requestKey(found.requestId)))?.value;
}

function newRequest(
  { site: { siteId, accountId: ownerId, provedAt }, access }: AskedSite,
  { agentId, accountId, name }: Principals["agent"],
  purpose: string,
  { permissions = [...READ_ONLY] }: Body,
  { now, isHeard }: { now: number; isHeard: boolean },
): AccessRequestRecord {
  const isOpen = access === "open" && isHeard && isReadOnly(permissions);
  return {
    v: 1,
    requestId: uuidv7(),
    siteId,
    ownerId,
    provedAt,
    agent: { agentId, accountId, name },
    purpose,
    permissions,
    state: isOpen ? "approved" : "pending",
    granted: isOpen ? permissions : null,
    reason: "",
    licenseExpiresAt: null,
    createdAt: iso(now),
    decidedAt: isOpen ? iso(now) : null,
    expiresAt: now + (isOpen ? APPROVAL_LIFE_MS : REQUEST_LIFE_MS),
  };
}

/**
 * Enters a request into the owner's queue.
 * @returns the request that is under way: this one, or one of the same agent for the same site that came before
 */
const enter = (
  { queues, now }: AccessDeps,
  record: AccessRequestRecord,
  blocks: readonly AgentBlock[] | undefined,
) =>
  queues.update<string | Failure<"queue_full">>(queueKey(record.ownerId), (before) => {
    const queue: AccessQueueRecord = before ?? emptyQueue();
    const entry = entryOf(record);
    const known = underWay(queue, entry, now());
    if (known) return { result: known.requestId };
    const next = enqueued(queue, entry, record.agent, blocks, now());
    if (typeof next === "string") return { result: refusedBy(next, record.siteId) };
    return { next, result: record.requestId };
  });

const entryOf = ({ requestId, siteId, agent, state, expiresAt }: AccessRequestRecord): QueueEntry => ({
  requestId,
  siteId,
  agentId: agent.agentId,
  accountId: agent.accountId,
  state: state === "approved" ? state : "pending",
  expiresAt,
});

/** Why an owner's queue takes no more. */
const refusedBy = (outcome: "full" | "many", siteId: string): Failure<"queue_full"> =>
  fail(
    "queue_full",
    outcome === "full"
      ? `Too many requests wait for the owner of ${siteId}.`
      : `Too many requests of this account's agents wait for the owner of ${siteId}.`,
    { retryAfterSeconds: 3_600 },
  );
