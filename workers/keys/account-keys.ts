/** The keys that an account lists: so that one whose text is lost can be seen, and revoked, by its id. */
import { type AccountKeys, type ApiKeyRecord, MOST_ACCOUNT_KEYS } from "../../schemas/api-key.ts";
import type { Records } from "../../src/stores/records.ts";
import { isRevoked } from "./rules.ts";

export interface KeyLists {
  records: Pick<Records<ApiKeyRecord>, "get">;
  lists: Records<AccountKeys>;
  now: () => number;
}

/** A listed key with the hash that its record is stored under. */
export interface ListedKey {
  hash: string;
  record: ApiKeyRecord;
}

/** Beside the keys' records, whose names are hashes. */
export const listName = (accountId: string): string => `account.${accountId}`;

const inForce = async (
  { records, now }: Pick<KeyLists, "records" | "now">,
  hashes: readonly string[],
): Promise<ListedKey[]> => {
  const stored = await Promise.all(hashes.map((hash) => records.get(hash)));
  return stored.flatMap((key, i) =>
    key && !isRevoked(key.value, now()) ? [{ hash: hashes[i]!, record: key.value }] : [],
  );
};

/** The account's keys in force, the newest first. */
export const keysInForce = async (deps: KeyLists, accountId: string): Promise<ListedKey[]> =>
  inForce(deps, (await deps.lists.get(listName(accountId)))?.value.hashes ?? []);

/** Puts a key on its account's list. Where that is full, revoked keys make room, then the oldest. */
export const listKey = async (deps: KeyLists, accountId: string, hash: string): Promise<void> => {
  const listed = await deps.lists.update(listName(accountId), async (before) => {
    const hashes = before?.hashes ?? [];
    if (hashes.includes(hash)) return { result: true };
    const kept =
      hashes.length < MOST_ACCOUNT_KEYS ? hashes : (await inForce(deps, hashes)).map((key) => key.hash);
    const next = [hash, ...kept].slice(0, MOST_ACCOUNT_KEYS);
    return { next: { ...before, v: 1 as const, hashes: next }, result: true };
  });
  if (!listed) throw new Error("a list of API keys changed under every attempt");
};
