/** Signatures with keys that the registry holds, made anew before they run out. Processes may do it at once: one of them writes. */
import { every } from "../../../src/concurrency/every.ts";
import { DAY_MS, HOUR_MS } from "../../../src/ports/time.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import type { HeldKey } from "../../../src/stores/held-keys.ts";
import { uploadedKey } from "../../../src/stores/hosted-documents.ts";
import type { AccountsDeps } from "../deps.ts";
import { RENEW_BEFORE_MS, type SigningDeps, signerOf, signHeld } from "./signing.ts";

export interface RenewalDeps extends SigningDeps, Pick<AccountsDeps, "store" | "log" | "clock"> {}

/** A key that nobody published in this time waits for its owner to ask again. */
const WAITS_MS = 7 * DAY_MS;

const isDue = async ({ uploaded, now }: RenewalDeps, key: HeldKey): Promise<boolean> => {
  const own = (await uploaded.get(uploadedKey(key.siteId)))?.value;
  const document = own?.accountId === key.accountId ? own.document : undefined;
  const signer = signerOf(document, key);
  if (signer === "another") return false;
  // Signed once and given anew: an owner's document waits for nothing.
  if (signer === "nobody") return now() - Date.parse(key.madeAt) < WAITS_MS;
  return Date.parse(document?.expires_at ?? "") - now() <= RENEW_BEFORE_MS;
};

/** Signs what is due once. @returns sites that were signed for */
export const renewHeld = async (deps: RenewalDeps): Promise<string[]> => {
  const { held, store, log } = deps;
  const renewed: string[] = [];
  for await (const { siteId, accountId } of held.sites()) {
    const key = await held.of(siteId, accountId);
    const owner = (await store.site(siteId))?.value.accountId;
    if (!key || owner !== accountId || !(await isDue(deps, key))) continue;
    const signed = await signHeld(deps, key);
    if (signed instanceof Failure) log.info({ siteId, code: signed.code }, "a held key signed nothing");
    else if (signed) renewed.push(siteId);
  }
  return renewed;
};

/** Looks once an hour. @returns what ends it */
export const startRenewals = (deps: RenewalDeps): (() => void) =>
  every(deps.clock, HOUR_MS, () => {
    void renewHeld(deps).catch((error: unknown) =>
      deps.log.warn({ err: error }, "signatures were not renewed; the next look is in an hour"),
    );
  });
