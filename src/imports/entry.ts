/**
 * One entry of a list as claims: of the MCP Registry's API v0.1 (a page's item, `{server, _meta}`), of a dump of it (a flat row with
 * `is_latest` and `updated_at`), or a host. Nothing is looked up; what an entry says was checked by nobody.
 */
import { isIP } from "node:net";
import { z } from "zod";
import type { Claim } from "../../schemas/agent-web.ts";
import { isPublicAddress } from "../domain/names/address.ts";
import { isNeverPublic, parseHost } from "../domain/names/domain-name.ts";
import { bareHost } from "../domain/names/web-address.ts";
import { label } from "../domain/strangers-text.ts";
import { iso } from "../ports/time.ts";

/** Why an entry was not taken. What a domain's cap of a day leaves is taken on a later day. */
export const REFUSALS = [
  "invalid",
  "too_large",
  /** It names nothing that can be reached over the network. */
  "no_remote",
  "not_a_host",
  "private_address",
  "blocked",
  "over_host_cap",
  "over_source_cap",
  "over_domain_cap",
] as const;
export type EntryRefusal = (typeof REFUSALS)[number];

/** A claim, but for its host and the time of its import. */
export type EntryClaim = Pick<
  Claim,
  "v" | "source" | "id" | "status" | "name" | "description" | "endpoints" | "version" | "updated_at"
>;
interface EntryHost {
  host: string;
  /** False: the address has a placeholder where the host is. */
  isVisited: boolean;
  /** Undefined: a bare host, of which nothing is said. */
  claim: EntryClaim | undefined;
}

export interface Entry {
  /** Its id at the source. */
  id: string;
  isDeleted: boolean;
  /** False: the source itself has a newer version. */
  isLatest: boolean;
  updatedAt: string | null;
  hosts: EntryHost[];
  /** Why it names no host that may be taken. */
  refusal: EntryRefusal | undefined;
}

export type ParsedEntry = { ok: true; entry: Entry } | { ok: false; reason: EntryRefusal };

/** Characters of one entry as JSON. */
const MAX_ENTRY_CHARS = 64 * 1024;
/** Characters of one claim as JSON: fifty of them are a host's record. */
const MAX_CHARS_OF_CLAIM = 4_000;
const MAX_ENDPOINTS = 10;
const OFFICIAL = "io.modelcontextprotocol.registry/official";

const Status = z.enum(["active", "deprecated", "deleted"]).nullish();
const Server = z.looseObject({
  name: z.string().min(1).max(300),
  title: z.string().nullish(),
  description: z.string().nullish(),
  version: z.string().max(255).nullish(),
  remotes: z.array(z.looseObject({ url: z.string() })).nullish(),
  status: Status,
  is_latest: z.boolean().nullish(),
  updated_at: z.string().nullish(),
  published_at: z.string().nullish(),
});
const Listed = z.looseObject({
  server: Server,
  _meta: z
    .looseObject({
      [OFFICIAL]: z
        .looseObject({
          status: Status,
          isLatest: z.boolean().nullish(),
          updatedAt: z.string().nullish(),
          publishedAt: z.string().nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

/** What the entry says, whichever of the two forms it has. */
interface Said {
  name: string;
  title: string | null | undefined;
  description: string | null | undefined;
  version: string | null | undefined;
  urls: string[];
  status: Claim["status"];
  isLatest: boolean;
  updatedAt: string | null;
}

/** An entry of an MCP registry. @param value parsed JSON */
export function parseServer(value: unknown, source: string): ParsedEntry {
  if (charsOf(value) > MAX_ENTRY_CHARS) return { ok: false, reason: "too_large" };
  const said = saidBy(value);
  if (!said) return { ok: false, reason: "invalid" };
  const { name: id, isLatest, updatedAt, status } = said;
  const entry = { id, isLatest, updatedAt, isDeleted: status === "deleted", hosts: [], refusal: undefined };
  if (entry.isDeleted || !isLatest) return { ok: true, entry };
  const hosts = hostsOf(said, source);
  const refusal = typeof hosts === "string" ? hosts : undefined;
  return { ok: true, entry: { ...entry, hosts: typeof hosts === "string" ? [] : hosts, refusal } };
}

/** A host of a list: it is visited, and nothing is claimed of it. */
export function parseListedHost(name: string): ParsedEntry {
  const parsed = hostOf(name);
  if (!parsed.ok) return parsed;
  const { host } = parsed;
  const hosts = [{ host, isVisited: true, claim: undefined }];
  return {
    ok: true,
    entry: { id: host, isDeleted: false, isLatest: true, updatedAt: null, hosts, refusal: undefined },
  };
}

/** Infinity: nested beyond what can be written. */
function charsOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function saidBy(value: unknown): Said | undefined {
  const listed = Listed.safeParse(value);
  const server = listed.success ? listed.data.server : Server.safeParse(value).data;
  if (!server) return undefined;
  const meta = listed.data?._meta?.[OFFICIAL];
  return {
    name: server.name,
    title: server.title,
    description: server.description,
    version: server.version,
    urls: (server.remotes ?? []).map(({ url }) => url),
    status: meta?.status ?? server.status ?? "active",
    isLatest: (meta?.isLatest ?? server.is_latest) !== false,
    updatedAt:
      timeOf(meta?.updatedAt ?? server.updated_at) ?? timeOf(meta?.publishedAt ?? server.published_at),
  };
}

function timeOf(text: string | null | undefined): string | null {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? null : iso(ms);
}

/** A claim for each host that its remotes name; of other remotes the first one's fault, where there is no other. */
function hostsOf(said: Said, source: string): EntryHost[] | EntryRefusal {
  const places = said.urls.slice(0, MAX_ENDPOINTS).map(placeOf);
  const [first] = places;
  if (!first) return "no_remote";
  const byHost = Map.groupBy(
    places.filter((place) => place.ok),
    ({ host }) => host,
  );
  if (byHost.size === 0 && !first.ok) return first.reason;
  const hosts = [...byHost].map(([host, those], at) => ({
    host,
    isVisited: those.some(({ isTemplate }) => !isTemplate),
    // One entry is one server: its name and version go with the first host.
    claim: claimOf(at === 0 ? said : { ...said, version: null }, source, those),
  }));
  return hosts.some(({ claim }) => charsOf(claim) > MAX_CHARS_OF_CLAIM) ? "too_large" : hosts;
}

function claimOf(
  { name, title, description, version, status, updatedAt }: Said,
  source: string,
  places: { url: string }[],
): EntryClaim {
  return {
    v: 1,
    source,
    id: name,
    status,
    name: label(title || name, 200),
    description: label(description ?? "", 1_000),
    endpoints: places.map(({ url }) => ({ protocol: "mcp", url })),
    ...(version && { version: label(version, 100) }),
    updated_at: updatedAt,
  };
}

type Place =
  | { ok: true; host: string; url: string; isTemplate: boolean }
  | { ok: false; reason: Exclude<EntryRefusal, "invalid"> };

/** The host of an address. Of one with a placeholder in its host, the host is what follows the placeholder's label. */
function placeOf(url: string): Place {
  if (url.length > 2_048) return { ok: false, reason: "too_large" };
  const [, authority = ""] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  const isTemplate = authority.includes("{");
  const fixed = isTemplate ? authority.slice(authority.lastIndexOf("}") + 1).replace(/^[^.:]*\./, "") : "";
  // What is in braces elsewhere changes nothing of the host.
  const parsed = URL.parse(isTemplate ? `https://${fixed}` : url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return { ok: false, reason: "not_a_host" };
  const host = hostOf(parsed.hostname);
  return host.ok ? { ok: true, host: host.host, url, isTemplate } : host;
}

function hostOf(
  name: string,
): { ok: true; host: string } | { ok: false; reason: Exclude<EntryRefusal, "invalid"> } {
  const parsed = parseHost(name);
  const address = bareHost(name);
  const isPrivate = parsed.ok
    ? isNeverPublic(parsed.host)
    : (isIP(address) !== 0 && !isPublicAddress(address)) || isNeverPublic(name.toLowerCase());
  if (isPrivate) return { ok: false, reason: "private_address" };
  return parsed.ok ? parsed : { ok: false, reason: "not_a_host" };
}
