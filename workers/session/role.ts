/** Agents' sessions as a role: any number of processes; a session's record is what they share. */
import { openAccountStore } from "../../src/accounts.ts";
import { sessionTokens } from "../../src/auth/session.ts";
import { siteTokens } from "../../src/auth/site.ts";
import type { RunningRole } from "../../src/roles.ts";
import type { Runtime } from "../../src/runtime.ts";
import { serve } from "../../src/serve.ts";
import { session } from "./contract.ts";
import { sessionHandlers } from "./handlers.ts";
import { createMailboxes } from "./mailbox.ts";
import { openPublicPages } from "./public-pages.ts";
import { openScripts } from "./scripts.ts";
import { openDocuments } from "./site.ts";
import { openSessions } from "./store.ts";

export const start = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, config, clock, contents, id, log, ownDocument, polite, publicUrl, sites } = runtime;
  const browsing = { polite, robotsToken: config.BRIDGE_USER_AGENT.split("/")[0]!, now: broker.now };
  const mailboxes = createMailboxes();
  const deps = {
    sessions: openSessions(broker),
    mailboxes,
    tokens: sessionTokens(runtime),
    siteTokens: siteTokens(runtime),
    accounts: openAccountStore(broker),
    counters: broker.counters,
    sites,
    documents: openDocuments(contents, sites),
    scripts: openScripts(broker.connection, broker.prefix),
    publicPages: openPublicPages(browsing),
    // Who licensed an agent's session asked for its visits: they need not wait as long as the crawl, which nobody asked for.
    browsing: { ...browsing, hostDelayMs: config.BRIDGE_SESSION_DELAY_MS },
    clock,
    now: broker.now,
    holder: id,
    publicUrl,
    ownDocument,
    ownHost: new URL(publicUrl).hostname,
    httpsPort: config.BRIDGE_HTTPS_PORT,
  };
  const serving = serve(broker.connection, broker.prefix, session, sessionHandlers(deps), log);
  return { servings: [serving], read: async () => ({ acting: mailboxes.size }), drain: serving.drain };
};
