/** Every format of the agent-ready web, one row each. Nothing else of the crawl knows a format's name. */
import { A2A_CARD } from "./a2a-card.ts";
import { AGENT_SKILLS } from "./agent-skills.ts";
import { AI_CATALOG, API_CATALOG, ARD } from "./catalogs.ts";
import { ACP, UCP, X402 } from "./commerce.ts";
import type { Format } from "./format.ts";
import { AUTHORIZATION_SERVER, PROTECTED_RESOURCE, SIGNATURE_DIRECTORY } from "./identity.ts";
import { AGENTS_JSON, AI_PLUGIN } from "./legacy.ts";
import { AGENTS_MD, LLMS_TXT } from "./llms-txt.ts";
import { MCP_SERVER_CARD } from "./mcp-server-card.ts";
import { OPENAPI } from "./openapi.ts";

export const FORMATS: readonly Format[] = [
  ARD,
  AI_CATALOG,
  API_CATALOG,
  A2A_CARD,
  MCP_SERVER_CARD,
  AGENT_SKILLS,
  LLMS_TXT,
  AGENTS_MD,
  OPENAPI,
  UCP,
  ACP,
  X402,
  PROTECTED_RESOURCE,
  AUTHORIZATION_SERVER,
  SIGNATURE_DIRECTORY,
  AI_PLUGIN,
  AGENTS_JSON,
];

const BY_NAME = new Map(FORMATS.map((format) => [format.name, format]));
/** @returns undefined for a name that no row has, as of an older record */
export const formatNamed = (name: string): Format | undefined => BY_NAME.get(name);

/** Well-known paths in the order in which they are asked for. */
export const WELL_KNOWN_PATHS: readonly { path: string; format: Format }[] = FORMATS.flatMap((format) =>
  format.paths.map((known) => ({ ...known, format })),
)
  .sort((one, other) => other.yield - one.yield)
  .map(({ path, format }) => ({ path, format }));

const BY_PATH = new Map(WELL_KNOWN_PATHS.map(({ path, format }) => [path, format]));
const BY_TYPE = new Map(
  FORMATS.flatMap((format) => format.mediaTypes.map((type) => [type, format] as const)),
);
const BY_RELATION = new Map(
  FORMATS.flatMap((format) => format.relations.map((name) => [name, format] as const)),
);
/** Documents that stand in any folder under their own name. */
const BY_FILE = new Map(
  WELL_KNOWN_PATHS.filter(({ path }) => !path.startsWith("/.well-known/")).map(({ path, format }) => [
    path.slice(1),
    format,
  ]),
);

/**
 * The format whose document a path is for: a well-known one, also below an issuer's path or before a resource's (RFC 8414 section 3.1,
 * RFC 9728 section 3.1), or a name that stands in any folder.
 */
export function formatOf(path: string): Format | undefined {
  const known = BY_PATH.get(path);
  if (known !== undefined) return known;
  const start = path.lastIndexOf("/.well-known/");
  if (start < 0) return BY_FILE.get(path.slice(path.lastIndexOf("/") + 1));
  const [name = ""] = path.slice(start + "/.well-known/".length).split("/", 1);
  return BY_PATH.get(path.slice(start)) ?? BY_PATH.get(`/.well-known/${name}`);
}

/** The format that a media type names; undefined: one that says nothing, or none. */
export const formatOfType = (type: string): Format | undefined =>
  BY_TYPE.get(type.split(";", 1)[0]!.trim().toLowerCase());

export const formatOfRelation = (relation: string): Format | undefined =>
  BY_RELATION.get(relation.toLowerCase());
