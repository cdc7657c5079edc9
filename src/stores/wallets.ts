/** Wallets: the licenses and the gateway key that an account keeps for its agents, sealed, in one record an account. */
import { WalletRecord } from "../../schemas/account.ts";
import type { Broker } from "../ports/broker.ts";
import { iso } from "../ports/time.ts";
import { type Failure, fail } from "../rpc/errors.ts";
import type { Identity } from "./identity.ts";
import { openRecords } from "./records.ts";
import { openSealing } from "./sealing.ts";

/** Licenses in one wallet. */
export const MOST_WALLET_LICENSES = 500;

export interface KeptLicense {
  /** Canonical host. */
  domain: string;
  addedAt: string;
}

export interface Wallets {
  /** Domains in the order in which their licenses came. */
  list(accountId: string): Promise<KeptLicense[]>;
  /** The license key for a site. */
  licenseFor(accountId: string, siteId: string): Promise<string | undefined>;
  /** Keeps a license in place of the one before. */
  keep(
    accountId: string,
    siteId: string,
    key: string,
  ): Promise<KeptLicense | Failure<"plan_limit" | "unavailable">>;
  /** @returns whether there was one */
  remove(accountId: string, siteId: string): Promise<boolean | Failure<"unavailable">>;
  /** The key of the module gateway that the account's agents are charged to. */
  gatewayKey(accountId: string): Promise<string | undefined>;
  shownGatewayKey(accountId: string): Promise<{ keyHint: string; addedAt: string } | undefined>;
  /** @param key undefined removes it. @returns whether there was one before */
  setGatewayKey(
    accountId: string,
    key: { key: string; keyHint: string } | undefined,
  ): Promise<boolean | Failure<"unavailable">>;
  /** Removes all of it, with the account. */
  discard(accountId: string): Promise<void>;
}

const GATEWAY = "gateway key";

export function openWallets(
  { buckets, now }: Pick<Broker, "buckets" | "now">,
  { secret }: Pick<Identity, "secret">,
): Wallets {
  const records = openRecords(buckets.keys, WalletRecord);
  const sealing = openSealing(secret, "wallet");
  const read = async (accountId: string) => (await records.get(walletKey(accountId)))?.value;
  const empty = (accountId: string): WalletRecord => ({ v: 1, accountId, licenses: {} });
  return {
    list: async (accountId) =>
      Object.entries((await read(accountId))?.licenses ?? {}).map(([domain, { addedAt }]) => ({
        domain,
        addedAt,
      })),
    licenseFor: async (accountId, siteId) => {
      const licenses = (await read(accountId))?.licenses ?? {};
      const kept = Object.hasOwn(licenses, siteId) ? licenses[siteId] : undefined;
      return kept && sealing.open(kept.sealed, placeOf(accountId, siteId));
    },
    keep: async (accountId, siteId, key) => {
      const addedAt = iso(now());
      const sealed = sealing.seal(key, placeOf(accountId, siteId));
      const kept = await records.update<KeptLicense | Failure<"plan_limit">>(
        walletKey(accountId),
        (before) => {
          const wallet = before ?? empty(accountId);
          const others = without(wallet.licenses, siteId);
          if (Object.keys(others).length >= MOST_WALLET_LICENSES)
            return {
              result: fail(
                "plan_limit",
                `A wallet holds at most ${MOST_WALLET_LICENSES} licenses: remove one with DELETE /api/account/wallet/{entry}.`,
              ),
            };
          const next = { ...wallet, licenses: { ...others, [siteId]: { sealed, addedAt } } };
          return { next, result: { domain: siteId, addedAt } };
        },
      );
      return kept ?? busy();
    },
    remove: async (accountId, siteId) => {
      const removed = await records.update<boolean>(walletKey(accountId), (wallet) =>
        wallet && Object.hasOwn(wallet.licenses, siteId)
          ? { next: { ...wallet, licenses: without(wallet.licenses, siteId) }, result: true }
          : { result: false },
      );
      return removed ?? busy();
    },
    gatewayKey: async (accountId) => {
      const kept = (await read(accountId))?.gatewayKey;
      return kept && sealing.open(kept.sealed, placeOf(accountId, GATEWAY));
    },
    shownGatewayKey: async (accountId) => (await read(accountId))?.gatewayKey,
    setGatewayKey: async (accountId, given) => {
      const set = await records.update<boolean>(walletKey(accountId), (before) => {
        const { gatewayKey, ...wallet } = before ?? empty(accountId);
        const result = gatewayKey !== undefined;
        if (!given) return result ? { next: wallet as WalletRecord, result } : { result };
        const sealed = sealing.seal(given.key, placeOf(accountId, GATEWAY));
        const kept = { sealed, keyHint: given.keyHint, addedAt: iso(now()) };
        return { next: { ...wallet, gatewayKey: kept } as WalletRecord, result };
      });
      return set ?? busy();
    },
    discard: (accountId) => records.remove(walletKey(accountId)),
  };
}

/** Beside the keys' own records, whose names are hashes. */
export const walletKey = (accountId: string): string => `wallet.${accountId}`;

const placeOf = (accountId: string, what: string): string => `${accountId}\n${what}`;

const without = (licenses: WalletRecord["licenses"], siteId: string): WalletRecord["licenses"] =>
  Object.fromEntries(Object.entries(licenses).filter(([host]) => host !== siteId));

const busy = () =>
  fail("unavailable", "Too many concurrent changes of the wallet.", { retryAfterSeconds: 1 });
