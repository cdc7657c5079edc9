/** Keys of an account, whatever they open: issued, listed, and by their ids replaced and ended. */
import type { AccountRecord } from "../../schemas/account.ts";
import {
  MOST_KEYS,
  type OwnedAgent,
  type OwnedKey,
  type OwnedLicense,
  type OwnedProject,
} from "../../schemas/key.ts";
import type { Counters } from "../../src/ports/counters.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers, Input, Principals } from "../../src/rpc/contract.ts";
import { Failure, fail, refusedMember } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import { ownSite, siteNotOwned } from "../../src/stores/accounts.ts";
import {
  accountKeys,
  hintOf,
  type IssuedOwnedKey,
  issueKey,
  notListed,
  ownedKey,
  revokeKey,
  rotateKey,
} from "../../src/stores/keys.ts";
import type { keys } from "./contract.ts";
import {
  type GatewayKeyDeps,
  gatewayKey,
  keysInForce,
  revokeGatewayKey,
  rotateGatewayKey,
} from "./gateway-keys.ts";
import { endOfLicense, isRevoked, shownAgent, shownKey, shownLicense, shownProject } from "./rules.ts";
import { daysOfUse } from "./unused.ts";

type Deps = GatewayKeyDeps & {
  counters: Pick<Counters, "list">;
  limiter: Pick<Limiter, "refusal">;
};

type AccountKeys = Pick<
  Handlers<typeof keys>,
  "issueKey" | "listKeys" | "rotateListedKey" | "revokeListedKey"
>;

type Wanted = Input<(typeof keys)["operations"]["issueKey"]>["body"];

export const accountKeyHandlers = (deps: Deps): AccountKeys => ({
  issueKey: async ({ body }, { principal, seed }) => issue(deps, body, principal, seed),

  listKeys: async (_, { principal: { accountId } }) => {
    const account = (await deps.store.account(accountId))?.value;
    const owned = { keys: account?.keys ?? [] };
    return {
      licenses: accountKeys(owned, "license").map((each) => shownLicense(each, deps.now())),
      agents: accountKeys(owned, "agent").map((each) => shownAgent(each, account!)),
      projects: accountKeys(owned, "project").map(shownProject),
      gateway_keys: await shownGatewayKeys(deps, accountId),
      operator_keys: accountKeys(owned, "operator").map(({ id, keyHint, createdAt }) => ({
        key_id: id,
        key_hint: keyHint,
        created_at: createdAt,
      })),
      most: MOST_KEYS,
    };
  },

  rotateListedKey: async ({ params: { keyId } }, { principal: { accountId }, clientAddress }) => {
    const old = await keyInForce(deps, accountId, keyId);
    if (old instanceof Failure) return old;
    if (old.kind === "operator")
      return fail("permission_denied", "A key of an operator is issued on the registry's machine alone.");
    if (old.kind !== "gateway") return shownNew(await rotateKey(deps.store, accountId, old));
    const { usageId } = (await gatewayKey(deps, old.keyHash))!;
    const refused = await deps.limiter.refusal("gateway_keys", { key: usageId, clientAddress });
    if (refused) return refused;
    const { key, record: fresh } = await rotateGatewayKey(deps, old.keyHash, 0);
    return { key_id: fresh.id, kind: old.kind, key, key_hint: hintOf(key) };
  },

  revokeListedKey: async ({ params: { keyId } }, { principal: { accountId } }) => {
    const found = await keyInForce(deps, accountId, keyId);
    if (found instanceof Failure) return found;
    if (found.kind === "gateway") await revokeGatewayKey(deps, found.keyHash);
    else {
      const revoked = await revokeKey(deps.store, accountId, keyId);
      if (revoked instanceof Failure) return revoked;
    }
    return { key_id: keyId, kind: found.kind, revoked: true as const };
  },
});

/** Issues what is asked for, a license for a site of the account alone. */
async function issue(
  { store, now }: Deps,
  body: Wanted,
  { accountId, generation }: Principals["account"],
  seed: string | undefined,
) {
  const { kind, name = "", siteId = "", permissions } = body;
  const misfit = misfitOf(body);
  if (misfit) return misfit;
  const made = { id: uuidv7(), name, createdAt: iso(now()) };
  if (kind === "project")
    return shownNew(await issueKey<OwnedProject>(store, accountId, { kind, ...made }, { seed }));
  if (kind === "agent")
    return shownNew(await issueKey<OwnedAgent>(store, accountId, { kind, ...made, generation }, { seed }));
  const expiresAt = endOfLicense(body, now());
  if (expiresAt instanceof Failure) return expiresAt;
  const owned = await ownSite(store, accountId, siteId);
  if (owned instanceof Failure) return owned;
  const wanted = { kind, ...made, siteId, expiresAt, ...(permissions && { permissions }) };
  const allows = ({ sites }: AccountRecord) => (sites.includes(siteId) ? undefined : siteNotOwned(siteId));
  return shownNew(await issueKey<OwnedLicense, "not_found">(store, accountId, wanted, { allows, seed }));
}

const OF_LICENSES = ["siteId", "permissions", "expires_in_days", "expires_at"] as const;

/** A member that a key of this kind needs, or that belongs to licenses alone. Pure. */
function misfitOf({ kind, ...body }: Wanted): Failure<"invalid_request"> | undefined {
  const needed = kind === "license" ? "siteId" : "name";
  if (body[needed] === undefined)
    return refusedMember("invalid_request", needed, `is needed by a key of kind ${kind}`);
  const foreign = kind === "license" ? undefined : OF_LICENSES.find((name) => body[name] !== undefined);
  return foreign && refusedMember("invalid_request", foreign, "belongs to a license");
}

const shownNew = <F extends Failure>(issued: IssuedOwnedKey<OwnedKey> | F) =>
  issued instanceof Failure
    ? issued
    : {
        key_id: issued.owned.id,
        kind: issued.owned.kind,
        key: issued.key,
        key_hint: issued.owned.keyHint,
      };

/** The gateway's keys of an account, with the last day of use of each. */
async function shownGatewayKeys(deps: Deps, accountId: string) {
  const records = (await keysInForce(deps, accountId)).map(({ record }) => record);
  const usedOn = await daysOfUse(deps.counters, records);
  return records.map((record) => shownKey(record, deps.now(), usedOn(record)));
}

/** A key of an account by its id; one of the gateway whose grace is over may still be listed. */
async function keyInForce(deps: Deps, accountId: string, keyId: string) {
  const found = await ownedKey(deps.store, accountId, keyId);
  if (found instanceof Failure || found.kind !== "gateway") return found;
  const record = await gatewayKey(deps, found.keyHash);
  return record && !isRevoked(record, deps.now()) ? found : notListed();
}
