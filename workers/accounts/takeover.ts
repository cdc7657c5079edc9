/**
 * A site that another account has: who proves it now takes it over, unless DNS speaks for both. A record that a former owner left
 * behind proves nothing of now.
 */
import type { AccountSiteRecord } from "../../schemas/account.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import type { AccountsDeps } from "./deps.ts";
import type { Proof } from "./domain-proof.ts";
import { siteContestedText, siteMovedText } from "./mail/texts.ts";
import { ownerNames, ownerValue } from "./rules.ts";

type Deps = Pick<AccountsDeps, "store" | "secret" | "now" | "outbox" | "publicUrl">;

/** The owner of a site is told of claims at most once in this time. */
const TOLD_AGAIN_MS = 7 * DAY_MS;

/** Tells an account that a site is another's now. */
export async function tellFormer(deps: Deps, accountId: string, siteId: string): Promise<void> {
  const { store, outbox, publicUrl, now } = deps;
  const former = (await store.account(accountId))?.value;
  if (former) await outbox.post(former, siteMovedText(publicUrl, siteId), now() + DAY_MS, { kind: "news" });
}

/** Whether an account may have a site by its proof. @param holder who has it now @returns why not */
export async function refuseClaim(
  deps: Deps,
  accountId: string,
  { siteId, holder, proof }: { siteId: string; holder: AccountSiteRecord | undefined; proof: Proof },
): Promise<Failure<"proof_required" | "unavailable" | "site_contested"> | undefined> {
  const value = ownerValue(deps.secret, accountId, siteId);
  if (proof.missing) {
    if (proof.isAbsent && holder?.standing?.includes(value)) await forgetStanding(deps, siteId, value);
    return proof.missing;
  }
  const holderValue = holder && ownerValue(deps.secret, holder.accountId, siteId);
  const refused = claimRefusal(holder, { accountId, value }, holderValue, proof.others);
  if (refused) await tellHolder(deps, holder!);
  return refused;
}

/** An account's value was seen to be gone: published anew, it proves. */
async function forgetStanding({ store }: Deps, siteId: string, value: string): Promise<void> {
  await store.sites.update(hostKey(siteId), (site) =>
    site?.standing?.includes(value)
      ? { next: { ...site, standing: site.standing.filter((each) => each !== value) }, result: true }
      : { result: false },
  );
}

/** Why an account that published its value does not take a site over; undefined where it does. Pure. */
export function claimRefusal(
  holder: AccountSiteRecord | undefined,
  own: { accountId: string; value: string },
  holderValue: string | undefined,
  others: readonly string[],
): Failure<"site_contested"> | undefined {
  if (!holder || holder.accountId === own.accountId) return undefined;
  const { siteId } = holder;
  const names = ownerNames(siteId).join(" or ");
  if (holderValue !== undefined && others.includes(holderValue))
    return contested(
      siteId,
      `Its record ${holderValue} still stands at ${names}: remove it, then ask again.`,
    );
  if (holder.standing?.includes(own.value))
    return contested(
      siteId,
      `Your record stood already when its owner proved it, and proves nothing newer: remove ${own.value} at ${names}, ask again, publish it anew, and ask once more.`,
    );
  return undefined;
}

const contested = (siteId: string, message: string): Failure<"site_contested"> =>
  fail("site_contested", `${siteId} is another account's. ${message}`, {
    errors: [{ pointer: "/body/domain", code: "site_contested", message }],
  });

async function tellHolder(deps: Deps, { siteId, accountId }: AccountSiteRecord): Promise<void> {
  const { store, outbox, publicUrl, now } = deps;
  const isDue = await store.sites.update<boolean>(hostKey(siteId), (site) =>
    site?.accountId !== accountId || now() - Date.parse(site.contestedAt ?? iso(0)) < TOLD_AGAIN_MS
      ? { result: false }
      : { next: { ...site, contestedAt: iso(now()) }, result: true },
  );
  const holder = isDue ? (await store.account(accountId))?.value : undefined;
  if (holder)
    await outbox.post(holder, siteContestedText(publicUrl, siteId), now() + DAY_MS, { kind: "news" });
}
