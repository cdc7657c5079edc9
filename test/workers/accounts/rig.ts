/** The handlers of accounts on the run's broker, with a clock of the test's own: throttles and tokens go by it. */
import { pino } from "pino";
import {
  accountAuthenticator,
  agentAuthenticator,
  projectAuthenticator,
} from "../../../app/front/access/authenticators.ts";
import { SiteRecord } from "../../../schemas/site.ts";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { createResolver } from "../../../src/adapters/dns/client.ts";
import { openCounters } from "../../../src/adapters/nats/counters.ts";
import { openFrontier } from "../../../src/adapters/nats/frontier.ts";
import { openLimiter } from "../../../src/rpc/limits.ts";
import { openAccountStore } from "../../../src/stores/accounts.ts";
import { openAppeals } from "../../../src/stores/appeals.ts";
import { Block } from "../../../src/stores/block-list.ts";
import { openContents } from "../../../src/stores/contents.ts";
import { openUploadedDocuments } from "../../../src/stores/hosted-documents.ts";
import { openIdentity } from "../../../src/stores/identity.ts";
import { loginTokens } from "../../../src/stores/issued-tokens.ts";
import { openMailTokens } from "../../../src/stores/mail-tokens.ts";
import { createPasswords } from "../../../src/stores/passwords.ts";
import { openPlanRequests } from "../../../src/stores/plan-requests.ts";
import { openPlans } from "../../../src/stores/plans.ts";
import { openPresences } from "../../../src/stores/presences.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { openConfirmedReports } from "../../../src/stores/reports.ts";
import { openWallets } from "../../../src/stores/wallets.ts";
import type { AccountsDeps } from "../../../workers/accounts/deps.ts";
import { accountsHandlers } from "../../../workers/accounts/handlers.ts";
import { startOutbox } from "../../../workers/accounts/mail/outbox.ts";
import { openWatches } from "../../../workers/accounts/watches/store.ts";
import { keysHandlers } from "../../../workers/keys/handlers.ts";
import { joinBroker } from "../../support/gate.ts";

interface Met {
  prefix: string;
  time: { now: number };
}

const log = pino({ level: "silent" });

/** @param met an earlier rig, to meet it as another process of its registry would */
export async function startRig(met?: Met) {
  const broker = await joinBroker(met?.prefix);
  const time = met?.time ?? { now: Date.UTC(2026, 0, 20, 12) };
  const clock = () => time.now;
  const own = { ...broker, now: clock };
  const identity = await openIdentity(broker.buckets.service);
  const tokens = loginTokens({ broker: own, identity });
  const resolver = createResolver({ servers: [], validating: false, clock: systemClock });
  const counters = openCounters(broker.connection, broker.jsm, broker.prefix, clock);
  const limiter = openLimiter({ counters, now: clock, secret: identity.secret, percent: 100 });
  const deps: AccountsDeps = {
    store: openAccountStore(broker),
    uploaded: openUploadedDocuments(broker),
    appeals: openAppeals(broker.buckets.appeals),
    confirmed: openConfirmedReports(broker.buckets),
    wallets: openWallets(own, identity),
    plans: openPlans(broker.buckets.accounts, clock),
    planRequests: openPlanRequests(broker.buckets.accounts),
    passwords: createPasswords(),
    tokens,
    counters,
    limiter,
    resolver,
    allow: [],
    webhooks: broker.webhookEntrance,
    watches: openWatches(broker.buckets.accounts),
    presences: openPresences(broker.buckets.contents),
    sites: openRecords(broker.buckets.sites, SiteRecord),
    contents: openContents(broker.buckets.contents),
    secret: identity.secret,
    now: clock,
    broker: own,
    blocks: openRecords(broker.buckets.blocks, Block),
    frontier: openFrontier(broker, 20_000),
    clock: systemClock,
    outbox: await startOutbox({
      broker,
      clock: systemClock,
      log,
      limiter,
      mailer: undefined,
      onRefused: async () => undefined,
    }),
    mailTokens: openMailTokens(identity.secret, clock),
    publicUrl: "http://127.0.0.1",
    log,
  };
  const handlers = accountsHandlers(deps);
  const nobody = { requestId: "test", timeoutMs: 10_000, host: "", principal: undefined, allowances: [] };
  return {
    deps,
    handlers,
    keys: keysHandlers({ store: deps.store, counters, limiter, now: clock }),
    broker,
    prefix: broker.prefix,
    time,
    account: accountAuthenticator(tokens, deps.store),
    agent: agentAuthenticator(deps.store),
    project: projectAuthenticator(deps.store),
    pass: (ms: number) => {
      time.now += ms;
    },
    register: (email: string, password = "correct horse", clientAddress = "192.0.2.1") =>
      handlers.registerAccount(
        { params: undefined, query: undefined, body: { email, password, name: "Ada" } },
        { ...nobody, clientAddress },
      ),
    login: (email: string, password = "correct horse", clientAddress = "192.0.2.1") =>
      handlers.logIn(
        { params: undefined, query: undefined, body: { email, password } },
        { ...nobody, clientAddress },
      ),
    /** What an account's holder is to the handlers. */
    as: (accountId: string, tier = "free") => ({
      ...nobody,
      clientAddress: "192.0.2.1",
      principal: { kind: "account" as const, accountId, tier, generation: 1, logInId: "l1" },
      allowances: [],
    }),
    stop: async () => {
      resolver.close();
      await broker.close();
    },
  };
}
export type Rig = Awaited<ReturnType<typeof startRig>>;
