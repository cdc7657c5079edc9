/** Agents' sessions as a role: any number of processes; a session's record is what they share. */

import { KeyedMutex } from "../../src/concurrency/keyed-mutex.ts";
import { configurationRefusal } from "../../src/domain/listing/site-configuration.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { followNetworks } from "../../src/stores/block-list.ts";
import { openHostedSites } from "../../src/stores/hosted-documents.ts";
import { sessionTokens, siteTokens } from "../../src/stores/issued-tokens.ts";
import { openConfirmedReports } from "../../src/stores/reports.ts";
import { openWallets } from "../../src/stores/wallets.ts";
import { session } from "./contract.ts";
import { sessionHandlers } from "./handlers.ts";
import { openPageReader } from "./pages/page-reader.ts";
import { openPublicPages } from "./pages/public-pages.ts";
import { openTextReader } from "./pages/text-reader.ts";
import { openReceipts } from "./receipts/store.ts";
import { openScripts } from "./scripts.ts";
import { openDocuments, ownersConfiguration } from "./site.ts";
import { openSessions } from "./store.ts";

/** Commands of one session that may wait for its turn. */
const MAX_WAITING = 16;

export async function start(runtime: Runtime): Promise<RunningRole> {
  const networks = await followNetworks(runtime);
  const { broker, config, clock, contents, id, identity, ownDocument, polite, publicUrl, sites } = runtime;
  const fetching = { polite, robotsToken: config.BRIDGE_USER_AGENT.split("/")[0]!, now: broker.now };
  const bySession = new KeyedMutex(MAX_WAITING);
  const sessions = openSessions(broker);
  const reader = openPageReader(sessions.pages);
  const texts = openTextReader(openConfirmedReports(broker.buckets), sites);
  const hosted = openHostedSites(runtime);
  const own = { accounts: openAccountStore(broker), documents: openDocuments(contents, sites, hosted) };
  const closed = async (url: URL) => {
    const configuration = await ownersConfiguration(own, url);
    return (
      configuration &&
      configurationRefusal(configuration, { permissions: ["readContent"], path: url.pathname })
    );
  };
  const deps = {
    ...own,
    hosted,
    wallets: openWallets(broker, identity),
    sessions,
    receipts: openReceipts(broker),
    transparency: () => runtime.transparency(),
    reader,
    bySession,
    tokens: sessionTokens(runtime),
    siteTokens: siteTokens(runtime),
    limiter: runtime.limiter,
    sites,
    scripts: openScripts(broker),
    publicPages: openPublicPages({
      fetching,
      closed,
      describe: reader.describe,
      addressOf: ({ info }) => info.url,
    }),
    publicTexts: openPublicPages({
      fetching,
      closed,
      describe: texts.read,
      addressOf: ({ url }) => url,
    }),
    screen: texts.screen,
    // Who licensed an agent's session asked for its visits: they need not wait as long as the crawl, which nobody asked for.
    fetching: { ...fetching, hostDelayMs: config.BRIDGE_IP_DELAY_MS },
    clock,
    now: broker.now,
    holder: id,
    publicUrl,
    ownDocument,
    ownHost: new URL(publicUrl).hostname,
    httpsPort: config.BRIDGE_HTTPS_PORT,
  };
  const serving = runtime.serve(session, sessionHandlers(deps));
  return {
    servings: [serving],
    read: async () => ({ acting: bySession.size }),
    drain: async () => {
      await serving.drain();
      networks.stop();
      await Promise.all([reader.close(), texts.close()]);
    },
  };
}
