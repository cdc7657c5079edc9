/**
 * The TXT record of `_bridge.<domain>`: `v=BRIDGE1; k=ed25519; pk=<base64url>; endpoint=https://…`, a tag list as in
 * DKIM (RFC 6376 section 3.2). It is the only source of the keys that verify a site's manifest.
 */
import { parseEndpoint } from "../names/endpoint.ts";
import { decodePublicKey, isValidPublicKey, type PublicKey, thumbprint } from "./ed25519.ts";

/** Room for two overlapping key rotations; more keys would only cost more verifications. */
export const MAX_KEYS = 4;
/** The most bridge records in an answer, well formed or not; an answer with more is refused whole, whatever its order. */
const MAX_RECORDS = 16;
/** Maximum characters of one record, with its strings joined (docs/trust.md). A key and an endpoint take some 150. */
const MAX_RECORD_LENGTH = 1_024;
/** The limit of SiteRecord.detail. */
const MAX_DETAIL_LENGTH = 500;

/** `endpoint` is an origin ("https://shop.example"): the rest of the address is unused. */
export type TxtRecord =
  | { publicKey: string; endpoint: string }
  /** An empty pk means revoked. */
  | { publicKey: null; endpoint: string | null };

export type TxtParse = { ok: true; record: TxtRecord } | { ok: false; reason: string };

/** The combined result of a domain's TXT records. `endpoint` has no path; `keys` has one to four entries. */
export type TxtSelection =
  | { ok: true; endpoint: URL; keys: PublicKey[] }
  | { ok: false; reason: "none" | "invalid" | "ambiguous" | "revoked" | "too_many"; detail: string };

/** The record's text; null `publicKey` means revoked. Throws TypeError if the result does not parse. */
export function formatTxtRecord(record: { publicKey: string | null; endpoint: string }): string {
  const textFor = (endpoint: string | null): string =>
    `v=BRIDGE1; k=ed25519; pk=${record.publicKey ?? ""}; endpoint=${endpoint}`;
  const parsed = parseTxtRecord(textFor(record.endpoint));
  if (!parsed.ok) throw new TypeError(parsed.reason);
  return textFor(parsed.record.endpoint);
}

/** Parses one record. Ignores unknown tags; a duplicate or malformed tag invalidates the record. */
export function parseTxtRecord(text: string): TxtParse {
  const refuse = (reason: string): TxtParse => ({ ok: false, reason });
  if (text.length > MAX_RECORD_LENGTH)
    return refuse(
      `the record is longer than ${MAX_RECORD_LENGTH} characters: publish v, k, pk and endpoint, and leave other tags out`,
    );
  const list = parseTagList(text);
  if (!list.ok) return refuse(pasteFault(text) ?? list.reason);
  const { tags } = list;
  const version = tags.get("v");
  if (version !== undefined && version !== "BRIDGE1") return refuse("v is not BRIDGE1");
  if (version !== undefined && tags.keys().next().value !== "v") return refuse("v is not the first tag");
  if ((tags.get("k") ?? "ed25519") !== "ed25519") return refuse("k is not ed25519");
  const publicKey = tags.get("pk");
  if (publicKey === undefined) return refuse(`pk is missing${inOtherCase(tags, "pk")}`);
  const endpointText = tags.get("endpoint");
  const endpoint = endpointText === undefined ? undefined : parseEndpoint(endpointText);
  if (endpoint?.ok === false) return refuse(`endpoint ${endpoint.reason}`);
  if (publicKey === "") {
    return { ok: true, record: { publicKey: null, endpoint: endpoint?.url.origin ?? null } };
  }
  if (endpoint === undefined) return refuse(`endpoint is missing${inOtherCase(tags, "endpoint")}`);
  const raw = decodePublicKey(publicKey);
  if (raw === undefined) return refuse("pk is not 32 bytes in base64url without padding (43 characters)");
  if (!isValidPublicKey(raw)) return refuse("pk is not a usable Ed25519 key");
  return { ok: true, record: { publicKey, endpoint: endpoint.url.origin } };
}

/**
 * RFC 6376 section 3.2: names are case-sensitive, white space around name and value is dropped, one final ";" is
 * allowed.
 */
function parseTagList(text: string): { ok: true; tags: Map<string, string> } | { ok: false; reason: string } {
  const tags = new Map<string, string>();
  const specs = text.split(";");
  if (specs.length > 1 && trimFws(specs.at(-1)!) === "") specs.pop();
  for (const spec of specs) {
    const equals = spec.indexOf("=");
    const name = trimFws(spec.slice(0, Math.max(equals, 0)));
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return { ok: false, reason: "not a list of tag=value" };
    const value = trimFws(spec.slice(equals + 1));
    if (!/^(?:[\x21-\x3a\x3c-\x7e](?:[ \t]|\r\n[ \t])*)*$/.test(value)) {
      return {
        ok: false,
        reason: `the value of ${name.slice(0, 32)} contains a character that is not allowed there`,
      };
    }
    if (tags.has(name)) return { ok: false, reason: `the tag ${name.slice(0, 32)} is duplicated` };
    tags.set(name, value);
  }
  return { ok: true, tags };
}

/** Folding white space: RFC 6376 section 2.8. */
export function trimFws(text: string): string {
  let start = 0;
  for (let length = fwsAt(text, start); length > 0; length = fwsAt(text, start)) start += length;
  let end = text.length;
  while (end > start && isWsp(text[end - 1]))
    end -= text.startsWith("\r\n", end - 3) && end - 3 >= start ? 3 : 1;
  return text.slice(start, end);
}

/** Length of the folding white space at `at`. A line end counts only if white space follows. */
const fwsAt = (text: string, at: number): number =>
  isWsp(text[at]) ? 1 : text.startsWith("\r\n", at) && isWsp(text[at + 2]) ? 2 : 0;

const isWsp = (char: string | undefined): boolean => char === " " || char === "\t";

/** What went wrong in pasting a text that would be a bridge record otherwise; undefined for any other text. */
function pasteFault(text: string): string | undefined {
  const written = text.slice(0, MAX_RECORD_LENGTH);
  const bare = written.replaceAll(/["'\\]/g, "");
  if (isOurs(bare)) {
    const marks = [/["']/.test(written) && "quotation marks", written.includes("\\") && "backslashes"].filter(
      Boolean,
    );
    return marks.length === 0
      ? undefined
      : `the value has ${marks.join(" and ")} in it: publish it without them`;
  }
  return /^\s*v\s*=\s*bridge1\s*(;|$)/i.test(bare)
    ? "names and version are case-sensitive: the record begins with v=BRIDGE1"
    : undefined;
}

/**
 * Whether a text is meant as a bridge record, well formed or not: v=BRIDGE1 comes first, or it has no version and one
 * of the record's tags.
 */
export const isOurs = (text: string): boolean =>
  /^\s*v\s*=\s*BRIDGE1\s*(;|$)/.test(text) ||
  (!/^\s*v\s*=/i.test(text) && /(^|;)\s*(pk|endpoint)\s*=/.test(text));

/** A hint where a tag's name stands there in another case. */
function inOtherCase(tags: ReadonlyMap<string, string>, name: string): string {
  const other = [...tags.keys()].find((tag) => tag.toLowerCase() === name);
  return other === undefined ? "" : `: names are in lower case, and ${other.slice(0, 32)} is another one`;
}

/**
 * Combines all TXT texts of `_bridge.<domain>` (`domain` canonical). It ignores other texts (a wildcard's SPF record, a
 * later version) and discards malformed records; the rest must agree on one origin, at the domain or below it. Revoked
 * records are ignored beside valid ones, since they have no key.
 */
export function selectRecords(texts: string[], domain: string): TxtSelection {
  const refuse = (reason: Exclude<TxtSelection, { ok: true }>["reason"], detail: string): TxtSelection => ({
    ok: false,
    reason,
    detail: detail.slice(0, MAX_DETAIL_LENGTH),
  });
  const ours = texts.filter(isOurs);
  if (ours.length === 0) {
    const hint = texts.map(pasteFault).find((fault) => fault !== undefined);
    return hint === undefined
      ? refuse("none", `no TXT record of this kind at _bridge.${domain}`)
      : refuse("invalid", hint);
  }
  if (ours.length > MAX_RECORDS)
    return refuse("too_many", `${ours.length} records, at most ${MAX_KEYS} valid`);
  const parsed = ours.map(parseTxtRecord);
  const records = parsed.flatMap((parse) => (parse.ok ? [parse.record] : []));
  if (records.length === 0) {
    return refuse("invalid", parsed.flatMap((parse) => (parse.ok ? [] : [parse.reason])).join("; "));
  }
  const active = records.filter((record) => record.publicKey !== null) as (TxtRecord & {
    publicKey: string;
  })[];
  if (active.length === 0) return refuse("revoked", `pk is empty at _bridge.${domain}`);
  if (active.length > MAX_KEYS)
    return refuse("too_many", `${active.length} valid records, at most ${MAX_KEYS}`);
  const origins = new Set(active.map((record) => record.endpoint));
  if (origins.size > 1) return refuse("ambiguous", `endpoints disagree: ${[...origins].join(", ")}`);
  const endpoint = new URL(active[0]!.endpoint);
  if (endpoint.hostname !== domain && !endpoint.hostname.endsWith(`.${domain}`)) {
    return refuse("invalid", `endpoint ${endpoint.host} is not ${domain} or below it`);
  }
  const publicKeys = new Set(active.map(({ publicKey }) => publicKey));
  return {
    ok: true,
    endpoint,
    keys: [...publicKeys].map((publicKey) => ({ publicKey, kid: thumbprint(publicKey) })),
  };
}

/**
 * The value as quoted character strings of at most 255 bytes (RFC 1035 section 3.3), as a zone file writes them
 * (section 5.1): quotes and backslashes escaped, other bytes outside printable ASCII as \DDD.
 */
export function chunkTxt(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const chunks: string[] = [];
  for (let start = 0; start === 0 || start < bytes.length; start += 255) {
    const escaped = Array.from(bytes.subarray(start, start + 255), escapeByte);
    chunks.push(`"${escaped.join("")}"`);
  }
  return chunks;
}

function escapeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '"' || character === "\\") return `\\${character}`;
  return byte >= 0x20 && byte < 0x7f ? character : `\\${String(byte).padStart(3, "0")}`;
}
