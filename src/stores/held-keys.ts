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
  /** What takes its place once DNS has it. */
  next: z
    .looseObject({ publicKey: z.string(), kid: z.string(), sealed: z.string(), madeAt: Timestamp })
    .optional(),
});
type HeldKeyRecord = z.infer<typeof HeldKeyRecord>;

export interface HeldKey extends PublicKey {
  siteId: string;
  accountId: string;
  endpoint: string;
  madeAt: string;
  next?: (PublicKey & { madeAt: string }) | undefined;
}

/** The key that takes its place, as a key of the site. */
export const nextKey = ({ next, ...key }: HeldKey): HeldKey | undefined =>
  next && { ...key, publicKey: next.publicKey, kid: next.kid, madeAt: next.madeAt };

export interface HeldKeys {
  /** The key of a site that the account had made. */
  of(siteId: string, accountId: string): Promise<HeldKey | undefined>;
  /** Makes a key, unless the account has one for the site; its endpoint is the one that is named now. */
  hold(siteId: string, accountId: string, endpoint: string): Promise<HeldKey | undefined>;
  /** Makes the key that is to take its place, unless there is one. @returns undefined without a key to replace */
  rotate(siteId: string, accountId: string): Promise<HeldKey | undefined>;
  /** Has the next key take its place. @param kid of the next one @returns undefined where that is none */
  promote(siteId: string, accountId: string, kid: string): Promise<HeldKey | undefined>;
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
  const made = (siteId: string, accountId: string) => {
    const { privateKey, publicKey, kid } = generateKey();
    const sealed = sealing.seal(privateKey, placeOf({ siteId, accountId, kid }));
    return { publicKey, kid, sealed, madeAt: iso(now()) };
  };
  const sealedOf = (stored: HeldKeyRecord | undefined, kid: string): string | undefined =>
    stored?.kid === kid ? stored.sealed : stored?.next?.kid === kid ? stored.next.sealed : undefined;
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
        const next = { v: 1 as const, siteId, accountId, endpoint, ...made(siteId, accountId) };
        return { next, result: next };
      }),
    rotate: (siteId, accountId) =>
      records.update<HeldKey | undefined>(nameOf(siteId), (before) => {
        if (before?.accountId !== accountId) return { result: undefined };
        if (before.next) return { result: before };
        const next = { ...before, next: made(siteId, accountId) };
        return { next, result: next };
      }),
    promote: (siteId, accountId, kid) =>
      records.update<HeldKey | undefined>(nameOf(siteId), (before) => {
        if (before?.accountId !== accountId) return { result: undefined };
        if (before.next?.kid !== kid) return { result: before.kid === kid ? before : undefined };
        const { next: promoted, ...rest } = before;
        const next = { ...rest, ...promoted };
        return { next, result: next };
      }),
    open: async (key) => {
      const stored = (await records.get(nameOf(key.siteId)))?.value;
      const sealed = sealedOf(stored, key.kid);
      const pem =
        sealed === undefined ? undefined : sealing.open(sealed, placeOf({ ...stored!, kid: key.kid }));
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
