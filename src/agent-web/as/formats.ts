/**
 * Documents that a host's owner can publish, made of what was seen there, a row a format. What third parties alone say of the host is in
 * none: it was not seen. Pure.
 */
import type { AgentPresence } from "../../../schemas/agent-web.ts";
import type { FoundService, ServiceEntry } from "../../../schemas/found-tool.ts";
import type { MadeFormat, PublishableDocument } from "../../../schemas/publishable-document.ts";
import { label } from "../../domain/strangers-text.ts";
import { doablesOf, serviceId } from "../search/documents.ts";
import { airIdentifier, hasArtifact, publishedEntry } from "./ard-entry.ts";
import { serverCard } from "./mcp-server.ts";

/** One service that was seen. */
interface Seen {
  service: FoundService;
  entry: ServiceEntry;
}
type Made = Pick<PublishableDocument, "document" | "to_say"> & { of: readonly Seen[]; publish_at?: string };

interface MadeRow {
  media_type: string;
  /** Path, where the document says no other place. */
  path: string;
  /** @returns why it cannot be made, in words */
  make(host: string, seen: readonly Seen[]): Made | string;
}

const LINKS_OF_A_TEXT = 50;

const ROWS: Readonly<Record<MadeFormat, MadeRow>> = {
  "mcp-server-card": {
    media_type: "application/mcp-server-card+json",
    path: "/.well-known/mcp/server-card.json",
    make: makeServerCard,
  },
  "a2a-card": {
    media_type: "application/a2a-agent-card+json",
    path: "/.well-known/agent-card.json",
    make: noAgentCard,
  },
  ard: { media_type: "application/json", path: "/.well-known/ard.json", make: makeArd },
  "ai-catalog": {
    media_type: "application/ai-catalog+json",
    path: "/.well-known/ai-catalog.json",
    make: makeAiCatalog,
  },
  "api-catalog": {
    media_type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    path: "/.well-known/api-catalog",
    make: makeApiCatalog,
  },
  "llms-txt": { media_type: "text/plain; charset=utf-8", path: "/llms.txt", make: makeLlmsTxt },
};

/**
 * @param endpoint of the one service that it is to be of; undefined: of all
 * @returns why it cannot be made, in words
 */
export function documentOfSite(
  presence: AgentPresence,
  isVerified: boolean,
  format: MadeFormat,
  endpoint: string | undefined,
): PublishableDocument | string {
  const { host } = presence;
  const seen = [...doablesOf(presence, { isVerified, gravity: "none" })].flatMap(({ doable }): Seen[] => {
    const { tool, service, entry } = doable;
    const isAsked = endpoint === undefined || service.endpoint === endpoint;
    return tool === null && entry && isAsked && service.seen_by !== "claim" ? [{ service, entry }] : [];
  });
  if (seen.length === 0)
    return endpoint === undefined
      ? "No service was seen there: nothing answered, and no document of the host describes one."
      : "No service was seen at this endpoint.";
  const { media_type, path, make } = ROWS[format];
  const made = make(host, seen);
  if (typeof made === "string") return made;
  const { document, to_say, of, publish_at = `https://${host}${path}` } = made;
  return { domain: host, format, media_type, publish_at, document, to_say, made_from: of.map(sourceOf) };
}

function sourceOf({ service }: Seen): PublishableDocument["made_from"][number] {
  const { protocol, endpoint, auth, screened, seen_at, seen_by } = service;
  return { protocol, endpoint, auth, screened, seen_at, seen_by };
}

function makeServerCard(_: string, seen: readonly Seen[]): Made | string {
  const servers = seen.filter(({ entry }) => entry.server);
  const [first, ...others] = servers;
  if (!first) return "No MCP server was seen there.";
  if (others.length > 0)
    return `A card is of one server: name it by endpoint (${servers.map(({ service }) => service.endpoint).join(", ")}).`;
  const { service, entry } = first;
  return {
    document: serverCard(service, entry)! as Record<string, unknown>,
    to_say: [
      ...(entry.server?.version ? [] : ["version: your own number of it; here it is a day"]),
      ...(service.description === "" ? ["description: what it does, in 100 characters"] : []),
    ],
    of: [first],
    // SEP-2127 reserves this place; the well-known one is of hosts with one server.
    publish_at: `${service.endpoint.replace(/\/$/, "")}/server-card`,
  };
}

function noAgentCard(_: string, seen: readonly Seen[]): string {
  const known = seen.find(({ service }) => service.protocol === "a2a");
  const published = known?.entry.document;
  return published
    ? `Its card is published: ${published}. What an agent of A2A does is said nowhere else, since no message is sent to it.`
    : "No agent of A2A was seen there. Its skills, modes and version are its owner's to say: nothing that was seen tells them.";
}

const withArtifact = (seen: readonly Seen[]): Seen[] =>
  seen.filter(({ service, entry }) => hasArtifact(service, entry));

const NO_ARTIFACT = "What was seen there has no document that an entry could name.";

function makeArd(_: string, seen: readonly Seen[]): Made | string {
  const of = withArtifact(seen);
  if (of.length === 0) return NO_ARTIFACT;
  return {
    document: { entries: of.map(({ service, entry }) => publishedEntry(service, entry, serviceId(service))) },
    to_say: [
      "entries[].representativeQueries: two to five requests that it serves; searches find it by them",
    ],
    of,
  };
}

function makeAiCatalog(host: string, seen: readonly Seen[]): Made | string {
  const of = withArtifact(seen);
  if (of.length === 0) return NO_ARTIFACT;
  const entries = of.map(({ service, entry }) => {
    const { type, url, data, tags } = publishedEntry(service, entry, serviceId(service));
    const place = url === undefined ? { data } : { url };
    return { identifier: airIdentifier(service, serviceId(service)), type, ...place, tags };
  });
  return {
    document: { specVersion: "0.9", host: { displayName: host }, entries },
    to_say: ["host.displayName: your name"],
    of,
  };
}

/** RFC 9727 section 4, in the form of RFC 9264: APIs, each with what describes it. */
function makeApiCatalog(host: string, seen: readonly Seen[]): Made | string {
  const of = seen.filter(({ entry }) => entry.document !== null);
  if (of.length === 0) return "No service was seen there whose description is published.";
  const item = of.map(({ service }) => ({ href: service.endpoint }));
  const apis = of.map(({ service, entry }) => {
    const relation = service.protocol === "http" ? "service-desc" : "service-meta";
    return { anchor: service.endpoint, [relation]: [{ href: entry.document }] };
  });
  return {
    document: { linkset: [{ anchor: `https://${host}/.well-known/api-catalog`, item }, ...apis] },
    to_say: ["service-doc: pages for people that describe each API"],
    of,
  };
}

function makeLlmsTxt(host: string, seen: readonly Seen[]): Made {
  const of = seen.slice(0, LINKS_OF_A_TEXT);
  const lines = of.map(({ service }) => {
    const { name, protocol, description, endpoint } = service;
    const about = label(description, 200);
    const linked = (URL.parse(endpoint)?.href ?? "").replaceAll("(", "%28").replaceAll(")", "%29");
    return `- [${plain(label(name, 80) || protocol)} (${protocol})](${linked})${about && `: ${plain(about)}`}`;
  });
  return {
    document: [`# ${host}`, "", "> Services for agents.", "", "## Services", "", ...lines, ""].join("\n"),
    to_say: ["the first two lines: your name, and what you offer", "links to pages that models should read"],
    of,
  };
}

/** Words that are no markup of Markdown. Readers of llms.txt know no escaped brackets. */
const plain = (text: string): string =>
  text
    .replaceAll("[", "(")
    .replaceAll("]", ")")
    .replace(/[\\`*_<>]/g, "\\$&");
