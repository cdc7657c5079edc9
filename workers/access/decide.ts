/** An owner's answers: the queue, and what is decided of it. */
import type { AccessRequestRecord } from "../../schemas/access.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Handlers, Input } from "../../src/rpc/contract.ts";
import { Failure, fail, refusedMember } from "../../src/rpc/errors.ts";
import type { access } from "./contract.ts";
import { type AccessDeps, queueKey, requestKey } from "./deps.ts";
import {
  APPROVAL_LIFE_MS,
  accessRequestState,
  accessRequestView,
  cleanText,
  settledQueue,
  waiting,
} from "./rules.ts";
import { conflict, requestFor, requestStanding, shown } from "./standing.ts";

type Answers = Pick<Handlers<typeof access>, "listAccessRequests" | "decideAccess">;

type Decision = Input<(typeof access)["operations"]["decideAccess"]>["body"];

export const answers = (deps: AccessDeps): Answers => ({
  listAccessRequests: async ({ query: { limit } }, { principal: { accountId } }) => {
    const [queue, account] = await Promise.all([
      deps.queues.get(queueKey(accountId)),
      deps.store.account(accountId),
    ]);
    const listed = queue ? waiting(queue.value, account?.value.agentBlocks, deps.now()) : [];
    const requests = await Promise.all(
      listed.map(async ({ requestId }) => {
        const record = (await deps.requests.get(requestKey(requestId)))?.value;
        const state = record && accessRequestState(record, await requestStanding(deps, record), deps.now());
        return record && state === "pending" ? [accessRequestView(record, state)] : [];
      }),
    );
    const pending = requests.flat();
    return { requests: pending.slice(0, limit), total: pending.length };
  },

  decideAccess: async ({ params: { requestId }, body }, { principal: { accountId } }) => {
    const misfit = misfitOf(body);
    if (misfit) return misfit;
    return decide(deps, accountId, requestId, (record) => answered(record, body, deps.now()));
  },
});

/** What says how much is granted says nothing of a denial. */
function misfitOf({ decision, ...body }: Decision): Failure<"invalid_request"> | undefined {
  const member = (["permissions", "expires_in_days"] as const).find((name) => body[name] !== undefined);
  return decision === "deny" && member
    ? refusedMember("invalid_request", member, "belongs to an approval")
    : undefined;
}

/** A request with its owner's answer. Pure. @param now milliseconds */
function answered(
  record: AccessRequestRecord,
  { decision, permissions = record.permissions, expires_in_days: days, reason = "" }: Decision,
  now: number,
): AccessRequestRecord | Failure<"invalid_request"> {
  const decided = { ...record, reason: cleanText(reason), decidedAt: iso(now) };
  if (decision === "deny") return { ...decided, state: "denied" };
  const unasked = permissions.find((permission) => !record.permissions.includes(permission));
  if (unasked)
    return refusedMember("invalid_request", "permissions", `name ${unasked}, which was not asked for`);
  return {
    ...decided,
    state: "approved",
    granted: permissions,
    licenseExpiresAt: days === undefined ? null : iso(now + days * DAY_MS),
    expiresAt: now + APPROVAL_LIFE_MS,
  };
}

/** Decides on a pending request, once. @returns the request as it is then */
async function decide(
  deps: AccessDeps,
  accountId: string,
  requestId: string,
  edit: (record: AccessRequestRecord) => AccessRequestRecord | Failure<"invalid_request">,
) {
  const found = await requestFor(deps, requestId, ({ ownerId }) => ownerId === accountId);
  if (found instanceof Failure) return found;
  const state = accessRequestState(found, await requestStanding(deps, found), deps.now());
  if (state !== "pending") return decided(state);
  const changed = await deps.requests.update<
    AccessRequestRecord | Failure<"already_decided" | "invalid_request">
  >(requestKey(requestId), (record) => {
    if (record?.state !== "pending") return { result: decided(record?.state ?? "gone") };
    const next = edit(record);
    return next instanceof Failure ? { result: next } : { next, result: next };
  });
  if (changed === undefined) return conflict();
  if (changed instanceof Failure) return changed;
  const { expiresAt } = changed;
  const rest = changed.state === "approved" ? { state: "approved" as const, expiresAt } : undefined;
  await deps.queues.update(queueKey(accountId), (queue) =>
    queue ? { next: settledQueue(queue, requestId, rest), result: true } : { result: false },
  );
  return shown(deps, changed);
}

const decided = (state: string): Failure<"already_decided"> =>
  fail("already_decided", `The request is ${state}.`);
