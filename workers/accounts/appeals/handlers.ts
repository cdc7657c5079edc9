/** Appeals of owners: what stands against their sites, and one appeal against each. */
import type { Appeal, AppealKind, StoredAppeal } from "../../../schemas/appeal.ts";
import { knownSite } from "../../../src/crawl/known-site.ts";
import { verdictSummary } from "../../../src/crawl/verdict.ts";
import { hostKey, registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { iso } from "../../../src/ports/time.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { ownSite } from "../../../src/stores/accounts.ts";
import { appealsOf, shownAppeal, withAppeal } from "../../../src/stores/appeals.ts";
import { hostBlock } from "../../../src/stores/block-list.ts";
import { confirmedReports } from "../../../src/stores/reports.ts";
import type { accounts } from "../contract.ts";
import type { AccountsDeps } from "../deps.ts";
import { decisionsOf } from "./decisions.ts";

type Deps = Pick<AccountsDeps, "store" | "limiter" | "appeals" | "confirmed" | "now" | "blocks" | "sites">;

type AppealHandlers = Pick<Handlers<typeof accounts>, "listSiteAppeals" | "appealDecision">;

interface AppealAsked {
  siteId: string;
  accountId: string;
  kind: AppealKind;
  decision: string;
  reason: string;
}

type Refusals = "not_found" | "already_appealed" | "queue_full" | "unavailable";

export function appealHandlers(deps: Deps): AppealHandlers {
  const { store, appeals, limiter } = deps;
  return {
    listSiteAppeals: async ({ params: { siteId } }, { principal: { accountId } }) => {
      const owned = await ownSite(store, accountId, siteId);
      if (owned instanceof Failure) return owned;
      const [found, made] = await Promise.all([standingOf(deps, siteId), appealsOf(appeals, siteId)]);
      const own = made.filter((each) => each.accountId === accountId);
      return {
        siteId,
        decisions: decisionsOf(siteId, found, made),
        appeals: own.map((each) => shownAppeal(siteId, each)).toReversed(),
      };
    },

    appealDecision: async ({ params: { siteId }, body }, { principal: { accountId }, clientAddress }) => {
      const owned = await ownSite(store, accountId, siteId);
      if (owned instanceof Failure) return owned;
      const domain = registrableDomain(siteId);
      const refused = await limiter.refusal("requests_to_operators", {
        account: accountId,
        domain,
        clientAddress,
      });
      return refused ?? makeAppeal(deps, { siteId, accountId, ...body });
    },
  };
}

/** What stands against a site now. */
async function standingOf(deps: Deps, siteId: string) {
  const { blocks, confirmed, now } = deps;
  const [block, reports, known] = await Promise.all([
    hostBlock(blocks, siteId),
    confirmedReports(confirmed, siteId, now()),
    knownSite(deps, siteId),
  ]);
  return { block, reports, summary: verdictSummary(known, now()) };
}

/** Stores an appeal against a decision that stands, once. */
async function makeAppeal(
  deps: Deps,
  { siteId, accountId, kind, decision, reason }: AppealAsked,
): Promise<Appeal | Failure<Refusals>> {
  const found = decisionsOf(siteId, await standingOf(deps, siteId), []);
  const against = found.find((each) => each.kind === kind && each.decision === decision);
  if (!against)
    return fail("not_found", `No such decision stands against ${siteId}: list its appeals again.`);
  const { appeal: _, ...known } = against;
  const at = iso(deps.now());
  const made = { ...known, appealId: uuidv7(), accountId, reason, at, state: "open" as const };
  const stored = await deps.appeals.update<StoredAppeal | Failure<Refusals>>(hostKey(siteId), (record) => {
    const before = record?.appeals ?? [];
    const earlier = before.find((each) => each.kind === kind && each.decision === decision);
    if (earlier)
      return {
        result: fail("already_appealed", `There is an appeal against it, and it is ${earlier.state}.`),
      };
    const next = withAppeal(before, made);
    return next
      ? { next: { v: 1 as const, siteId, appeals: next }, result: made }
      : { result: fail("queue_full", `Too many appeals of ${siteId} wait for an answer.`) };
  });
  if (!stored)
    return fail("unavailable", "Too many concurrent appeals of the site.", { retryAfterSeconds: 1 });
  return stored instanceof Failure ? stored : shownAppeal(siteId, stored);
}
