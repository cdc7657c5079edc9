/**
 * Catalogs in which machines look for interfaces: RFC 9727's list of APIs, the manifest of Agentic Resource Discovery 0.91, and the
 * AI Catalog 0.9. The last two were one format, and are two: what is required in one is ignored or to be left out in the other.
 */
import { VERSIONS } from "../../../schemas/common.ts";
import { ARD_REGISTRY_TYPE, interfaceIdentifier } from "../../../src/agent-web/as/ard-entry.ts";
import { type MachineInterface, PATHS, type SpokenProtocol, SUMMARY, TITLE } from "../machine-interface.ts";

/** RFC 9727 section 5.1: a linkset with this profile. */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** AI Catalog 0.9, section Media Type. */
export const AI_CATALOG_TYPE = "application/ai-catalog+json";

const OPENAPI_TYPE = "application/vnd.oai.openapi+json;version=3.1";

/** What people ask that the registry answers; search services index resources by these. */
const QUERIES = [
  "find a website where an agent can buy loose leaf tea",
  "which dentists in Vienna let agents book an appointment",
  "is this online shop what it claims to be",
  "was this price really higher last month",
];

const ENTRY_TYPES: Readonly<Record<SpokenProtocol["kind"], readonly [type: string, name: string]>> = {
  mcp: ["application/mcp-server-card+json", "MCP server"],
};

/** RFC 9727 section 2: the catalog's own answer says what it is; the front's other documents point to it. */
export const discoveryLinks = (publicUrl: string): string =>
  [
    `<${publicUrl}${PATHS.apiCatalog}>; rel="api-catalog"`,
    `<${publicUrl}${PATHS.openapi}>; rel="service-desc"; type="application/json"`,
    `<${publicUrl}${PATHS.docs}>; rel="service-doc"; type="text/html"`,
    `<${publicUrl}${PATHS.ard}>; rel="ard"; type="application/json"`,
    `<${publicUrl}${PATHS.aiCatalog}>; rel="ai-catalog"; type="${AI_CATALOG_TYPE}"`,
  ].join(", ");

/** RFC 9727 with RFC 9264's JSON: the API as an item, and what describes it. */
export function apiCatalog({ publicUrl, protocols }: MachineInterface): object {
  const api = `${publicUrl}/`;
  return {
    linkset: [
      { anchor: `${publicUrl}${PATHS.apiCatalog}`, item: [{ href: api, title: TITLE }] },
      {
        anchor: api,
        "service-desc": [{ href: `${publicUrl}${PATHS.openapi}`, type: "application/json" }],
        "service-doc": [
          { href: `${publicUrl}${PATHS.docs}`, type: "text/html" },
          { href: `${publicUrl}${PATHS.llms}`, type: "text/plain" },
        ],
        "service-meta": [
          { href: `${publicUrl}${PATHS.ard}`, type: "application/json" },
          { href: `${publicUrl}${PATHS.aiCatalog}`, type: AI_CATALOG_TYPE },
          ...protocols.map(({ card }) => ({ href: `${publicUrl}${card}`, type: "application/json" })),
        ],
        status: [{ href: `${publicUrl}/readyz`, type: "application/json" }],
      },
    ],
  };
}

/**
 * ARD 0.91, section 5.1: entries. Search services index an entry by what it says of itself. Other members are ignored; readers of its
 * predecessor, Lighthouse among them, require the version of theirs.
 */
export const ardManifest = (about: MachineInterface): object => ({
  specVersion: "1.0",
  entries: resourcesOf(about).map(({ name, displayName, ...entry }) => ({
    ...entry,
    identifier: interfaceIdentifier(about.publicUrl, name),
    displayName: `${TITLE}: ${displayName}`,
    description: SUMMARY,
    version: VERSIONS.bridge,
    tags: TAGS,
    representativeQueries: QUERIES,
  })),
});

/** AI Catalog 0.9: names, descriptions and versions are the documents' own, and are not said twice. */
export const aiCatalog = (about: MachineInterface): object => ({
  specVersion: "0.9",
  host: { displayName: TITLE, documentationUrl: `${about.publicUrl}${PATHS.docs}` },
  entries: resourcesOf(about).map(({ name, type, url }) => ({
    identifier: interfaceIdentifier(about.publicUrl, name),
    type,
    url,
    tags: TAGS,
  })),
});

const TAGS = ["registry", "search", "trust", "websites", "commerce"];

/** Every interface of the registry. */
const resourcesOf = ({ publicUrl, protocols }: MachineInterface) => [
  { name: "api", displayName: "REST API", type: OPENAPI_TYPE, url: `${publicUrl}${PATHS.openapi}` },
  // Section 5.3: the base of its operations.
  {
    name: "registry",
    displayName: "ARD registry",
    type: ARD_REGISTRY_TYPE,
    url: `${publicUrl}${PATHS.ardRegistry}`,
  },
  ...protocols.map(({ kind, card }) => {
    const [type, displayName] = ENTRY_TYPES[kind];
    return { name: kind as string, displayName, type, url: `${publicUrl}${card}` };
  }),
];
