/** Watches of an account, as its holder makes and ends them. */
import { MOST_WATCHES, type WatchesRecord, type WatchRecord } from "../../../schemas/watch.ts";
import { keyed } from "../../../src/domain/keyed.ts";
import { parsePastedDomain } from "../../../src/domain/names/pasted-domain.ts";
import { iso } from "../../../src/ports/time.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { accountGone } from "../../../src/stores/accounts.ts";
import { refuseCallback } from "../../provider/callback.ts";
import type { accounts } from "../contract.ts";
import type { AccountsDeps } from "../deps.ts";
import { WATCHES_A_SITE } from "./contract.ts";
import { standingOf } from "./rules.ts";
import { watchedFacts, watchesKey } from "./store.ts";

export type WatchDeps = Pick<
  AccountsDeps,
  | "store"
  | "plans"
  | "limiter"
  | "resolver"
  | "allow"
  | "watches"
  | "sites"
  | "blocks"
  | "presences"
  | "secret"
  | "now"
>;

type Operations = Pick<Handlers<typeof accounts>, "createWatch" | "listWatches" | "deleteWatch">;

export const watchHandlers = (deps: WatchDeps): Operations => ({
  createWatch: async ({ body }, { principal: { accountId }, clientAddress }) => {
    const { webhook, mail } = body;
    const service = body.service === undefined ? null : new URL(body.service).href;
    const parsed = parsePastedDomain(body.domain);
    if (!parsed.ok) return fail("invalid_domain", `domain ${parsed.detail}.`);
    if ((webhook === undefined) === (mail === undefined)) return nowhereToTell();
    const { limiter } = deps;
    const overMost =
      (await limiter.refusal("account_changes", { account: accountId, clientAddress }, 1)) ??
      (webhook !== undefined ? await limiter.refusal("dns_names", { clientAddress }) : undefined);
    if (overMost) return overMost;
    const refused = await refuseCallback(deps, webhook, undefined, "webhook");
    if (refused) return refused;
    const most = await mostOf(deps, accountId);
    if (most instanceof Failure) return most;
    const { watched } = standingOf(await watchedFacts(deps, parsed.host), service, deps.now());
    const watch: WatchRecord = {
      id: uuidv7(),
      domain: parsed.host,
      service,
      webhook: webhook === undefined ? null : new URL(webhook).href,
      createdAt: iso(deps.now()),
      seen: watched,
      toldAt: null,
    };
    const kept = await deps.watches.update(watchesKey(accountId), (before) =>
      withWatch(before, accountId, watch, most),
    );
    if (kept === undefined) return fail("unavailable", "Other changes of this account are under way.");
    return kept instanceof Failure ? kept : shown(deps, kept);
  },

  listWatches: async (_, { principal: { accountId } }) => {
    const most = await mostOf(deps, accountId);
    if (most instanceof Failure) return most;
    const kept = (await deps.watches.get(watchesKey(accountId)))?.value.watches ?? [];
    return { watches: kept.map((each) => shown(deps, each)), most };
  },

  deleteWatch: async ({ params: { watchId: watch_id } }, { principal: { accountId } }) => {
    const isEnded = await deps.watches.update<boolean>(watchesKey(accountId), (before) => {
      const left = before?.watches.filter(({ id }) => id !== watch_id) ?? [];
      if (!before || left.length === before.watches.length) return { result: false };
      return { next: { ...before, watches: left }, result: true };
    });
    if (isEnded === undefined) return fail("unavailable", "Other changes of this account are under way.");
    return isEnded
      ? { watch_id, ended: true as const }
      : fail("not_found", "The account has no watch with this id.");
  },
});

function nowhereToTell(): Failure<"invalid_request"> {
  const message = "give one of webhook and mail: where it is told";
  return fail("invalid_request", `Not a watch: ${message}.`, {
    errors: [{ pointer: "/body/webhook", code: "invalid_request", message }],
  });
}

async function mostOf({ store, plans }: WatchDeps, accountId: string) {
  const account = (await store.account(accountId))?.value;
  if (!account) return accountGone();
  const { max_sites } = await plans.of(account.tier);
  return max_sites < 0 ? MOST_WATCHES : Math.min(MOST_WATCHES, max_sites * WATCHES_A_SITE);
}

/** The watch that was asked for before, else with it, where there is room. */
function withWatch(
  before: WatchesRecord | undefined,
  accountId: string,
  watch: WatchRecord,
  most: number,
): { next?: WatchesRecord; result: WatchRecord | Failure<"plan_limit"> } {
  const watches = before?.watches ?? [];
  const same = watches.find(
    ({ domain, service, webhook }) =>
      domain === watch.domain && service === watch.service && webhook === watch.webhook,
  );
  if (same) return { result: same };
  if (watches.length >= most)
    return { result: fail("plan_limit", `The plan allows ${most} watches: end one, or change the plan.`) };
  return { next: { ...before, v: 1, accountId, watches: [...watches, watch] }, result: watch };
}

const shown = (deps: Pick<WatchDeps, "secret">, watch: WatchRecord) => ({
  watch_id: watch.id,
  domain: watch.domain,
  service: watch.service,
  webhook: watch.webhook,
  created_at: watch.createdAt,
  seen: watch.seen,
  told_at: watch.toldAt,
  secret: watch.webhook === null ? null : watchSecret(deps.secret, watch.id),
});

/** What signs a watch's webhooks; follows from the registry's secret, and is kept nowhere. */
export const watchSecret = (secret: string, watchId: string): string =>
  `whsec_${keyed(secret, "watch", watchId).toString("base64")}`;
