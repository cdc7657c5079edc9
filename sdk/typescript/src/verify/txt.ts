/** The TXT records of a domain (docs/trust.md): keys and origin, from DNS alone. */
import { VerificationError } from "../errors.ts";
import { type Bytes, fromBase64Url } from "./bytes.ts";
import { isUsableKey, thumbprint } from "./ed25519.ts";

export interface DomainKey {
  kid: string;
  key: Bytes;
}
export interface TxtKeys {
  keys: DomainKey[];
  /** Origin that serves the document. */
  origin: string;
}

const MAX_KEYS = 4;
const MAX_RECORDS = 16;
const MAX_RECORD_LENGTH = 1_024;
const MAX_ENDPOINT_LENGTH = 512;

/** Keys and origin of a domain by all its records. @throws VerificationError at step `txt` */
export async function keysOf(texts: readonly string[], domain: string): Promise<TxtKeys> {
  if (texts.length > MAX_RECORDS) return refuse(`${texts.length} records, at most ${MAX_KEYS} valid`);
  const records = texts.map(recordOf).filter((record) => record !== undefined);
  const active = records.filter((record) => record.key !== null);
  if (active.length === 0)
    return refuse(records.length > 0 ? "the key is revoked" : `no record of this kind at _bridge.${domain}`);
  if (active.length > MAX_KEYS) return refuse(`${active.length} valid records, at most ${MAX_KEYS}`);
  const [origin, ...others] = new Set(active.map((record) => record.origin!));
  if (others.length > 0) return refuse(`endpoints disagree: ${origin}, ${others.join(", ")}`);
  const { hostname } = new URL(origin!);
  if (hostname !== domain && !hostname.endsWith(`.${domain}`))
    return refuse(`endpoint ${hostname} is not ${domain} or below it`);
  const keys = await Promise.all(active.map(async ({ key }) => ({ key: key!, kid: await thumbprint(key!) })));
  return { keys, origin: origin! };
}

function refuse(message: string): never {
  throw new VerificationError("txt", message);
}

/** A record's key and origin; `key` null where it is revoked; undefined where it is none of ours, or discarded. */
function recordOf(text: string): { key: Bytes | null; origin: string | null } | undefined {
  const tags = tagsOf(text);
  if (!tags) return undefined;
  const version = tags.get("v");
  if (version !== undefined && (version !== "BRIDGE1" || tags.keys().next().value !== "v")) return undefined;
  const [written, endpoint] = [tags.get("pk"), tags.get("endpoint")];
  if (written === undefined || (tags.get("k") ?? "ed25519") !== "ed25519") return undefined;
  const origin = endpoint === undefined ? null : originOf(endpoint);
  if (origin === undefined) return undefined;
  if (written === "") return { key: null, origin };
  const key = fromBase64Url(written);
  return key && isUsableKey(key) && origin !== null ? { key, origin } : undefined;
}

/** Tags of a record; undefined where it is not written as one. */
function tagsOf(text: string): Map<string, string> | undefined {
  if (text.length > MAX_RECORD_LENGTH) return undefined;
  const tags = new Map<string, string>();
  const specs = text.split(";");
  if (specs.length > 1 && specs.at(-1)!.trim() === "") specs.pop();
  for (const spec of specs) {
    const equals = spec.indexOf("=");
    const name = spec.slice(0, Math.max(equals, 0)).trim();
    const value = spec.slice(equals + 1).trim();
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || !/^[\x20-\x3a\x3c-\x7e\t]*$/.test(value)) return undefined;
    if (tags.has(name)) return undefined;
    tags.set(name, value);
  }
  return tags;
}

function originOf(text: string): string | undefined {
  if (text.length > MAX_ENDPOINT_LENGTH || !/^https:\/\/[^\s\\?#]+$/i.test(text)) return undefined;
  try {
    const url = new URL(text);
    return url.username === "" && url.password === "" ? url.origin : undefined;
  } catch {
    return undefined;
  }
}
