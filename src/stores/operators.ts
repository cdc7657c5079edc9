/** Operators of the registry, which are accounts with a role, and the log of what they did. */
import type { AccountRecord } from "../../schemas/account.ts";
import type { OwnedOperatorKey } from "../../schemas/key.ts";
import { AuditEntry, MAX_AUDITED_CHARS, type OperatorRole, RoleGrant } from "../../schemas/operator.ts";
import { emailIdentity } from "../domain/names/email.ts";
import type { Broker } from "../ports/broker.ts";
import { iso } from "../ports/time.ts";
import { Failure } from "../rpc/errors.ts";
import { uuidv7 } from "../rpc/ids.ts";
import { type AccountStore, type GoneOrBusy, openAccountStore } from "./accounts.ts";
import { findKey, issueKey, unlistKeys } from "./keys.ts";
import { allRecords, openRecords, type Records } from "./records.ts";

export interface Operators {
  /**
   * Grants an account a role, in place of the one before, whose key ends.
   * @returns the key, which is shown once
   */
  grant(account: Pick<AccountRecord, "accountId" | "email">, role: OperatorRole): Promise<string | Failure>;
  /** The role behind a key; undefined for one that is malformed, ended, or not the one that was granted. */
  find(key: string): Promise<RoleGrant | undefined>;
  /** By address. */
  list(): Promise<RoleGrant[]>;
  /** Takes the role of an address in the normal form of `emailIdentity`, at once. @returns whether it had one */
  revoke(identity: string): Promise<boolean>;
}

/** What an operator asks for, before it is done. */
export type Act = Pick<AuditEntry, "operator" | "account_id" | "action"> & { input: unknown };

export interface AuditLog {
  /**
   * Notes an act, does it, and notes how it ended.
   * @param outcomeOf "done", or the code of what was refused
   * @throws what the act throws; and the broker's fault if the act cannot be noted, which is then not done
   */
  during<T>(act: Act, work: () => Promise<T>, outcomeOf: (result: T) => string): Promise<T>;
  /** The newest entries first. @param before entries older than this one */
  newest(limit: number, before?: string): Promise<AuditEntry[]>;
}

/** @param now broker milliseconds */
export function openOperators({ buckets, now }: Pick<Broker, "buckets" | "now">): Operators {
  const store = openAccountStore({ buckets });
  const grants = openRecords(buckets.operators, RoleGrant);
  const list = async (): Promise<RoleGrant[]> =>
    (await allRecords(grants)).sort((a, b) => (a.email < b.email ? -1 : 1));
  const revoke: Operators["revoke"] = async (identity) => {
    // Also of an account of this address that was closed since.
    const found = (await list()).filter(({ email }) => emailIdentity(email) === identity);
    for (const { accountId } of found) {
      await grants.remove(accountId);
      await endKeys(store, accountId);
    }
    return found.length > 0;
  };
  return {
    list,
    revoke,
    grant: async ({ accountId, email }, role) => {
      await revoke(emailIdentity(email)!);
      const issued = await renewKey(store, accountId, iso(now()));
      if (issued instanceof Failure) return issued;
      const { keyHash } = issued.owned;
      await grants.put(accountId, { v: 1, accountId, email, role, keyHash, grantedAt: iso(now()) });
      return issued.key;
    },
    find: async (key) => {
      const found = await findKey(store, "operator", key);
      const grant = found && (await grants.get(found.account.accountId))?.value;
      return grant?.keyHash === found?.key.keyHash ? grant : undefined;
    },
  };
}

/** The account's key of this kind, in place of the one before. */
async function renewKey(store: AccountStore, accountId: string, createdAt: string) {
  const ended = await endKeys(store, accountId);
  if (ended instanceof Failure) return ended;
  const wanted = { kind: "operator", id: uuidv7(), name: "", createdAt, generation: 0 } as const;
  return issueKey<OwnedOperatorKey>(store, accountId, wanted);
}

async function endKeys(store: AccountStore, accountId: string): Promise<Failure<GoneOrBusy> | undefined> {
  const ended = await unlistKeys(store, accountId, ({ kind }) => kind === "operator");
  if (ended instanceof Failure) return ended;
  for (const { keyHash } of ended) await store.keys.remove(keyHash);
  return undefined;
}

export function openAuditLog(
  { operator_audit }: Pick<Broker["buckets"], "operator_audit">,
  now: () => number,
): AuditLog {
  const records: Records<AuditEntry> = openRecords(operator_audit, AuditEntry);
  return {
    during: async ({ input, ...act }, work, outcomeOf) => {
      const entryId = uuidv7();
      const asked = (JSON.stringify(input) ?? "").slice(0, MAX_AUDITED_CHARS).toWellFormed();
      const entry = { v: 1 as const, entryId, at: iso(now()), ...act, input: asked };
      const note = (outcome: string) => records.put(entryId, { ...entry, outcome });
      await note("started");
      const result = await work().catch(async (error: unknown) => {
        await note("failed");
        throw error;
      });
      await note(outcomeOf(result));
      return result;
    },
    newest: async (limit, before) => {
      const ids: string[] = [];
      // Ids are UUIDv7: their order is that of their times.
      for await (const id of records.keys()) if (before === undefined || id < before) ids.push(id);
      const wanted = ids.sort().slice(-limit).toReversed();
      const entries = await Promise.all(wanted.map((id) => records.get(id)));
      return entries.flatMap((entry) => (entry ? [entry.value] : []));
    },
  };
}
