/** The public listener: operations, health, the OpenAPI document and the readable pages. */
import { type AccountStore, openAccountStore } from "../../src/stores/accounts.ts";
import { loginTokens, sessionTokens, siteOfToken, siteTokens } from "../../src/stores/issued-tokens.ts";
import { openPlans } from "../../src/stores/plans.ts";
import { openWallets } from "../../src/stores/wallets.ts";
import { accounts } from "../../workers/accounts/contract.ts";
import { session } from "../../workers/session/contract.ts";
import { PAGES } from "../pages/table.ts";
import { type AccessLog, answeredBy } from "../processes/access-log.ts";
import type { Metrics } from "../processes/metrics.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { services } from "../services.ts";
import { type AccessControl, createAccessControl } from "./access/access.ts";
import {
  accountAuthenticator,
  agentAuthenticator,
  keyAuthenticator,
  projectAuthenticator,
  sessionAuthenticator,
  withAgents,
} from "./access/authenticators.ts";
import { closeFront, createFront, listen } from "./http.ts";
import { openIdempotency } from "./idempotency.ts";
import { startOperatorsFront } from "./operators-front.ts";
import { registerPages } from "./pages.ts";
import { createTrustCheck } from "./trust-check.ts";
import { serveWebsocket } from "./websocket.ts";

export interface FrontServer {
  url: string;
  /** Of the operators' API. */
  operatorsUrl: string;
  /** From here on /readyz says that it is not ready, and each reply is the last of its connection; it serves on. */
  leave(): void;
  close(): Promise<void>;
}

/**
 * Listens on HOST:PORT.
 * @param accessLog where answered requests are noted; closed by the caller
 * @throws the system's error (EADDRINUSE …) if the address cannot be used
 */
export async function startFront(
  runtime: OpenedRuntime,
  metrics: Metrics,
  accessLog?: AccessLog,
): Promise<FrontServer> {
  const { config, broker, log, limiter } = runtime;
  const { secret } = runtime.identity;
  const store = openAccountStore(broker);
  const access = openAccessControl(runtime, store);
  const { now } = broker;
  const idempotency = openIdempotency({ bucket: broker.buckets.idempotency, limiter, now, log, secret });
  const leaving = new AbortController();
  const app = createFront({
    connection: broker.connection,
    prefix: broker.prefix,
    now,
    services,
    log,
    trustedProxies: config.BRIDGE_TRUSTED_PROXIES,
    limitsPercent: config.BRIDGE_LIMITS_PERCENT,
    ownNames: { publicHost: new URL(runtime.publicUrl).host, aliases: config.BRIDGE_ALIASES },
    ownOrigin: new URL(runtime.publicUrl).origin,
    secret,
    corsOrigins: config.BRIDGE_CORS_ORIGINS,
    people: {
      pages: PAGES,
      menu: "public",
      isDemo: config.isDemo,
      publicUrl: new URL(runtime.publicUrl).origin,
      logIn: { name: "bridge-login", operation: accounts.operations.getAccount, path: "/account/log-in" },
    },
    access,
    idempotency,
    trustCheck: createTrustCheck({
      resolver: runtime.resolver,
      nonces: broker.buckets.trust_nonces,
      limiter: runtime.limiter,
      now: broker.now,
      authority: new URL(runtime.publicUrl).host,
    }),
    leaving: leaving.signal,
    onAnswered: answeredBy(metrics, accessLog),
  });
  registerPages(app, runtime, leaving.signal);
  const tokens = siteTokens(runtime);
  const websocket = serveWebsocket(app.server, {
    connection: broker.connection,
    prefix: broker.prefix,
    now: broker.now,
    session,
    access,
    idempotency,
    clock: runtime.clock,
    siteOf: (token) => siteOfToken(tokens, store, token),
    limitsPercent: config.BRIDGE_LIMITS_PERCENT,
    trustedProxies: config.BRIDGE_TRUSTED_PROXIES,
  });
  await listen(app, { host: config.HOST, port: config.PORT });
  const operators = await startOperatorsFront(runtime, metrics, accessLog);
  const close = async () => {
    websocket.close();
    await Promise.all([closeFront(app), operators.close()]);
  };
  return { url: runtime.publicUrl, operatorsUrl: operators.url, leave: () => leaving.abort(), close };
}

function openAccessControl(runtime: OpenedRuntime, store: AccountStore): AccessControl {
  const { buckets, now } = runtime.broker;
  const authenticators = {
    account: accountAuthenticator(loginTokens(runtime), store),
    agent: agentAuthenticator(store),
    project: projectAuthenticator(store),
    key: withAgents(keyAuthenticator(store, now), store, openWallets(runtime.broker, runtime.identity)),
    session: sessionAuthenticator(sessionTokens(runtime), store, openPlans(buckets.accounts, now)),
  };
  return createAccessControl(authenticators, runtime.limiter);
}
