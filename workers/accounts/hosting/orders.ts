/** Certificates for hosted names: ordered where DNS says that the name is meant, one at a time, and renewed when two thirds of their time are over. */
import { every } from "../../../src/concurrency/every.ts";
import { keysOfDomain } from "../../../src/egress/domain-keys.ts";
import { HOUR_MS } from "../../../src/ports/time.ts";
import {
  accountKeyOf,
  HOSTED_NAMES,
  type HostedNameRecord,
  hostedName,
  hostedNameKey,
} from "../../../src/stores/hosted-names.ts";
import type { AccountsDeps } from "../deps.ts";
import { FRESH_DNS_MS } from "../rules.ts";
import { visitNow } from "../visits.ts";
import type { HostingShown } from "./contract.ts";

/** Patience with name servers. */
const LOOKUP_MS = 8_000;
/** An order that took longer was left behind by a process that ended. */
const ORDER_MS = 10 * 60_000;
const MOST_PAUSE_MS = 24 * HOUR_MS;
/** Orders that wait in a process; the sweep comes back to those beyond. */
const MOST_WAITING = 100;

type Missing = HostingShown["missing"];

/** What keeps a name from being served, by DNS and by what there is to serve. */
export const missingOf = async (
  { resolver, hosting, hosted }: AccountsDeps,
  siteId: string,
): Promise<Missing> => {
  const name = hostedName(siteId);
  const signal = AbortSignal.timeout(LOOKUP_MS);
  const fresh = { txt: (asked: string, until?: AbortSignal) => resolver.txt(asked, until, FRESH_DNS_MS) };
  const [alias, keys, served] = await Promise.all([
    resolver.alias(name, signal, FRESH_DNS_MS),
    keysOfDomain(fresh, siteId, signal),
    hosted.of(siteId),
  ]);
  const missing: Missing = [];
  if (alias.outcome === "failed") missing.push({ what: "dns", detail: `DNS does not answer for ${name}.` });
  else if (alias.outcome !== "found" || alias.records[0]?.toLowerCase() !== hosting?.target)
    missing.push({ what: "cname", detail: `${name} is no CNAME for ${hosting?.target} yet.` });
  const endpoint = `https://${name}`;
  if (!keys.ok && keys.reason === "no_txt")
    missing.push({
      what: "txt",
      detail: `There is no key at _bridge.${siteId}: publish the TXT record of yours, or have the registry hold one.`,
    });
  else if (!keys.ok) missing.push({ what: "txt", detail: keys.detail });
  else if (keys.endpoint.origin !== endpoint)
    missing.push({
      what: "txt",
      detail: `The TXT record at _bridge.${siteId} names ${keys.endpoint.origin}, not ${endpoint}.`,
    });
  if (!served?.isGiven || !served.document.manifest)
    missing.push({
      what: "document",
      detail: "There is no signed document to serve: give one, or have the registry hold the key.",
    });
  return missing;
};

/** Whether an order is due, and nobody makes one. @param now milliseconds */
export const isDue = (record: HostedNameRecord, now: number): boolean => {
  const { certificate, orderedAt, retryAt } = record;
  if (orderedAt !== undefined && now - orderedAt < ORDER_MS) return false;
  if (retryAt !== undefined && now < retryAt) return false;
  if (!certificate) return true;
  const end = Date.parse(certificate.notAfter);
  return end - now <= (end - Date.parse(certificate.notBefore)) / 3;
};

const without = (
  { orderedAt: _, challenge: __, fault: ___, failures: ____, retryAt: _____, ...record }: HostedNameRecord,
  more: Partial<HostedNameRecord>,
): HostedNameRecord => ({ ...record, ...more }) as HostedNameRecord;

/** Changes a name's record, while the same account owns it. */
type Change = (edit: (record: HostedNameRecord) => HostedNameRecord) => Promise<void>;

const changeOf =
  ({ names }: AccountsDeps, siteId: string, accountId: string): Change =>
  async (edit) =>
    void (await names.update<boolean>(hostedNameKey(siteId), (record) =>
      record?.accountId === accountId ? { next: edit(record), result: true } : { result: false },
    ));

/** Asks the authority, and keeps what it says. @returns whether there is a new certificate */
const ask = async (deps: AccountsDeps, siteId: string, change: Change): Promise<boolean> => {
  const { hosting, now, log, broker, identity } = deps;
  if (!hosting) return false;
  const name = hostedName(siteId);
  const accountKey = await accountKeyOf(broker, identity, hosting.authority.makeAccountKey);
  const issued = accountKey
    ? await hosting.authority.issue(name, accountKey, (challenge) =>
        change(
          ({ challenge: _, ...record }) =>
            ({ ...record, ...(challenge && { challenge: { ...challenge } }) }) as HostedNameRecord,
        ),
      )
    : { ok: false as const, detail: "the key of the account at the authority cannot be read" };
  if (issued.ok) {
    const certificate = hosting.keeping.stored(name, issued.certificate);
    await change((record) => without(record, { certificate }));
    log.info({ siteId, notAfter: certificate.notAfter }, "a hosted name has a certificate");
    await visitNow(deps, siteId);
    return true;
  }
  log.warn({ siteId, detail: issued.detail }, "no certificate for a hosted name");
  await change((record) => {
    const failures = (record.failures ?? 0) + 1;
    const retryAt = now() + Math.min(MOST_PAUSE_MS, HOUR_MS * 2 ** Math.min(10, failures - 1));
    return without(record, { failures, retryAt, fault: issued.detail });
  });
  return false;
};

const order = async (deps: AccountsDeps, siteId: string): Promise<boolean> => {
  const { names, now, store } = deps;
  const owner = (await store.site(siteId))?.value.accountId;
  if (owner === undefined) return false;
  const isOurs = await names.update<boolean>(hostedNameKey(siteId), (record) =>
    record && record.accountId === owner && isDue(record, now())
      ? { next: { ...record, orderedAt: now() }, result: true }
      : { result: false },
  );
  if (!isOurs) return false;
  const change = changeOf(deps, siteId, owner);
  if ((await missingOf(deps, siteId)).length === 0) return ask(deps, siteId, change);
  // DNS has changed, or the document is gone: no failure of the authority's.
  await change(({ orderedAt: _, ...record }) => record as HostedNameRecord);
  return false;
};

export interface Orders {
  /** Orders a certificate for a site's name, once those before it are through. @returns whether there is one now */
  order(siteId: string): Promise<boolean>;
  /** Looks at every name once. @returns sites that have a new certificate */
  sweep(): Promise<string[]>;
  /** Looks once an hour. @returns what ends it */
  start(): () => void;
}

export const createOrders = (deps: AccountsDeps): Orders => {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const inTurn = async (siteId: string): Promise<boolean> => {
    if (waiting >= MOST_WAITING) return false;
    waiting++;
    const made = last.then(() => order(deps, siteId)).finally(() => waiting--);
    last = made.catch(() => undefined);
    return made;
  };
  const sweep = async (): Promise<string[]> => {
    const made: string[] = [];
    for await (const key of deps.names.keys(HOSTED_NAMES)) {
      const record = (await deps.names.get(key))?.value;
      if (record && isDue(record, deps.now()) && (await inTurn(record.siteId))) made.push(record.siteId);
    }
    return made;
  };
  return {
    order: inTurn,
    sweep,
    start: () =>
      deps.hosting
        ? every(deps.clock, HOUR_MS, () => {
            void sweep().catch((error: unknown) =>
              deps.log.warn({ err: error }, "certificates were not looked at; the next look is in an hour"),
            );
          })
        : () => undefined,
  };
};
