/** Serves the registry's documents for machines: made on first use from the contracts, cacheable, with entity tags. */
import type { FastifyInstance } from "fastify";
import { fail } from "../../../src/rpc/errors.ts";
import type { Identity } from "../../../src/stores/identity.ts";
import { registerOtherMethods } from "../cors.ts";
import { type MachineInterface, PATHS } from "../machine-interface.ts";
import { sendProblem } from "../refusals.ts";
import { type SharedDocument, sendShared, sharedDocument } from "../shared-document.ts";
import {
  AI_CATALOG_TYPE,
  API_CATALOG_TYPE,
  aiCatalog,
  apiCatalog,
  ardManifest,
  discoveryLinks,
} from "./catalogs.ts";
import { robotsText, securityText, sitemapText } from "./crawlers.ts";
import { KEYS_PATH, keySet } from "./key-set.ts";
import { llmsFullText, llmsText } from "./llms.ts";
import { MCP_CARD_PATH, MCP_CARD_TYPE, mcpCard } from "./mcp-card.ts";

const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const CACHE_CONTROL = "public, max-age=3600";

/** One document: its type, and its text, or undefined where this registry has none. */
interface MachineDocument {
  path: string;
  type: string;
  text(): string | undefined;
}

export function registerMachineDocuments(
  app: FastifyInstance,
  about: MachineInterface,
  identity: Identity,
  now: () => number,
): void {
  const links = discoveryLinks(about.publicUrl);
  for (const { path, type, text } of documentsOf(about, identity, now)) {
    let kept: { text: string; document: SharedDocument } | undefined;
    app.get(path, (request, reply) => {
      const made = text();
      if (made === undefined)
        return sendProblem(request, reply, fail("not_found", "The operator has named no contact."));
      if (kept?.text !== made) kept = { text: made, document: sharedDocument(type, made) };
      return sendShared(request, reply.header("link", links), kept.document, CACHE_CONTROL);
    });
    registerOtherMethods(app, path, new Set(["GET"]));
  }
}

const documentsOf = (about: MachineInterface, identity: Identity, now: () => number): MachineDocument[] => [
  { path: PATHS.llms, type: TEXT, text: once(() => llmsText(about)) },
  { path: PATHS.llmsFull, type: TEXT, text: once(() => llmsFullText(about)) },
  { path: PATHS.robots, type: TEXT, text: once(() => robotsText(about)) },
  { path: PATHS.sitemap, type: "application/xml", text: once(() => sitemapText(about)) },
  { path: PATHS.security, type: TEXT, text: () => securityText(about, now()) },
  { path: PATHS.apiCatalog, type: API_CATALOG_TYPE, text: json(() => apiCatalog(about)) },
  { path: PATHS.ard, type: JSON_TYPE, text: json(() => ardManifest(about)) },
  // Who follows the registry's address alone reads what there is.
  { path: PATHS.ardRegistry, type: JSON_TYPE, text: json(() => ardManifest(about)) },
  { path: PATHS.aiCatalog, type: AI_CATALOG_TYPE, text: json(() => aiCatalog(about)) },
  { path: KEYS_PATH, type: "application/jwk-set+json", text: json(() => keySet(identity)) },
  ...(about.protocols.some(({ kind }) => kind === "mcp")
    ? [{ path: MCP_CARD_PATH, type: MCP_CARD_TYPE, text: json(() => mcpCard(about)) }]
    : []),
];

function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}
const json = (make: () => object): (() => string) => once(() => JSON.stringify(make()));
