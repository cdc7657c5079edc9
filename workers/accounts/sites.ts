/** Sites of an account: ownership proof by DNS, configuration, removal. */
import type { AccountSiteRecord } from "../../schemas/account.ts";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { defaultConfiguration } from "../../src/domain/listing/site-configuration.ts";
import { hostKey, parseHost } from "../../src/domain/names/domain-name.ts";
import { visitNow } from "../../src/ports/frontier.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { accountGone, changeAccount, ownSite, siteNotOwned } from "../../src/stores/accounts.ts";
import { blockHost } from "../../src/stores/block-list.ts";
import { uploadedKey } from "../../src/stores/hosted-documents.ts";
import { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { missingProof, proofIn } from "./domain-proof.ts";
import { changedConfiguration, ownerRecords, ownerValue, shownSite } from "./rules.ts";
import { refuseClaim, tellFormer } from "./takeover.ts";

type Deps = Pick<
  AccountsDeps,
  | "broker"
  | "store"
  | "uploaded"
  | "plans"
  | "limiter"
  | "resolver"
  | "sites"
  | "contents"
  | "secret"
  | "now"
  | "blocks"
  | "frontier"
  | "clock"
  | "outbox"
  | "publicUrl"
>;

type Sites = Pick<
  Handlers<typeof accounts>,
  "getSiteChallenge" | "addSite" | "listSites" | "configureSite" | "removeSite"
>;

export function siteHandlers(deps: Deps): Sites {
  const { store } = deps;
  const prove = proofOf(deps);

  return {
    getSiteChallenge: async ({ query }, { principal: { accountId } }) => {
      const host = hostOf(query.domain);
      if (host instanceof Failure) return host;
      return { siteId: host, records: ownerRecords(deps.secret, accountId, host) };
    },

    addSite: async ({ body }, { principal: { accountId }, clientAddress }) => {
      const siteId = hostOf(body.domain);
      if (siteId instanceof Failure) return siteId;
      const payer = { account: accountId, clientAddress };
      const { account_changes: units } = accounts.operations.addSite.charges;
      const refused = await deps.limiter.refusal("account_changes", payer, units);
      if (refused) return refused;
      const value = ownerValue(deps.secret, accountId, siteId);
      const proof = await proofIn(deps.resolver, siteId, value, "/body/domain");
      const holder = (await store.site(siteId))?.value;
      const unproved = await refuseClaim(deps, accountId, { siteId, holder, proof });
      if (unproved) return unproved;
      const entered = await enter(deps, accountId, siteId);
      if (entered instanceof Failure) return entered;
      const now = { siteId, holder: holder?.accountId, standing: proof.others };
      const claimed = await claim(deps, accountId, now);
      if (claimed instanceof Failure) return claimed;
      if (claimed.before !== undefined) {
        await giveUp(deps, claimed.before, siteId);
        await tellFormer(deps, claimed.before, siteId);
      }
      await letIn(deps, siteId);
      await meet(deps, siteId);
      return shownSite(claimed.record);
    },

    listSites: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      const records = await Promise.all(
        (account?.sites ?? []).map((siteId) => ownSite(store, accountId, siteId)),
      );
      return {
        sites: records.flatMap((stored) => (stored instanceof Failure ? [] : [shownSite(stored.value)])),
      };
    },

    configureSite: configure(deps),

    removeSite: async (
      { params: { siteId }, query: { unlist } },
      { principal: { accountId }, clientAddress },
    ) => {
      const stored = await ownSite(store, accountId, siteId);
      if (stored instanceof Failure) return stored;
      const refused =
        unlist && (await refusedChange(deps, "removeSite", { account: accountId, clientAddress }));
      if (refused) return refused;
      // A domain may have been sold since the proof: only its current owner may remove the listing.
      const unproved = unlist ? await prove(accountId, siteId, "/params/siteId") : undefined;
      if (unproved) return unproved;
      const left = await giveUp(deps, accountId, siteId);
      if (left instanceof Failure) return left;
      await store.sites.removeRevision(hostKey(siteId), stored.revision);
      await deps.uploaded.remove(uploadedKey(siteId));
      if (!unlist && stored.value.configuration.access !== "none")
        await visitNow(deps.frontier, siteId, deps.now(), { source: "seed" });
      if (unlist) await blockHost(deps, siteId, { why: "removed by its owner", by: "owner" });
      return { siteId, removed: true as const, unlisted: unlist };
    },
  };
}

/** Checks in DNS that an account owns a host. `pointer`: the request member that names it. */
const proofOf =
  ({ resolver, secret }: Deps) =>
  (accountId: string, host: string, pointer: "/body/domain" | "/params/siteId") =>
    missingProof(resolver, host, ownerValue(secret, accountId, host), pointer);

function hostOf(domain: string): string | Failure<"invalid_domain"> {
  const parsed = parseHost(domain);
  return parsed.ok
    ? parsed.host
    : fail("invalid_domain", `domain is not a public host name: ${parsed.reason}.`);
}

/** Adds the site to the account's list, if its plan allows. */
async function enter({ store, plans }: Deps, accountId: string, siteId: string) {
  const account = (await store.account(accountId))?.value;
  if (!account) return accountGone();
  const { max_sites, name } = await plans.of(account.tier);
  return changeAccount<"plan_limit">(store, accountId, (current) => {
    if (current.sites.includes(siteId)) return current;
    if (current.sites.length >= max_sites)
      return fail(
        "plan_limit",
        `The plan ${name} allows ${max_sites} sites: remove one, or change the plan.`,
      );
    return { ...current, sites: [...current.sites, siteId] };
  });
}

/** Makes an account the owner of a site. @param holder who had it when the proof was judged @returns the record and the previous owner */
async function claim(
  deps: Deps,
  accountId: string,
  { siteId, holder, standing }: { siteId: string; holder: string | undefined; standing: string[] },
): Promise<{ record: AccountSiteRecord; before: string | undefined } | Failure<"unavailable">> {
  const { store, now } = deps;
  const record: AccountSiteRecord = {
    v: 1,
    siteId,
    accountId,
    provedAt: iso(now()),
    configuration: defaultConfiguration(await signedPermissions(deps, siteId)),
    ...(standing.length > 0 && { standing }),
  };
  const claimed = await store.sites.update<
    { record: AccountSiteRecord; before: string | undefined } | undefined
  >(hostKey(siteId), (known) => {
    if (known?.accountId === accountId) return { result: { record: known, before: undefined } };
    // Another was faster: what DNS says of that one was not looked at.
    if (known?.accountId !== holder) return { result: undefined };
    return { next: record, result: { record, before: known?.accountId } };
  });
  return claimed ?? fail("unavailable", "Too many concurrent claims of the site.", { retryAfterSeconds: 1 });
}

/** The permissions in the document that a site's key has signed; none of a site without one. */
async function signedPermissions(
  { contents, sites }: Deps,
  siteId: string,
): Promise<Record<string, boolean> | undefined> {
  const record = (await sites.get(hostKey(siteId)))?.value;
  if (record?.status !== "enabled") return undefined;
  const document = (await contents.get(siteId))?.document;
  return document ? (JSON.parse(document) as DiscoveryDocument).capabilities.permissions : undefined;
}

/** Removes a site and its licenses from an account's lists. */
const giveUp = ({ store }: Deps, accountId: string, siteId: string) =>
  changeAccount(store, accountId, (account) => ({
    ...account,
    sites: account.sites.filter((each) => each !== siteId),
    keys: account.keys.filter((key) => key.kind !== "license" || key.siteId !== siteId),
  }));

/** Removes an owner's block, so that the site can be discovered again. */
async function letIn({ blocks }: Deps, siteId: string): Promise<void> {
  const block = await blocks.get(hostKey(siteId));
  if (block?.value.by === "owner") await blocks.removeRevision(hostKey(siteId), block.revision);
}

/** Has an unknown site visited, which its listing follows from. */
async function meet({ frontier, now }: Deps, siteId: string): Promise<void> {
  const discoveredAt = Math.floor(now());
  await frontier.add(siteId, discoveredAt, { source: "seed", discoveredAt, visited: false });
}

/** Charges a change that costs something only in some cases, by what its contract says. */
const refusedChange = (
  { limiter }: Pick<Deps, "limiter">,
  operation: "removeSite" | "configureSite",
  by: { account: string; clientAddress: string },
) => limiter.refusal("account_changes", by, accounts.operations[operation].charges.account_changes);

const configure =
  (deps: Deps): Sites["configureSite"] =>
  async ({ params: { siteId }, body }, { principal: { accountId }, clientAddress }) => {
    const known = await ownSite(deps.store, accountId, siteId);
    if (known instanceof Failure) return known;
    const opens = body.access !== undefined && body.access !== known.value.configuration.access;
    const refused =
      opens && (await refusedChange(deps, "configureSite", { account: accountId, clientAddress }));
    if (refused) return refused;
    const changed = await deps.store.sites.update<AccountSiteRecord | Failure<"not_found">>(
      hostKey(siteId),
      (site) => {
        if (site?.accountId !== accountId) return { result: siteNotOwned(siteId) };
        const next = { ...site, configuration: changedConfiguration(site.configuration, body) };
        return { next, result: next };
      },
    );
    if (!changed)
      return fail("unavailable", "Too many concurrent changes of the site.", { retryAfterSeconds: 1 });
    if (changed instanceof Failure) return changed;
    if (opens) await visitNow(deps.frontier, siteId, deps.now(), { source: "seed" });
    return shownSite(changed);
  };
