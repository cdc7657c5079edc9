/** The role `accounts`: the only writer of accounts, their sites, keys and wallets. */

import { AccessQueueRecord, AccessRequestRecord } from "../../schemas/access.ts";
import { parseAllowances } from "../../src/domain/names/address.ts";
import { iso } from "../../src/ports/time.ts";
import { LIMITS } from "../../src/rpc/limit-table.ts";
import { scaled } from "../../src/rpc/limits.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { type AccountStore, changeAccount, openAccountStore } from "../../src/stores/accounts.ts";
import { openAppeals } from "../../src/stores/appeals.ts";
import { openUploadedDocuments } from "../../src/stores/hosted-documents.ts";
import { loginTokens } from "../../src/stores/issued-tokens.ts";
import { openMailTokens } from "../../src/stores/mail-tokens.ts";
import { createPasswords } from "../../src/stores/passwords.ts";
import { openPlanRequests } from "../../src/stores/plan-requests.ts";
import { openPlans } from "../../src/stores/plans.ts";
import { openPresences } from "../../src/stores/presences.ts";
import { openRecords } from "../../src/stores/records.ts";
import { openConfirmedReports } from "../../src/stores/reports.ts";
import { openWallets } from "../../src/stores/wallets.ts";
import { access } from "../access/contract.ts";
import type { AccessDeps } from "../access/deps.ts";
import { accessHandlers } from "../access/handlers.ts";
import { keys } from "../keys/contract.ts";
import { keysHandlers } from "../keys/handlers.ts";
import { sweepUnused } from "../keys/unused.ts";
import { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { accountsHandlers } from "./handlers.ts";
import { holders } from "./holders/contract.ts";
import { holdersHandlers } from "./holders/handlers.ts";
import { type Outbox, startOutbox } from "./mail/outbox.ts";
import { startNotices } from "./notices/sweep.ts";
import { openWatches } from "./watches/store.ts";
import { startWatches } from "./watches/sweep.ts";

export async function start(runtime: Runtime): Promise<RunningRole> {
  const deps = await depsOf(runtime);
  const { store, wallets, planRequests, outbox } = deps;
  const queues = openRecords(runtime.broker.buckets.access_requests, AccessQueueRecord);
  const issuing = serveKeys(runtime, store);
  const endings = [startNotices({ ...deps, queues }), startWatches(deps), issuing.endSweep];
  const serving = runtime.serve(accounts, accountsHandlers(deps));
  const asking = serveAccess(runtime, { store, wallets });
  const holding = runtime.serve(
    holders,
    holdersHandlers({
      store,
      planRequests,
      outbox,
      publicUrl: runtime.publicUrl,
      now: deps.now,
    }),
  );
  return {
    servings: [serving, asking, holding, issuing.serving],
    read: async () => ({}),
    drain: async () => {
      for (const end of endings) end();
      await Promise.all([serving, asking, holding, issuing.serving].map((each) => each.drain()));
      await outbox.drain();
    },
  };
}

async function depsOf(runtime: Runtime): Promise<AccountsDeps> {
  const { broker, identity, resolver, blocks, contents, frontier, clock, config, limiter, sites } = runtime;
  const { publicUrl, log } = runtime;
  const allow = parseAllowances(config.BRIDGE_EGRESS_ALLOW);
  const plans = openPlans(broker.buckets.accounts, broker.now);
  await plans.ensure();
  const store = openAccountStore(broker);
  return {
    outbox: await openOutbox(runtime, store),
    plans,
    publicUrl,
    log,
    store,
    limiter,
    resolver,
    allow: allow.ok ? allow.allowances : [],
    webhooks: broker.webhookEntrance,
    watches: openWatches(broker.buckets.accounts),
    presences: openPresences(broker.buckets.contents),
    sites,
    contents,
    broker,
    blocks,
    frontier,
    clock,
    appeals: openAppeals(broker.buckets.appeals),
    confirmed: openConfirmedReports(broker.buckets),
    mailTokens: openMailTokens(identity.secret, broker.now),
    uploaded: openUploadedDocuments(broker),
    wallets: openWallets(broker, identity),
    planRequests: openPlanRequests(broker.buckets.accounts),
    passwords: createPasswords({
      maxWaiting: scaled(LIMITS.password_hashes.by.total.atOnce, config.BRIDGE_LIMITS_PERCENT),
      mostOfGroup: scaled(LIMITS.password_hashes.by.network.atOnce, config.BRIDGE_LIMITS_PERCENT),
    }),
    tokens: loginTokens(runtime),
    counters: broker.counters,
    secret: identity.secret,
    now: broker.now,
  };
}

/** Mails; an address that the mail server refuses for good is remembered as such. */
async function openOutbox(runtime: Runtime, store: AccountStore): Promise<Outbox> {
  const { broker, clock, log, limiter } = runtime;
  return startOutbox({
    broker,
    clock,
    log,
    limiter,
    mailer: await runtime.mailer(),
    onRefused: (accountId, to) =>
      changeAccount(store, accountId, (account) =>
        account.email === to ? { ...account, emailRefusedAt: iso(broker.now()) } : account,
      ),
  });
}

/** The service `keys`. @returns also what ends the look for keys that nobody uses */
function serveKeys({ broker: { counters, now }, limiter, clock, log, serve }: Runtime, store: AccountStore) {
  const serving = serve(keys, keysHandlers({ store, counters, limiter, now }));
  return { serving, endSweep: sweepUnused({ records: store.keys, counters, now }, clock, log) };
}

/** The service `access`, whose records this role writes too. */
function serveAccess(runtime: Runtime, parts: Pick<AccessDeps, "store" | "wallets">) {
  const { broker, sites, blocks, limiter } = runtime;
  return runtime.serve(
    access,
    accessHandlers({
      ...parts,
      requests: openRecords(broker.buckets.access_requests, AccessRequestRecord),
      queues: openRecords(broker.buckets.access_requests, AccessQueueRecord),
      sites,
      blocks,
      limiter,
      now: broker.now,
    }),
  );
}
