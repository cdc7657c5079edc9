/** `collectAccess`: the license of an approved request, made as it is collected, so that its key is nowhere before. */
import type { AccessRequest, AccessRequestRecord } from "../../schemas/access.ts";
import type { AccountRecord } from "../../schemas/account.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { issueKey, revokeKey } from "../../src/stores/keys.ts";
import type { access } from "./contract.ts";
import { type AccessDeps, queueKey, requestKey } from "./deps.ts";
import { accessRequestState, accessRequestView, agentBlockOf, settledQueue } from "./rules.ts";
import { conflict, requestFor, requestStanding } from "./standing.ts";

type Refused = Failure<"not_approved" | "already_collected" | "agent_blocked">;

export const collectAccess =
  (deps: AccessDeps): Handlers<typeof access>["collectAccess"] =>
  async ({ params: { requestId }, body: { to } }, { principal: { agentId } }) => {
    const found = await requestFor(deps, requestId, ({ agent }) => agent.agentId === agentId);
    if (found instanceof Failure) return found;
    const standing = await requestStanding(deps, found);
    const refused = refusalOf(accessRequestState(found, standing, deps.now()), standing.isBlocked);
    if (refused) return refused;
    const claimed = await claim(deps, requestId);
    if (claimed === undefined) return conflict();
    if (claimed instanceof Failure) return claimed;
    const license_key = await issued(deps, claimed, to);
    if (license_key instanceof Failure) {
      await giveBack(deps, requestId);
      return license_key;
    }
    // What the queue still says is only where the same request again is looked for.
    await deps.queues.update(queueKey(claimed.ownerId), (queue) =>
      queue ? { next: settledQueue(queue, requestId, undefined), result: true } : { result: false },
    );
    return { ...accessRequestView(claimed, "collected"), license_key };
  };

function refusalOf(state: AccessRequest["state"], isBlocked: boolean): Refused | undefined {
  if (state === "approved") return undefined;
  if (state === "collected")
    return fail("already_collected", "The license was collected; ask for another one.");
  if (isBlocked) return fail("agent_blocked", "The site's owner blocks this agent.");
  return fail(
    "not_approved",
    state === "pending"
      ? "The owner has not answered yet: GET /api/bridge/access-requests/{requestId} says when."
      : `The request is ${state}; a new one can be made with POST /api/bridge/access-requests.`,
  );
}

/** Makes the request this caller's to collect: of two at once one is first. */
const claim = (deps: AccessDeps, requestId: string) =>
  deps.requests.update<AccessRequestRecord | Refused>(requestKey(requestId), (record) =>
    record?.state === "approved"
      ? { next: { ...record, state: "collected" }, result: record }
      : { result: refusalOf("collected", false)! },
  );

async function issued(deps: AccessDeps, record: AccessRequestRecord, to: "wallet" | "reply") {
  const license = await issue(deps, record);
  if (license instanceof Failure) {
    if (license.code === "authentication_required")
      return fail("not_approved", "The owner's account is gone.");
    if (license.code === "plan_limit")
      return fail("plan_limit", "The owner's account has no room for another license; the approval stands.");
    return license as Failure<Exclude<typeof license.code, "authentication_required">>;
  }
  if (to === "reply") return license.key;
  const kept = await deps.wallets.keep(record.agent.accountId, record.siteId, license.key);
  if (!(kept instanceof Failure)) return null;
  await revokeKey(deps.store, record.ownerId, license.owned.id);
  return kept;
}

/** Issues the license in the owner's account. */
function issue(deps: AccessDeps, { siteId, ownerId, agent, granted, licenseExpiresAt }: AccessRequestRecord) {
  const gone = () => fail("not_approved", "The site is not its owner's any more.");
  const wanted = {
    kind: "license" as const,
    id: uuidv7(),
    siteId,
    name: agent.name,
    createdAt: new Date(deps.now()).toISOString(),
    expiresAt: licenseExpiresAt,
    ...(granted && { permissions: granted }),
    agent,
  };
  const allows = (account: AccountRecord) => {
    if (agentBlockOf(account.agentBlocks, agent.accountId) === "block") return refusalOf("denied", true);
    return account.sites.includes(siteId) ? undefined : gone();
  };
  return issueKey(deps.store, ownerId, wanted, { allows });
}

/** Gives back what could not be collected. */
const giveBack = (deps: AccessDeps, requestId: string) =>
  deps.requests.update(requestKey(requestId), (record) =>
    record ? { next: { ...record, state: "approved" as const }, result: true } : { result: false },
  );
