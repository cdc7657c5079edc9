/** Pure rules of access: what reading is, what stands of a request, and the bounds of an owner's queue. */
import type {
  AccessQueueRecord,
  AccessRequest,
  AccessRequestRecord,
  QueueEntry,
} from "../../schemas/access.ts";
import type { AgentBlock } from "../../schemas/account.ts";
import type { SitePermission } from "../../schemas/license.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";

/** What a request asks for by default, and what an open site grants at once: to read. */
export const READ_ONLY: readonly SitePermission[] = ["readContent", "navigate", "scroll"];

export const REQUEST_LIFE_MS = 30 * DAY_MS;
/** How long an approval waits to be collected. */
export const APPROVAL_LIFE_MS = 30 * DAY_MS;

/** Requests that wait for one owner, over all sites. */
export const MOST_PENDING = 200;
/** … of one account's agents: a few strangers must not fill the queue. */
export const MOST_PENDING_OF_ACCOUNT = 10;
/** Approvals that the queue remembers, so that the same request again finds them. */
const MOST_APPROVED = 200;
/** Agents that an owner can block without another request of theirs. */
const MOST_AGENTS_SEEN = 500;
export const MOST_BLOCKS = 500;

/** What holds of a request beside its record. */
export interface RequestStanding {
  /** The site is still the owner's, as it was when the agent asked, and both accounts are in force. */
  stands: boolean;
  isBlocked: boolean;
}

/** A text that a stranger wrote, in one line, without control and formatting characters (which could reverse it). */
export const cleanText = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")
    .replaceAll(/\p{Cf}/gu, "")
    .trim();

export const isReadOnly = (permissions: readonly SitePermission[]): boolean =>
  permissions.every((permission) => READ_ONLY.includes(permission));

/** @param now milliseconds */
export function accessRequestState(
  { state, expiresAt }: AccessRequestRecord,
  { stands, isBlocked }: RequestStanding,
  now: number,
): AccessRequest["state"] {
  if (state === "denied" || state === "collected") return state;
  if (isBlocked) return "denied";
  return !stands || expiresAt <= now ? "expired" : state;
}

export const accessRequestView = (
  record: AccessRequestRecord,
  state: AccessRequest["state"],
): AccessRequest => ({
  request_id: record.requestId,
  domain: record.siteId,
  state,
  agent_id: record.agent.agentId,
  agent_name: record.agent.name,
  purpose: record.purpose,
  permissions: record.permissions,
  granted: record.granted,
  reason: record.reason,
  license_expires_at: record.licenseExpiresAt,
  created_at: record.createdAt,
  decided_at: record.decidedAt,
  expires_at: iso(record.expiresAt),
});

// ---------------------------------------------------------------- the queue
export const emptyQueue = (): AccessQueueRecord => ({ v: 1, open: [], agents: [] });

/** The request that an agent has under way for a site. */
export const underWay = (
  queue: AccessQueueRecord,
  { siteId, agentId }: Pick<QueueEntry, "siteId" | "agentId">,
  now: number,
): QueueEntry | undefined =>
  inForce(queue, now).find((each) => each.siteId === siteId && each.agentId === agentId);

const inForce = (queue: AccessQueueRecord, now: number): QueueEntry[] =>
  queue.open.filter(({ expiresAt }) => expiresAt > now);

/** The pending ones of agents that the owner hears. */
export const waiting = (
  queue: AccessQueueRecord,
  blocks: readonly AgentBlock[] | undefined,
  now: number,
): QueueEntry[] =>
  inForce(queue, now).filter(
    ({ state, accountId }) => state === "pending" && agentBlockOf(blocks, accountId) === undefined,
  );

export const agentBlockOf = (
  blocks: readonly AgentBlock[] | undefined,
  accountId: string,
): AgentBlock["kind"] | undefined => blocks?.find((each) => each.accountId === accountId)?.kind;

/**
 * The queue with one more request.
 * @returns "full" where too many wait, "many" where too many of this account do
 */
export function enqueued(
  queue: AccessQueueRecord,
  entry: QueueEntry,
  agent: AccessRequestRecord["agent"],
  blocks: readonly AgentBlock[] | undefined,
  now: number,
): AccessQueueRecord | "full" | "many" {
  const open = inForce(queue, now);
  const isMuted = ({ accountId }: QueueEntry) => agentBlockOf(blocks, accountId) !== undefined;
  if (entry.state === "pending") {
    const pending = open.filter(({ state }) => state === "pending");
    if (pending.filter(({ accountId }) => accountId === entry.accountId).length >= MOST_PENDING_OF_ACCOUNT)
      return "many";
    if (!isMuted(entry) && pending.filter((each) => !isMuted(each)).length >= MOST_PENDING) return "full";
  }
  const muted = bounded([...open, entry], MOST_PENDING, (each) => each.state === "pending" && isMuted(each));
  const others = queue.agents.filter(({ agentId }) => agentId !== agent.agentId);
  return {
    ...queue,
    open: bounded(muted, MOST_APPROVED, ({ state }) => state === "approved"),
    agents: [agent, ...others].slice(0, MOST_AGENTS_SEEN),
  };
}

/** The newest `most` of a state; all others. */
function bounded(open: QueueEntry[], most: number, isCounted: (entry: QueueEntry) => boolean): QueueEntry[] {
  let surplus = open.filter(isCounted).length - most;
  return open.filter((entry) => !isCounted(entry) || surplus-- <= 0);
}

/** The queue after a decision; `undefined` takes the request off it. */
export const settledQueue = (
  queue: AccessQueueRecord,
  requestId: string,
  change: Pick<QueueEntry, "state" | "expiresAt"> | undefined,
): AccessQueueRecord => ({
  ...queue,
  open: queue.open.flatMap((each) =>
    each.requestId === requestId ? (change ? [{ ...each, ...change }] : []) : [each],
  ),
});
