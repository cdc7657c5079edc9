/**
 * Keys that the registry holds for sites whose owners chose so: made here, sealed, one a site, beside the site's own record.
 * A key counts while the account that had it made owns the site.
 */
import { z } from "zod";
import { Timestamp } from "../../schemas/common.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import { generateKey, type KeyPair, keyFromPem, type PublicKey } from "../domain/trust/ed25519.ts";
import type { Broker } from "../ports/broker.ts";
import { iso } from "../ports/time.ts";
import type { Identity } from "./identity.ts";
import { openRecords } from "./records.ts";
import { openSealing } from "./sealing.ts";

const HeldKeyRecord = z.looseObject({
  v: z.literal(1),
  siteId: z.string(),
  accountId: z.string(),
  publicKey: z.string(),
  kid: z.string(),
  /** PKCS #8 PEM, sealed. */
  sealed: z.string(),
  /** Origin that serves the document, as the TXT record names it. */
  endpoint: z.string(),
  madeAt: Timestamp,
});

export interface HeldKey extends PublicKey {
  siteId: string;
  accountId: string;
  endpoint: string;
  madeAt: string;
}

export interface HeldKeys {
  /** The key of a site that the account had made. */
  of(siteId: string, accountId: string): Promise<HeldKey | undefined>;
  /** Makes a key, unless the account has one for the site; its endpoint is the one that is named now. */
  hold(siteId: string, accountId: string, endpoint: string): Promise<HeldKey | undefined>;
  /** The pair, to sign with. */
  open(key: HeldKey): Promise<KeyPair | undefined>;
  discard(siteId: string): Promise<void>;
  /** Sites with a key. */
  sites(): AsyncIterable<{ siteId: string; accountId: string }>;
}

/** Within the bucket `account_sites`: names of sites have no dot there. */
const PREFIX = "key.";
const nameOf = (siteId: string): string => PREFIX + hostKey(siteId);
const placeOf = ({ siteId, accountId, kid }: { siteId: string; accountId: string; kid: string }): string =>
  `${siteId}\n${accountId}\n${kid}`;

export const openHeldKeys = (
  { buckets, now }: Pick<Broker, "buckets" | "now">,
  { secret }: Pick<Identity, "secret">,
): HeldKeys => {
  const records = openRecords(buckets.account_sites, HeldKeyRecord);
  const sealing = openSealing(secret, "site key");
  return {
    of: async (siteId, accountId) => {
      const stored = (await records.get(nameOf(siteId)))?.value;
      return stored?.accountId === accountId ? stored : undefined;
    },
    hold: (siteId, accountId, endpoint) =>
      records.update<HeldKey>(nameOf(siteId), (before) => {
        if (before?.accountId === accountId) {
          if (before.endpoint === endpoint) return { result: before };
          const next = { ...before, endpoint };
          return { next, result: next };
        }
        const { privateKey, publicKey, kid } = generateKey();
        const madeAt = iso(now());
        const sealed = sealing.seal(privateKey, placeOf({ siteId, accountId, kid }));
        const next = { v: 1 as const, siteId, accountId, publicKey, kid, sealed, endpoint, madeAt };
        return { next, result: next };
      }),
    open: async (key) => {
      const stored = (await records.get(nameOf(key.siteId)))?.value;
      const pem = stored?.kid === key.kid ? sealing.open(stored.sealed, placeOf(stored)) : undefined;
      return pem === undefined ? undefined : keyFromPem(pem);
    },
    discard: (siteId) => records.remove(nameOf(siteId)),
    sites: async function* () {
      for await (const name of records.keys(`${PREFIX}*`)) {
        const stored = (await records.get(name))?.value;
        if (stored) yield { siteId: stored.siteId, accountId: stored.accountId };
      }
    },
  };
};
