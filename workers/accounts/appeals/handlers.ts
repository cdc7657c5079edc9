/** Appeals of owners: what stands against their sites, and one appeal against each. */
import { type Appeal, type AppealKind, NO_ACCOUNT, type StoredAppeal } from "../../../schemas/appeal.ts";
import { knownSite } from "../../../src/crawl/known-site.ts";
import { summaryOf } from "../../../src/crawl/verdict.ts";
import { hostKey, registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { iso } from "../../../src/ports/time.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { appealsOf, shownAppeal, withAppeal } from "../../../src/stores/appeals.ts";
import { blockOf } from "../../../src/stores/block-list.ts";
import { confirmedReports } from "../../../src/stores/reports.ts";
import type { accounts } from "../contract.ts";
import type { AccountsDeps } from "../deps.ts";
import { missingProof } from "../domain-proof.ts";
import { recordsOf } from "../rules.ts";
import { decisionsOf } from "./decisions.ts";
import { appealValue, isAppealToken, makeAppealToken } from "./token.ts";

type AppealHandlers = Pick<
  Handlers<typeof accounts>,
  "siteAppeals" | "appeal" | "appealChallenge" | "provedDecisions" | "provedAppeal"
>;

/** What stands against a site now. */
const standingOf = async (deps: AccountsDeps, siteId: string) => {
  const { blocks, confirmed, now } = deps;
  const [block, reports, known] = await Promise.all([
    blockOf(blocks, siteId),
    confirmedReports(confirmed, siteId, now()),
    knownSite(deps, siteId),
  ]);
  return { block, reports, summary: summaryOf(known, now()) };
};

interface AppealAsked {
  siteId: string;
  /** NO_ACCOUNT: whoever proved the domain for it alone. */
  accountId: string;
  kind: AppealKind;
  decision: string;
  reason: string;
}

type Refusals = "not_found" | "already_appealed" | "queue_full" | "unavailable";

/** Stores an appeal against a decision that stands, once. */
const makeAppeal = async (
  deps: AccountsDeps,
  { siteId, accountId, kind, decision, reason }: AppealAsked,
): Promise<Appeal | Failure<Refusals>> => {
  const found = decisionsOf(siteId, await standingOf(deps, siteId), []);
  const against = found.find((each) => each.kind === kind && each.decision === decision);
  if (!against)
    return fail("not_found", `No such decision stands against ${siteId}: list its appeals again.`);
  const { appeal: _, ...known } = against;
  const at = iso(deps.now());
  const made = { ...known, ...{ appealId: uuidv7(), accountId, reason, at, state: "open" as const } };
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
};

/** Refuses whoever does not prove the host with a token's record; what is stored of it is not looked at before. */
const unproved = async (
  { resolver, limiter, secret, now }: AccountsDeps,
  host: string,
  token: string,
  clientAddress: string,
): Promise<Failure<"proof_required" | "rate_limited" | "unavailable"> | undefined> => {
  if (!isAppealToken(secret, host, token, now()))
    return fail("proof_required", `The token has ended, or is not of ${host}: ask for another record.`);
  const domain = registrableDomain(host);
  return (
    (await limiter.refusal("appeal_proofs", { domain, clientAddress })) ??
    missingProof(resolver, host, appealValue(secret, host, token), "/params/domain")
  );
};

/** For whoever proves a domain without an account. */
const provedHandlers = (
  deps: AccountsDeps,
): Pick<AppealHandlers, "appealChallenge" | "provedDecisions" | "provedAppeal"> => ({
  appealChallenge: async ({ params: { domain } }, { clientAddress }) => {
    // Of the domain's own share it takes none: that is for looks at DNS.
    const refused = await deps.limiter.refusal("appeal_proofs", { clientAddress });
    if (refused) return refused;
    const { token, until } = makeAppealToken(deps.secret, domain, deps.now());
    const records = recordsOf(domain, appealValue(deps.secret, domain, token));
    return { domain, token, records, ends_at: iso(until) };
  },

  provedDecisions: async ({ params: { domain }, body: { token } }, { clientAddress }) => {
    const refused = await unproved(deps, domain, token, clientAddress);
    if (refused) return refused;
    const [found, made] = await Promise.all([standingOf(deps, domain), appealsOf(deps.appeals, domain)]);
    return { domain, decisions: decisionsOf(domain, found, made) };
  },

  provedAppeal: async ({ params: { domain }, body }, { clientAddress }) => {
    const { token, ...asked } = body;
    const refused =
      (await unproved(deps, domain, token, clientAddress)) ??
      (await deps.limiter.refusal("appeals", { domain: registrableDomain(domain), clientAddress }));
    return refused ?? makeAppeal(deps, { siteId: domain, accountId: NO_ACCOUNT, ...asked });
  },
});

export const appealHandlers = (deps: AccountsDeps): AppealHandlers => {
  const { store, appeals, limiter } = deps;
  const notOwned = async (siteId: string, accountId: string): Promise<Failure<"not_found"> | undefined> =>
    (await store.site(siteId))?.value.accountId === accountId
      ? undefined
      : fail("not_found", `The account has no site ${siteId}.`);

  return {
    ...provedHandlers(deps),

    siteAppeals: async ({ params: { siteId } }, { principal: { accountId } }) => {
      const refused = await notOwned(siteId, accountId);
      if (refused) return refused;
      const [found, made] = await Promise.all([standingOf(deps, siteId), appealsOf(appeals, siteId)]);
      const own = made.filter((each) => each.accountId === accountId);
      return {
        siteId,
        decisions: decisionsOf(siteId, found, made),
        appeals: own.map((each) => shownAppeal(siteId, each)).toReversed(),
      };
    },

    appeal: async ({ params: { siteId }, body }, { principal: { accountId }, clientAddress }) => {
      const domain = registrableDomain(siteId);
      const refused =
        (await notOwned(siteId, accountId)) ??
        (await limiter.refusal("appeals", { account: accountId, domain, clientAddress }));
      return refused ?? makeAppeal(deps, { siteId, accountId, ...body });
    },
  };
};
