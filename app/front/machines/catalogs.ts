/**
 * Catalogs in which machines look for interfaces: RFC 9727's list of APIs, and the list of agentic resources (Agentic
 * Resource Discovery 0.91, whose predecessor is the AI Catalog 1.0: one document serves both).
 */
import { VERSIONS } from "../../../schemas/common.ts";
import { type MachineInterface, PATHS, type SpokenProtocol, SUMMARY, TITLE } from "../machine-interface.ts";

/** RFC 9727 section 5.1: a linkset with this profile. */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

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
          ...protocols.map(({ card }) => ({ href: `${publicUrl}${card}`, type: "application/json" })),
        ],
        status: [{ href: `${publicUrl}/readyz`, type: "application/json" }],
      },
    ],
  };
}

/** Every interface of the registry as an entry. */
export const resourceCatalog = ({ publicUrl, protocols }: MachineInterface): object => ({
  specVersion: "1.0",
  host: { displayName: TITLE, documentationUrl: `${publicUrl}${PATHS.docs}` },
  entries: [
    entry(publicUrl, "api", `${TITLE}: REST API`, OPENAPI_TYPE, PATHS.openapi),
    ...protocols.map(({ kind, card }) => {
      const [type, name] = ENTRY_TYPES[kind];
      return entry(publicUrl, kind, `${TITLE}: ${name}`, type, card);
    }),
  ],
});

/** `urn:air:` names are anchored at the publisher's domain (ARD, appendix C). */
const entry = (publicUrl: string, name: string, displayName: string, type: string, path: string): object => ({
  identifier: `urn:air:${new URL(publicUrl).hostname.replace(/[^A-Za-z0-9.-]/g, "-")}:bridge:${name}`,
  displayName,
  type,
  url: `${publicUrl}${path}`,
  description: SUMMARY,
  version: VERSIONS.bridge,
  tags: ["registry", "search", "trust", "websites", "commerce"],
  representativeQueries: QUERIES,
});
