/**
 * Names below sites that lead to the registry, which answers there with the site's document under a certificate of the name. One a
 * site, `bridge.<site>`, so that a name says which site it is of.
 */
import { z } from "zod";
import { Timestamp } from "../../schemas/common.ts";
import { hostKey, keyHost } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import type { Certificate } from "../ports/certificates.ts";
import type { Identity } from "./identity.ts";
import { openRecords, type Records } from "./records.ts";
import { openSealing } from "./sealing.ts";

export const HostedNameRecord = z.looseObject({
  v: z.literal(1),
  siteId: z.string(),
  accountId: z.string(),
  madeAt: Timestamp,
  /** What the authority looks for while it signs. */
  challenge: z.looseObject({ token: z.string(), answer: z.string() }).optional(),
  /** PEM; the key is sealed. */
  certificate: z
    .looseObject({ chain: z.string(), sealed: z.string(), notBefore: Timestamp, notAfter: Timestamp })
    .optional(),
  /** Milliseconds: a process orders a certificate since then. */
  orderedAt: z.number().optional(),
  /** Orders that failed in a row, why the last one did, and until when none is made. */
  failures: z.int().optional(),
  fault: z.string().optional(),
  retryAt: z.number().optional(),
});
export type HostedNameRecord = z.infer<typeof HostedNameRecord>;

const LABEL = "bridge.";
/** Within the bucket `account_sites`: names of sites have no dot there. */
const PREFIX = "hosting.";
export const HOSTED_NAMES = `${PREFIX}*`;

export const hostedName = (siteId: string): string => LABEL + siteId;
/** The site that a name is of by its form; whether the registry serves it there, its record says. */
export const siteOfName = (name: string): string | undefined =>
  name.startsWith(LABEL) ? name.slice(LABEL.length) : undefined;
export const hostedNameKey = (siteId: string): string => PREFIX + hostKey(siteId);
/** The site whose name's record has a key. */
export const siteOfKey = (key: string): string => keyHost(key.slice(PREFIX.length));

export const openHostedNames = ({ buckets }: Pick<Broker, "buckets">): Records<HostedNameRecord> =>
  openRecords(buckets.account_sites, HostedNameRecord);

export interface Keeping {
  /** A certificate as it is stored. */
  stored(name: string, certificate: Certificate): NonNullable<HostedNameRecord["certificate"]>;
  /** What a listener serves the name with. */
  opened(record: HostedNameRecord): { cert: string; key: string } | undefined;
}

/** Seals the keys of certificates. */
export const openKeeping = ({ secret }: Pick<Identity, "secret">): Keeping => {
  const sealing = openSealing(secret, "certificate");
  return {
    stored: (name, { chain, privateKey, notBefore, notAfter }) => ({
      ...{ chain, notBefore, notAfter },
      sealed: sealing.seal(privateKey, name),
    }),
    opened: ({ siteId, certificate }) => {
      const key = certificate && sealing.open(certificate.sealed, hostedName(siteId));
      return key === undefined ? undefined : { cert: certificate!.chain, key };
    },
  };
};

const AccountKey = z.looseObject({ v: z.literal(1), sealed: z.string() });
const ACCOUNT = "acme.account";

/** The registry's key at the authority: made once, sealed, the same for every process. The first writer wins. */
export const accountKeyOf = async (
  { buckets }: Pick<Broker, "buckets">,
  { secret }: Pick<Identity, "secret">,
  make: () => Promise<string>,
): Promise<string | undefined> => {
  const records = openRecords(buckets.account_sites, AccountKey);
  const sealing = openSealing(secret, "acme account");
  const known = await records.get(ACCOUNT);
  if (known) return sealing.open(known.value.sealed, ACCOUNT);
  await records.compareAndSet(ACCOUNT, { v: 1, sealed: sealing.seal(await make(), ACCOUNT) }, 0);
  return sealing.open((await records.get(ACCOUNT))!.value.sealed, ACCOUNT);
};
