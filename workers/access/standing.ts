/** Requests as they stand: what is stored, and what of it the site and both accounts still bear out. */
import type { AccessRequest, AccessRequestRecord } from "../../schemas/access.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { activeAccount } from "../../src/stores/accounts.ts";
import { type AccessDeps, requestKey } from "./deps.ts";
import { accessRequestState, accessRequestView, agentBlockOf, type RequestStanding } from "./rules.ts";

export const shown = async (deps: AccessDeps, record: AccessRequestRecord): Promise<AccessRequest> =>
  accessRequestView(record, accessRequestState(record, await requestStanding(deps, record), deps.now()));

export async function requestStanding(
  { store }: AccessDeps,
  { siteId, ownerId, provedAt, agent }: AccessRequestRecord,
): Promise<RequestStanding> {
  const [site, owner, asker] = await Promise.all([
    store.site(siteId),
    activeAccount(store, ownerId, "machine"),
    activeAccount(store, agent.accountId, "machine"),
  ]);
  const isSame = site?.value.accountId === ownerId && site.value.provedAt === provedAt;
  return {
    stands: isSame && owner !== undefined && asker !== undefined,
    isBlocked: agentBlockOf(owner?.agentBlocks, agent.accountId) === "block",
  };
}

/** A request, for whoever it belongs to. */
export async function requestFor(
  { requests }: AccessDeps,
  requestId: string,
  isTheirs: (record: AccessRequestRecord) => boolean,
): Promise<AccessRequestRecord | Failure<"not_found">> {
  const record = (await requests.get(requestKey(requestId)))?.value;
  return record && isTheirs(record) ? record : notFound();
}

const notFound = (): Failure<"not_found"> => fail("not_found", "There is no such request, or not any more.");

export const conflict = () =>
  fail("unavailable", "Too many concurrent changes of the request.", { retryAfterSeconds: 1 });
