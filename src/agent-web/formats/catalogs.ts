/**
 * Catalogs of what a host offers: ARD (ards-project/ard-spec, 0.91 and 0.9), the AI Catalog (Agent-Card/ai-catalog, v0.9.0), which are
 * two formats of one shape, and the API catalog (RFC 9727: a link set in JSON, RFC 9264 section 4.2).
 */
import { registrableDomain } from "../../domain/names/domain-name.ts";
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
  pointerPart,
  readObject,
  saysWhatItIs,
  servicesOf,
  shortText,
} from "./document.ts";
import {
  type DescribedService,
  type Format,
  MAX_DOCUMENTS,
  type NamedDocument,
  type Reading,
} from "./format.ts";

const URN = /^urn:(?:air|ai):([a-z0-9-]+(?:\.[a-z0-9-]+)+):\S+$/i;
const FORMER_URN = /^urn:ai:/i;
/** A card that describes the anchor by MCP, not by HTTP. */
const SERVER_CARD = /\/mcp\/[^/?#]{0,40}card/;
const MAX_RELATIONS = 100;
/** Relations by which an API names what describes it (RFC 8631): their context is the API. */
const OF_APIS = ["service-desc", "service-doc", "service-meta", "status"];
/** Of a context object beside its relations (RFC 9264 section 4.2.2). */
const ANCHOR = "anchor";
const BY_MEMBER = 'Name each link by its relation: {"anchor": …, "service-desc": [{"href": …}]}.';
/** Members that wrap targets with their relations inside, which a link set in JSON has not. */
const WRAPPERS = ["links", "relations"];

export const ARD: Format = {
  name: "ard",
  paths: [{ path: "/.well-known/ard.json", yield: 5 }],
  relations: ["ard"],
  mediaTypes: ["application/ard+json", "application/ard-catalog+json"],
  read: (bytes, url) => readEntries(bytes, url, true),
};

export const AI_CATALOG: Format = {
  name: "ai-catalog",
  paths: [{ path: "/.well-known/ai-catalog.json", yield: 5 }],
  relations: ["ai-catalog"],
  mediaTypes: ["application/ai-catalog+json"],
  read: (bytes, url) => readEntries(bytes, url, false),
};

export const API_CATALOG: Format = {
  name: "api-catalog",
  paths: [{ path: "/.well-known/api-catalog", yield: 27 }],
  relations: ["api-catalog"],
  mediaTypes: ["application/linkset+json"],
  read: readLinkset,
};

/** @param identifies whether identifiers are names below a domain: ARD's rule, and none of the AI Catalog's */
function readEntries(bytes: Uint8Array, url: URL, identifies: boolean): Reading | undefined {
  const findings = new Findings();
  const catalog = readObject(bytes, findings);
  if (catalog === undefined) return undefined;
  const name = ["entries", "resources", "agents"].find((one) => catalog[one] !== undefined) ?? "entries";
  const entries = itemsOf(catalog[name]);
  const listed = Array.isArray(catalog.entries);
  if (entries.length === 0 && !listed && !saysWhatItIs(catalog)) return undefined;
  if (!listed) findings.breaks("missing_member", "/entries", "List the entries in a member entries.");
  if (!identifies) checkCatalog(catalog, findings);
  for (const [entry, place] of findings.objectsIn(entries, `/${name}`))
    checkEntry(entry, place, identifies, findings);
  const named = documentsOf(entries, url);
  return {
    revision: memberText(catalog.specVersion, 40) || null,
    conforms: findings.conforms,
    usable: named.length > 0 || entries.some((entry) => isMembers(membersIn(entry).data)),
    findings: findings.list,
    services: servicesOf(entries.flatMap((entry) => callableOf(membersIn(entry), url))),
    names: listedItems(entries, ["displayName", "name"], ["identifier"]),
    documents: named,
  };
}

function checkCatalog(catalog: Members, findings: Findings): void {
  findings.requires(catalog, ["specVersion"]);
  if (findings.isA("object", catalog, "host"))
    findings.requires(membersIn(catalog.host), ["displayName"], "/host");
  if (memberText(catalog.specVersion, 40).startsWith("1."))
    findings.advises("unreleased_revision", "/specVersion", "Declare 0.9: 1.0 is not released.");
  if (catalog.collections !== undefined)
    findings.advises("removed_member", "/collections", "Name nested catalogs by entries.");
}

function checkEntry(entry: Members, place: string, identifies: boolean, findings: Findings): void {
  findings.requires(entry, ["identifier", ...(identifies ? ["displayName"] : [])], place);
  if ((entry.type ?? entry.mediaType) === undefined) findings.requires(entry, ["type"], place);
  else if (entry.type === undefined)
    findings[identifies ? "breaks" : "advises"](
      "former_member",
      `${place}/mediaType`,
      "Call the member type.",
    );
  if ((entry.url === undefined) === (entry.data === undefined))
    findings.breaks("url_or_data", place, "Give either url or data.");
  if (!identifies || typeof entry.identifier !== "string") return;
  const domain = URN.exec(entry.identifier.slice(0, 500))?.[1]?.toLowerCase();
  if (domain === undefined)
    findings.breaks("identifier_form", `${place}/identifier`, "Write urn:air:domain:….");
  else if (FORMER_URN.test(entry.identifier))
    findings.advises("former_prefix", `${place}/identifier`, "Write urn:air: for urn:ai:.");
  const queries = entry.representativeQueries;
  if (Array.isArray(queries) && (queries.length < 2 || queries.length > 5))
    findings.advises("queries_count", `${place}/representativeQueries`, "Give two to five.");
  if (findings.isA("object", entry, "trustManifest", place)) {
    const manifest = membersIn(entry.trustManifest);
    findings.requires(manifest, ["identity"], `${place}/trustManifest`);
    findings.isA("string", manifest, "identity", `${place}/trustManifest`);
  }
  const identity = hostOfIdentity(membersIn(entry.trustManifest).identity);
  if (identity !== undefined && domain !== undefined && !isSameOwner(identity, domain))
    findings.breaks(
      "identity_mismatch",
      `${place}/trustManifest/identity`,
      "Name the identifier's own domain.",
    );
}

/** `did:web:` (its method's section 3.2) or an address. */
function hostOfIdentity(identity: unknown): string | undefined {
  const text = memberText(identity, 500);
  const did = /^did:web:([^:%/?#]+)/.exec(text)?.[1];
  return (did ?? URL.parse(text)?.hostname)?.toLowerCase() || undefined;
}

const isSameOwner = (host: string, other: string): boolean =>
  registrableDomain(host) === registrableDomain(other);

/** What an entry itself says can be called; a card's address is a document's. */
function callableOf(entry: Members, url: URL): DescribedService[] {
  const type = memberText(entry.type ?? entry.mediaType, 100);
  const endpoint = linkedAddress(entry.url, url);
  if (endpoint === undefined || !/^application\/mcp(?:;|$)/i.test(type)) return [];
  const more = {
    name: shortText(entry.displayName ?? entry.name),
    description: memberText(entry.description),
  };
  return [describedService("mcp", endpoint, more)];
}

function readLinkset(bytes: Uint8Array, url: URL): Reading | undefined {
  const findings = new Findings();
  const document = readObject(bytes, findings);
  if (document === undefined) return undefined;
  const listed = Array.isArray(document.linkset);
  const name =
    ["linkset", "apis", "resources", "links"].find((one) => document[one] !== undefined) ?? "linkset";
  const contexts = itemsOf(document[name]);
  if (!listed && contexts.length === 0 && !saysWhatItIs(document)) return undefined;
  if (!listed) findings.breaks("missing_member", "/linkset", "Hold the links in an array linkset.");
  for (const member of Object.keys(document).slice(0, 100))
    if (member !== "linkset" && member !== name)
      findings.breaks("unknown_member", `/${pointerPart(member)}`, "Leave out all members but linkset.");
  const services: DescribedService[] = [];
  const documents: NamedDocument[] = [];
  for (const [at, context] of contexts.entries()) {
    const members = membersIn(context);
    checkContext(members, `/${name}/${at}`, findings);
    const links = linksOf(members, url);
    documents.push(...links);
    const anchor = linkedAddress(members.anchor, url);
    // An anchor that is the catalog itself heads the list of items: it is no API.
    if (anchor === undefined || anchor === url.href) continue;
    const description = links.find(({ rel = "" }) => OF_APIS.includes(rel));
    if (description !== undefined)
      services.push(describedService(SERVER_CARD.test(description.url) ? "mcp" : "http", anchor));
    else if (links.length === 0) documents.push({ url: anchor, type: memberText(members.type, 100) });
  }
  const usable = contexts.some((context) => isUsable(membersIn(context), url));
  if (!usable) findings.advises("no_relations", `/${name}`, "Name each API by service-desc or item.");
  const named = onceEach(documents);
  return {
    revision: null,
    conforms: findings.conforms,
    usable,
    findings: findings.list,
    services: servicesOf(services),
    documents: named,
  };
}

const onceEach = (documents: readonly NamedDocument[]): NamedDocument[] =>
  [...new Map(documents.map((one) => [one.url, one])).values()].slice(0, MAX_DOCUMENTS);

/** Links of a context by their relations; a home-made entry is one itself, or says each link's relation beside its address. */
function linksOf(context: Members, url: URL): NamedDocument[] {
  const own = memberText(context.rel, 100);
  const links = documentsOf([context], url).map((one) => (own === "" ? one : { ...one, rel: own }));
  for (const [relation, targets] of Object.entries(context).slice(0, MAX_RELATIONS))
    for (const target of itemsOf(targets).map(membersIn)) {
      const said = memberText(target.rel, 100);
      const isSaid = said !== "" && (WRAPPERS.includes(relation) || OF_APIS.includes(said));
      links.push(...documentsOf([target], url).map((one) => ({ ...one, rel: isSaid ? said : relation })));
    }
  return links.slice(0, MAX_DOCUMENTS);
}

function isUsable(context: Members, url: URL): boolean {
  if (linkedAddress(context.href, url) !== undefined) return true;
  return Object.entries(context)
    .slice(0, MAX_RELATIONS)
    .some(([name, targets]) => !WRAPPERS.includes(name) && documentsOf(itemsOf(targets), url).length > 0);
}

/** RFC 9264 section 4.2.2: a relation's value is an array of target objects, each with its href. */
function checkContext(context: Members, place: string, findings: Findings): void {
  if (typeof context.href === "string") {
    findings.breaks("link_in_context", place, BY_MEMBER);
    return;
  }
  for (const [relation, targets] of Object.entries(context).slice(0, MAX_RELATIONS)) {
    if (relation === ANCHOR) continue;
    const at = `${place}/${pointerPart(relation)}`;
    if (WRAPPERS.includes(relation)) findings.breaks("not_a_relation", at, BY_MEMBER);
    else if (!Array.isArray(targets))
      findings.breaks("not_a_relation", at, "Make it an array of objects with href, or leave it out.");
    else checkTargets(relation, targets, at, findings);
  }
}

function checkTargets(relation: string, targets: unknown[], place: string, findings: Findings): void {
  if (/^https?:\/\/www\.iana\.org\//.test(relation))
    findings.breaks("registered_relation", place, "Name registered relations by their names.");
  for (const [target, at] of findings.objectsIn(targets, place)) {
    findings.requires(target, ["href"], at);
    if (target.rel !== undefined)
      findings.advises("relation_in_target", `${at}/rel`, "Leave it out: the member that holds it names it.");
  }
}
