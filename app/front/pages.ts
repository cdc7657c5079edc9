/** The front's pages: documentation, health and readiness. */
import { readFile } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { contactsIn } from "../../src/domain/protocols/contacts.ts";
import { fail } from "../../src/rpc/errors.ts";
import { brokerDependency } from "../processes/dependencies.ts";
import { dependencyHealth } from "../processes/health.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { services } from "../services.ts";
import { registerOtherMethods } from "./cors.ts";
import { registerDocs } from "./docs/register.ts";
import type { MachineInterface } from "./machine-interface.ts";
import { registerBotAuthDirectory } from "./machines/bot-auth-directory.ts";
import { discoveryLinks } from "./machines/catalogs.ts";
import { MCP_CARD_PATH } from "./machines/mcp-card.ts";
import { registerMachineDocuments } from "./machines/register.ts";
import { sendProblem } from "./refusals.ts";
import { type SharedDocument, sendShared, sharedDocument } from "./shared-document.ts";

const PAGES = ["/openapi.json", "/healthz", "/readyz"];

/** @param leaving aborts when balancers are to send no more requests here */
export function registerPages(app: FastifyInstance, runtime: OpenedRuntime, leaving: AbortSignal): void {
  let openapi: Promise<SharedDocument> | undefined;
  const links = discoveryLinks(runtime.publicUrl);
  app.get("/openapi.json", async (request, reply) => {
    openapi ??= readOpenapi();
    return sendShared(request, reply, await openapi, "public, max-age=3600");
  });
  const publicUrl = runtime.publicUrl.replace(/\/$/, "");
  registerDocs(app, { services, menu: "public", publicUrl, links, isDemo: runtime.config.isDemo });
  app.get("/healthz", async () => ({ status: "ok" }));
  registerMachineDocuments(app, machineInterface(runtime), runtime.identity, runtime.broker.now);
  registerBotAuthDirectory(app, runtime.botAuth, runtime.broker.now);
  for (const page of PAGES) registerOtherMethods(app, page, new Set(["GET"]));
  const broker = brokerDependency(runtime.broker);
  app.get("/readyz", async (request, reply) => {
    if (leaving.aborted)
      return sendProblem(request, reply, fail("unavailable", "This front is being stopped."));
    if ((await dependencyHealth(broker)).why === undefined) return { status: "ready" };
    const failure = fail("unavailable", "The message broker does not answer.", { retryAfterSeconds: 2 });
    return sendProblem(request, reply, failure);
  });
}

/** The generated file, which `npm run check` keeps true to the contracts: to make it anew would take a tenth of a second of a turn. */
async function readOpenapi(): Promise<SharedDocument> {
  const text = await readFile(new URL("../../schemas/openapi.json", import.meta.url), "utf8");
  return sharedDocument("application/json; charset=utf-8", JSON.stringify(JSON.parse(text)));
}

const machineInterface = ({ publicUrl, config }: OpenedRuntime): MachineInterface => ({
  publicUrl: publicUrl.replace(/\/$/, ""),
  services,
  protocols: [{ kind: "mcp", card: MCP_CARD_PATH }],
  contacts: contactsIn(config.BRIDGE_USER_AGENT),
});
