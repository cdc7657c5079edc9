/** What cookies are for, by their names as their makers document them; and how Set-Cookie fields protect them. */
import { readTable } from "../../../src/tables/read-table.ts";

export type CookieCategory = "necessary" | "functional" | "analytics" | "marketing" | "unknown";

interface Rule {
  name: string;
  prefix: boolean;
  category: CookieCategory;
}

const EXACT = new Map<string, CookieCategory>();
const PREFIXES: Rule[] = [];
const table = readTable("cookies");
for (const category of ["necessary", "functional", "analytics", "marketing"] as const)
  for (const name of table[category])
    if (name.endsWith("*")) PREFIXES.push({ name: name.slice(0, -1), prefix: true, category });
    else EXACT.set(name, category);
// The longest prefix says most.
PREFIXES.sort((a, b) => b.name.length - a.name.length);

/** Names that are made anew on each host: Joomla's (an MD5), Drupal's, WordPress's, phpBB's and Nextcloud's sessions. */
const MADE_NAMES =
  /^(?:S?SESS)?[0-9a-f]{32}$|^S?SESS[0-9a-f]{16,64}$|^phpbb3?_\w{1,40}_(?:sid|k|u)$|^oc[a-z0-9]{10}$/;

/** `_shop_session`, `my_shop_session`, `shop.sid`, `enwikiSession`: sessions that are named by the application, and log-ins. */
const OWN_SESSION =
  /^[\w.:-]{0,60}(?:(?:^|[_.:-])(?:sess(?:ion)?(?:[_.-]?id)?|sid|(?:auth|access|refresh)[_-]?token)|[a-z]Session(?:I[dD])?)$/i;
/** `shop_lang`, `prefLocale`: the language that was chosen. */
const OWN_LANGUAGE =
  /(?:^|[_.-]|[a-z](?=[LI]))(?:[Ll]ang(?:uage)?|LANG(?:UAGE)?|[Ll]ocale|LOCALE|i18n)(?:[_.-](?:code|id))?$/;
const DAY_SECONDS = 86_400;

export interface Cookie {
  name: string;
  category: CookieCategory;
  secure: boolean;
  httpOnly: boolean;
  sameSite: "Strict" | "Lax" | "None" | "invalid" | null;
  /** Names a session of a log-in or basket. */
  session: boolean;
  antiCsrf: boolean;
  domain: string | null;
  maxAgeSeconds: number | null;
}

const SESSION_NAME = /sess|^sid$|auth|^jsessionid|phpsessid|connect\.sid|login/i;
const CSRF_NAME = /csrf|xsrf|anticsrf/i;

/** The pair and the attributes that are read; there are nine kinds. */
const MAX_PARTS = 33;

/** One Set-Cookie field value (RFC 6265 section 4.1), undefined when it holds no name. */
export function parseSetCookie(field: string, now: number): Cookie | undefined {
  const [pair = "", ...parts] = field.slice(0, 4_096).split(";", MAX_PARTS);
  const equals = pair.indexOf("=");
  const name = pair.slice(0, equals === -1 ? 0 : equals).trim();
  if (name === "") return undefined;
  const attributes = new Map<string, string>();
  for (const part of parts) {
    const [key = "", value = ""] = part.split(/=(.*)/s, 2);
    attributes.set(key.trim().toLowerCase(), value.trim());
  }
  const maxAge = Number(attributes.get("max-age"));
  const expires = Date.parse(attributes.get("expires") ?? "");
  const lives =
    attributes.has("max-age") && Number.isFinite(maxAge)
      ? maxAge
      : Number.isFinite(expires)
        ? Math.round((expires - now) / 1_000)
        : null;
  const antiCsrf = CSRF_NAME.test(name);
  const httpOnly = attributes.has("httponly");
  const byName = categoryOf(name);
  // What follows visitors is set and read by scripts: a session that none can read, and that ends with the day, is the server's.
  const isOwnSession =
    byName === "unknown" && httpOnly && (lives ?? 0) <= DAY_SECONDS && OWN_SESSION.test(name.slice(0, 128));
  return {
    name: name.slice(0, 128),
    category: isOwnSession ? "necessary" : byName,
    secure: attributes.has("secure"),
    httpOnly,
    sameSite: sameSiteOf(attributes.get("samesite")),
    session: SESSION_NAME.test(name) && !antiCsrf,
    antiCsrf,
    domain: attributes.get("domain") ?? null,
    maxAgeSeconds: lives,
  };
}

/** @param name as it stands in Set-Cookie */
export const categoryOf = (name: string): CookieCategory =>
  EXACT.get(name) ??
  PREFIXES.find((rule) => name.startsWith(rule.name))?.category ??
  (MADE_NAMES.test(name) ? "necessary" : OWN_LANGUAGE.test(name.slice(-40)) ? "functional" : "unknown");

function sameSiteOf(value: string | undefined): Cookie["sameSite"] {
  if (value === undefined) return null;
  const found = (["Strict", "Lax", "None"] as const).find((one) => one.toLowerCase() === value.toLowerCase());
  return found ?? "invalid";
}
