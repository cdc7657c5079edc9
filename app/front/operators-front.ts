/** The operators' listener: the operators' API with its reference, on the admin address, never on the public one. */
import { openAuditLog, openOperators } from "../../src/stores/operators.ts";
import { operators } from "../../workers/operators/contract.ts";
import { CONSOLE_PAGES } from "../pages/console/table.ts";
import { type AccessLog, answeredBy } from "../processes/access-log.ts";
import type { Metrics } from "../processes/metrics.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { operatorServices } from "../services.ts";
import { createAccessControl } from "./access/access.ts";
import { operatorAuthenticator } from "./access/authenticators.ts";
import { registerDocs } from "./docs/register.ts";
import { closeFront, createFront, listen } from "./http.ts";
import { openIdempotency } from "./idempotency.ts";
import { openapiDocument } from "./openapi.ts";
import { type SharedDocument, sendShared, sharedDocument } from "./shared-document.ts";

export interface OperatorsFront {
  url: string;
  close(): Promise<void>;
}

/** Listens on BRIDGE_ADMIN_HOST:BRIDGE_OPERATORS_PORT, or on a free port where another process has it. */
export async function startOperatorsFront(
  { broker, config, identity, limiter, log }: OpenedRuntime,
  metrics: Metrics,
  accessLog?: AccessLog,
): Promise<OperatorsFront> {
  const { buckets, now } = broker;
  const app = createFront({
    connection: broker.connection,
    prefix: broker.prefix,
    now,
    services: operatorServices,
    log,
    trustedProxies: [],
    limitsPercent: config.BRIDGE_LIMITS_PERCENT,
    access: createAccessControl({ operator: operatorAuthenticator(openOperators(broker)) }, limiter),
    idempotency: openIdempotency({ bucket: buckets.idempotency, limiter, now, log, secret: identity.secret }),
    audit: openAuditLog(buckets, now),
    secret: identity.secret,
    people: {
      pages: CONSOLE_PAGES,
      menu: "console",
      // Its address is whatever the operator reaches it by.
      publicUrl: "",
      logIn: { name: "bridge-operator", operation: operators.operations.getOperator, path: "/log-in" },
    },
    onAnswered: answeredBy(metrics, accessLog),
  });
  let openapi: SharedDocument | undefined;
  app.get("/openapi.json", (request, reply) => {
    openapi ??= sharedDocument(
      "application/json; charset=utf-8",
      JSON.stringify(openapiDocument(operatorServices)),
    );
    return sendShared(request, reply, openapi, "no-cache");
  });
  registerDocs(app, { services: operatorServices, menu: "console", publicUrl: "" });
  const { BRIDGE_ADMIN_HOST: host, BRIDGE_OPERATORS_PORT: port } = config;
  const url = await listen(app, { host, port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    return listen(app, { host, port: 0 });
  });
  log.info({ url }, "the operators' API listens");
  return { url, close: () => closeFront(app) };
}
