/** The public listener: operations, health, the OpenAPI document and the readable pages. */
import type { FastifyInstance } from "fastify";
import { ApiKeyRecord } from "../../schemas/api-key.ts";
import { fail } from "../../src/rpc/errors.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { loginTokens, sessionTokens, siteOfToken, siteTokens } from "../../src/stores/issued-tokens.ts";
import { openPlans } from "../../src/stores/plans.ts";
import { openRecords } from "../../src/stores/records.ts";
import { session } from "../../workers/session/contract.ts";
import type { Metrics } from "../processes/metrics.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { services } from "../services.ts";
import { type AccessControl, createAccessControl } from "./access/access.ts";
import { accountAuthenticator } from "./access/account.ts";
import { keyAuthenticator } from "./access/key.ts";
import { projectAuthenticator } from "./access/project.ts";
import { sessionAuthenticator } from "./access/session.ts";
import { DOCS_STYLE, docsPage } from "./docs-page.ts";
import { createFront, registerOtherMethods } from "./http.ts";
import { openapiDocument } from "./openapi.ts";
import { pageHeaders } from "./problem.ts";
import { sendProblem } from "./refusals.ts";
import { createTrustCheck } from "./trust-check.ts";
import { serveWebsocket } from "./websocket.ts";

export interface FrontServer {
  url: string;
  close(): Promise<void>;
}

/** A probe that is asked every few seconds must not wait for as long as a request may. */
const READY_TIMEOUT_MS = 2_000;

const answersWithin = async ({ broker, clock }: OpenedRuntime, ms: number): Promise<boolean> => {
  if (!broker.connectionState.up) return false;
  const enough = new AbortController();
  const answered = broker.buckets.service.get("identity").then(
    () => true,
    () => false,
  );
  const late = clock.sleep(ms, enough.signal).then(() => false);
  try {
    return await Promise.race([answered, late]);
  } finally {
    enough.abort();
  }
};

const PAGES = ["/openapi.json", "/docs", "/", "/healthz", "/readyz"];

const registerPages = (app: FastifyInstance, runtime: OpenedRuntime): void => {
  // Made when first asked for: together they take 150 ms, which no start needs to wait for.
  let openapi: string | undefined;
  let docs: string | undefined;
  app.get("/openapi.json", (_, reply) => {
    openapi ??= JSON.stringify(openapiDocument(services));
    return reply.type("application/json; charset=utf-8").send(openapi);
  });
  app.get("/docs", { config: { pageHeaders: pageHeaders(DOCS_STYLE) } }, (_, reply) => {
    docs ??= docsPage(services);
    return reply.type("text/html; charset=utf-8").send(docs);
  });
  app.get("/", (_, reply) => reply.redirect("/docs"));
  app.get("/healthz", async () => ({ status: "ok" }));
  for (const page of PAGES) registerOtherMethods(app, page, new Set(["GET"]));
  app.get("/readyz", async (request, reply) => {
    if (await answersWithin(runtime, READY_TIMEOUT_MS)) return { status: "ready" };
    const failure = fail("unavailable", "The message broker does not answer.", { retryAfterSeconds: 2 });
    return sendProblem(request, reply, failure);
  });
};

const openAccessControl = (runtime: OpenedRuntime): AccessControl => {
  const { buckets, now } = runtime.broker;
  const store = openAccountStore(runtime.broker);
  const authenticators = {
    account: accountAuthenticator(loginTokens(runtime), store),
    project: projectAuthenticator(store),
    key: keyAuthenticator(openRecords(buckets.api_keys, ApiKeyRecord), store, now),
    session: sessionAuthenticator(sessionTokens(runtime), store, openPlans(buckets.plans, now)),
  };
  return createAccessControl(authenticators, runtime.limiter);
};

/**
 * Listens on HOST:PORT.
 * @throws when the address cannot be used, with the system's code (EADDRINUSE …)
 */
export const startFront = async (runtime: OpenedRuntime, metrics: Metrics): Promise<FrontServer> => {
  const { config, broker, log } = runtime;
  const access = openAccessControl(runtime);
  const app = createFront({
    connection: broker.connection,
    prefix: broker.prefix,
    services,
    log,
    trustedProxies: config.BRIDGE_TRUSTED_PROXIES,
    limitsPercent: config.BRIDGE_LIMITS_PERCENT,
    ownNames: { publicHost: new URL(runtime.publicUrl).host, aliases: config.BRIDGE_ALIASES },
    corsOrigins: config.BRIDGE_CORS_ORIGINS,
    access,
    trustCheck: createTrustCheck({
      resolver: runtime.resolver,
      nonces: broker.buckets.trust_nonces,
      limiter: runtime.limiter,
      now: broker.now,
      authority: new URL(runtime.publicUrl).host,
    }),
    onAnswered: metrics.answered,
  });
  registerPages(app, runtime);
  const [tokens, store] = [siteTokens(runtime), openAccountStore(broker)];
  const websocket = serveWebsocket(app.server, {
    connection: broker.connection,
    prefix: broker.prefix,
    session,
    access,
    clock: runtime.clock,
    siteOf: (token) => siteOfToken(tokens, store, token),
    limitsPercent: config.BRIDGE_LIMITS_PERCENT,
    trustedProxies: config.BRIDGE_TRUSTED_PROXIES,
  });
  await app.listen({ host: config.HOST, port: config.PORT });
  const close = async () => {
    websocket.close();
    await app.close();
  };
  return { url: runtime.publicUrl, close };
};
