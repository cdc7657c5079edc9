/**
 * What a page says for agents in its JSON-LD: schema.org's potential actions with an entry point, its WebAPI's documentation, and entries
 * of ARD (ards-project/ard-spec 0.91 section 5.1, "in-page markup"). No document of its own: a page has it beside what people read.
 */
import { isOneOf, type LdNode, ldNodes, ldText, parseJsonLd, readGraph } from "../../pages/json-ld.ts";
import {
  describedService,
  documentsOf,
  linkedAddress,
  memberText,
  servicesOf,
  shortText,
} from "./document.ts";
import { type DescribedService, MAX_DOCUMENTS, type NamedDocument, type Reading } from "./format.ts";

export const JSON_LD = "json-ld";
/** Service that is reached by a template (RFC 6570), as `urlTemplate` is: nobody calls it before its values are filled in. */
export const TEMPLATE_TRANSPORT = "url-template";

const APIS = new Set(["WebAPI"]);
const URN = /^urn:(?:air|ai):/i;
/** Actions and their entry points that are looked at: one node may be named by thousands. */
const MAX_ACTIONS = 200;

/**
 * Pure; linear in the blocks.
 * @param blocks texts of a page's scripts of JSON-LD
 * @returns undefined: they say nothing for agents
 */
export function readJsonLd(blocks: readonly string[], url: URL): Reading | undefined {
  const nodes = readGraph(blocks.map(parseJsonLd));
  const services = servicesOf(actionsOf(nodes).flatMap(([action, entry]) => serviceOf(action, entry, url)));
  const documents = nodes.flatMap((node) => documentOf(node, url)).slice(0, MAX_DOCUMENTS);
  if (services.length + documents.length === 0) return undefined;
  return {
    revision: null,
    conforms: null,
    // A form for a search by people has its template as well: by itself it offers agents nothing.
    usable:
      documents.length > 0 || services.some(({ transports }) => !transports.includes(TEMPLATE_TRANSPORT)),
    findings: [],
    services,
    documents,
  };
}

function actionsOf(nodes: readonly LdNode[]): [action: LdNode, entry: LdNode][] {
  const found: [LdNode, LdNode][] = [];
  for (const node of nodes)
    for (const action of ldNodes(node, "potentialAction"))
      for (const entry of ldNodes(action, "target")) {
        if (found.length >= MAX_ACTIONS) return found;
        found.push([action, entry]);
      }
  return found;
}

function serviceOf(action: LdNode, entry: LdNode, url: URL): DescribedService[] {
  const endpoint = linkedAddress(ldText(entry, "urlTemplate"), url);
  if (endpoint === undefined) return [];
  const isTemplate = /[{}]/.test(endpoint);
  return [
    describedService("http", endpoint, {
      name: shortText(ldText(action, "name") ?? ldText(action, "@type")),
      description: memberText(ldText(action, "description")),
      transports: isTemplate ? [TEMPLATE_TRANSPORT] : [],
    }),
  ];
}

function documentOf(node: LdNode, url: URL): NamedDocument[] {
  if (isOneOf(node, "@type", APIS)) return documentsOf([{ url: ldText(node, "documentation") }], url);
  if (!URN.test(ldText(node, "identifier") ?? "")) return [];
  return documentsOf(
    [{ url: ldText(node, "url"), type: ldText(node, "type") ?? ldText(node, "mediaType") }],
    url,
  );
}
