/**
 * Cards of MCP servers: SEP-2127 (modelcontextprotocol/experimental-ext-server-card: `$schema`, `remotes`), SEP-1649 as published
 * (`serverInfo`, `transport`), and the home-made ones that are most of what is published. Catalogs of several servers.
 */
import {
  describedService,
  documentsOf,
  Findings,
  isMembers,
  itemsOf,
  linkedAddress,
  listedItems,
  type Members,
  membersIn,
  memberText,
  readJson,
  saysWhatItIs,
  servicesOf,
  shortText,
} from "./document.ts";
import type { DescribedService, Format, Reading } from "./format.ts";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/** Where nothing but a card is published, whatever it declares; other paths are older than any specification. */
const CARD_PATH = /server-cards?(?:\.json)?$/;
const SCHEMAS = "https://static.modelcontextprotocol.io/";
const SERVER_NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const MAX_CARD_DESCRIPTION = 100;
/** Lists of servers, by the names that are used for them. */
const LISTS = ["servers", "mcpServers", "mcp_servers", "entries", "cards"];
/** MCP's transport, as members are named by it. */
const HTTP = ["streamable-http", "streamableHttp", "streamable_http"];
/** Where an endpoint is, by the names that are used for it, the nearest to the drafts first. */
const ADDRESSES = [
  "endpoint",
  "url",
  "serverUrl",
  "server_url",
  "endpointUrl",
  "mcp_endpoint",
  "mcpEndpoint",
];
const NESTED = ["transport", "endpoints", "server", "mcp", "connection", "remote", "http", "sse", ...HTTP];
const MAX_NESTING = 3;
/** Groups of tools in one card. */
const MAX_GROUPS = 50;
/** A document has one of these, or it is no card. */
const MARKS = [
  "serverInfo",
  "remotes",
  "transport",
  "transports",
  "tools",
  "capabilities",
  "protocolVersion",
];
/** What is named beside an endpoint and is none: documents. */
const DOCUMENT = /\.(?:json|ya?ml|md|txt|html?)$/i;

export const MCP_SERVER_CARD: Format = {
  name: "mcp-server-card",
  paths: [
    { path: "/.well-known/mcp/server-card.json", yield: 19 },
    { path: "/.well-known/mcp.json", yield: 6 },
    { path: "/.well-known/mcp/catalog.json", yield: 1 },
    { path: "/.well-known/mcp/server-cards.json", yield: 1 },
    { path: "/.well-known/mcp", yield: 1 },
  ],
  relations: ["mcp-server-card", "mcp"],
  mediaTypes: ["application/mcp-server-card+json", "application/mcp+json"],
  read(bytes, url) {
    const findings = new Findings();
    const document = readJson(bytes, findings);
    if (Array.isArray(document)) return catalog(itemsOf(document), url, findings);
    if (!isMembers(document)) return undefined;
    const listed = LISTS.map((name) => listOf(document[name])).find((list) => list.length > 0);
    if (listed !== undefined) return catalog(listed, url, findings);
    const services = servicesOf(cardServices(document, url));
    if (services.length === 0 && !isCard(document)) return undefined;
    return card(document, url, services, findings);
  },
};

const isCard = (document: Members): boolean =>
  MARKS.some((mark) => document[mark] !== undefined) || saysWhatItIs(document);

function card(document: Members, url: URL, services: DescribedService[], findings: Findings): Reading {
  const revision = revisionOf(document) ?? (CARD_PATH.test(url.pathname) ? "SEP-2127" : null);
  if (revision === "SEP-2127") checkCard(document, findings);
  if (revision === "SEP-1649") checkFormerCard(document, url, findings);
  if (services.length === 0)
    findings.advises(
      "no_endpoint",
      "",
      "Name the server's address, absolute, in remotes[].url. One that runs on the caller's machine alone (stdio) is published in a registry.",
    );
  const named = shortText(document.name ?? membersIn(document.serverInfo).name ?? document.title) !== "";
  const conforms = revision === null ? null : findings.conforms;
  return {
    revision,
    conforms,
    usable: named && services.length > 0,
    findings: findings.list,
    services,
    // SEP-2127 has none; SEP-1649 lists them, or says that they are dynamic.
    names: listedItems(toolsIn(document), ["title", "name"], ["name"]),
  };
}

function revisionOf(document: Members): string | null {
  const schema = memberText(document.$schema);
  if (schema === SCHEMA) return "SEP-2127";
  if (document.serverInfo !== undefined) return "SEP-1649";
  const isMeant =
    schema.startsWith(SCHEMAS) ||
    SERVER_NAME.test(shortText(document.name)) ||
    document.remotes !== undefined;
  return isMeant ? "SEP-2127" : null;
}

function checkCard(document: Members, findings: Findings): void {
  findings.requires(document, ["name", "version", "description"]);
  if ((document.$schema ?? null) === null)
    findings.breaks("missing_member", "/$schema", `Add the member $schema: ${SCHEMA}`);
  else if (document.$schema !== SCHEMA) findings.breaks("unknown_schema", "/$schema", `Declare ${SCHEMA}`);
  if (typeof document.name === "string" && !SERVER_NAME.test(document.name))
    findings.breaks("name_form", "/name", "Write the name as reversed-domain/server, one slash.");
  if (typeof document.description === "string" && document.description.length > MAX_CARD_DESCRIPTION)
    findings.breaks("too_long", "/description", `Say it in ${MAX_CARD_DESCRIPTION} characters.`);
  if (!findings.isA("array", document, "remotes")) return;
  for (const [remote, place] of findings.objectsIn(document.remotes, "/remotes")) {
    findings.requires(remote, ["type", "url"], place);
    const { type } = remote;
    if (typeof type === "string" && type !== "streamable-http" && type !== "sse")
      findings.breaks("unknown_type", `${place}/type`, "Say streamable-http or sse.");
    // A variable may be the whole address.
    if (!/^\{\w{1,100}\}/.test(memberText(remote.url))) findings.isAddress(remote, "url", place);
  }
}

function checkFormerCard(document: Members, url: URL, findings: Findings): void {
  findings.advises(
    "former_revision",
    "/serverInfo",
    `SEP-2127 replaced this draft: declare ${SCHEMA}, with name, version, description and remotes.`,
  );
  findings.requires(document, ["$schema", "version", "protocolVersion", "transport", "capabilities"]);
  findings.requires(membersIn(document.serverInfo), ["name", "version"], "/serverInfo");
  findings.isA("object", document, "capabilities");
  if (findings.isA("object", document, "transport")) {
    const transport = membersIn(document.transport);
    findings.requires(transport, ["type", "endpoint"], "/transport");
    if (linkedAddress(transport.endpoint, url) === undefined && transport.endpoint !== undefined)
      findings.breaks("bad_address", "/transport/endpoint", "Write an address or a path.");
  }
}

/** Of SEP-2127's catalog and of home-made lists: each entry is a card, or names one by its address. */
function catalog(entries: readonly unknown[], url: URL, findings: Findings): Reading | undefined {
  const members = entries.filter(isMembers);
  if (members.length === 0) return undefined;
  const services = servicesOf(servicesOfAll(members, url));
  const documents = documentsOf(members.filter(isCardAddress), url);
  if (services.length === 0 && documents.length === 0)
    findings.advises("no_endpoint", "", "Name each server's address, absolute.");
  const isCardPath = CARD_PATH.test(url.pathname);
  if (isCardPath)
    findings.breaks(
      "catalog_at_card",
      "",
      "Serve one card here, and lists at /.well-known/mcp/catalog.json.",
    );
  return {
    revision: "catalog",
    conforms: isCardPath ? false : null,
    usable: services.length > 0 || documents.length > 0,
    findings: findings.list,
    services,
    names: listedItems(
      members.flatMap((entry) => toolsIn(cardIn(entry))),
      ["title", "name"],
      ["name"],
    ),
    documents,
  };
}

function* servicesOfAll(entries: readonly Members[], url: URL): Generator<DescribedService> {
  for (const entry of entries) if (!isCardAddress(entry)) yield* cardServices(cardIn(entry), url);
}

/** An AI Catalog's entry may hold the card. */
const cardIn = (entry: Members): Members => (isMembers(entry.data) ? entry.data : entry);

/** An AI Catalog's entry says by its media type that its address is a card's, not a server's. */
const isCardAddress = (entry: Members): boolean =>
  typeof entry.url === "string" &&
  (/card|json/.test(memberText(entry.type ?? entry.mediaType, 80)) || isDocument(entry.url));

function listOf(value: unknown): unknown[] {
  if (!isMembers(value)) return itemsOf(value);
  // Clients' settings name servers by their keys: { mcpServers: { name: { url } } }.
  return Object.entries(value)
    .slice(0, 100)
    .flatMap(([name, one]) => (isMembers(one) ? [{ name, ...one }] : []));
}

/** Endpoints of one card, the transports' and the card's own. Relative ones are of the card's host. */
function* cardServices(card: Members, url: URL): Generator<DescribedService> {
  const info = membersIn(card.serverInfo);
  const more = {
    auth: authOf(card),
    name: shortText(card.title ?? card.name ?? info.title ?? info.name),
    description: memberText(card.description ?? info.description),
    version: memberText(card.serverInfo === undefined ? card.version : info.version, 40),
    // Some list them where MCP says whether there are any.
    tools: listedItems([...toolsIn(card), ...itemsOf(membersIn(card.capabilities).tools)], ["name", "id"]),
  };
  for (const place of placesIn(card)) {
    const members: Members = typeof place === "string" ? { url: place } : membersIn(place);
    const value = ADDRESSES.map((name) => members[name]).find((one) => typeof one === "string");
    const endpoint = looksLikeAddress(value) ? linkedAddress(value, url) : undefined;
    if (endpoint === undefined || isDocument(endpoint)) continue;
    const kind = memberText(members.type ?? members.transport, 40);
    const own = authOf(members);
    const auth = own === "unknown" ? more.auth : own;
    yield describedService("mcp", endpoint, { ...more, auth, transports: kind === "" ? [] : [kind] });
    // What stands beside the transport is the site's address, not the server's.
    if (place !== card && members.type !== undefined) continue;
  }
}

/** What may hold an endpoint: the remotes, what stands by the transports' names, and the card itself at the end. */
function placesIn(card: Members): unknown[] {
  const transports = Array.isArray(card.transports)
    ? card.transports
    : Object.values(membersIn(card.transports));
  return [...itemsOf(card.remotes), ...nestedIn(card, 0), ...itemsOf(transports), card];
}

function nestedIn(members: Members, depth: number): unknown[] {
  if (depth === MAX_NESTING) return [];
  return NESTED.flatMap((name) => {
    const value = members[name];
    if (Array.isArray(value)) return itemsOf(value);
    return isMembers(value) ? [value, ...nestedIn(value, depth + 1)] : [value];
  });
}

/** A list, or lists in groups: by effect, by who may call them. */
function toolsIn({ tools }: Members): unknown[] {
  const groups = isMembers(tools) ? Object.values(tools) : [tools];
  return groups.slice(0, MAX_GROUPS).flatMap(itemsOf);
}

const looksLikeAddress = (value: unknown): boolean =>
  typeof value === "string" && /^(?:https?:\/\/|\/)/i.test(value.trim());

const isDocument = (endpoint: string): boolean =>
  DOCUMENT.test(URL.parse(endpoint, "https://relative.invalid")?.pathname ?? "");

function authOf(card: Members): DescribedService["auth"] {
  const auth = membersIn(card.authentication ?? card.auth ?? card.authorization);
  const said =
    memberText(card.authentication ?? card.auth, 40) ||
    memberText(auth.type ?? auth.method ?? auth.scheme, 40);
  const schemes = itemsOf(auth.schemes ?? auth.types ?? auth.methods).map((one) => memberText(one, 40));
  const kinds = [said, ...schemes].map((kind) => kind.toLowerCase()).filter((kind) => kind !== "");
  if (kinds.some((kind) => kind.includes("oauth") || kind.includes("oidc"))) return "oauth";
  if (kinds.some((kind) => /key|bearer|token/.test(kind))) return "api_key";
  if (auth.required === false || kinds.some((kind) => kind === "none" || kind === "public")) return "none";
  // A remote of SEP-2127 says by its headers what a caller brings.
  if (itemsOf(card.headers).some((one) => membersIn(one).isSecret === true)) return "api_key";
  return auth.required === true || kinds.length > 0 ? "other" : "unknown";
}
