/**
 * Header fields scored by the published rules of the HTTP Observatory (MDN: "HTTP Observatory tests and scoring"):
 * each test's result has a modifier to 100; bonus points count only from 90 up. What was not seen is no result.
 */
import type { Cookie } from "./cookies.ts";

export interface HeaderTest {
  test:
    | "content-security-policy"
    | "cookies"
    | "cors"
    | "redirection"
    | "referrer-policy"
    | "hsts"
    | "sri"
    | "x-content-type-options"
    | "x-frame-options"
    | "corp";
  result: string;
  modifier: number;
  passed: boolean;
}

export interface HeaderScore {
  score: number;
  grade: string;
  tests: HeaderTest[];
}

/** What the page loads as scripts, by where from. */
export interface ScriptCounts {
  /** Scripts of other registrable domains, and how they are loaded. */
  external: { integrity: boolean; secure: boolean }[];
  own: number;
}

const SIX_MONTHS_SECONDS = 15_768_000;

export type Csp = ReadonlyMap<string, readonly string[]>;

const ANYWHERE = new Set(["*", "http:", "https:", "data:", "http://*", "https://*"]);

const PRIVATE_REFERRER = new Set([
  "no-referrer",
  "same-origin",
  "strict-origin",
  "strict-origin-when-cross-origin",
]);
const KNOWN_REFERRER = new Set([
  ...PRIVATE_REFERRER,
  "no-referrer-when-downgrade",
  "origin",
  "origin-when-cross-origin",
  "unsafe-url",
]);

const GRADES: readonly [number, string][] = [
  [100, "A+"],
  [90, "A"],
  [85, "A-"],
  [80, "B+"],
  [70, "B"],
  [65, "B-"],
  [60, "C+"],
  [50, "C"],
  [45, "C-"],
  [40, "D+"],
  [30, "D"],
  [25, "D-"],
  [0, "F"],
];

/**
 * @param headers lower-case names, as the final page of the address answered
 * @param scripts undefined when the page was not seen: the test is left out
 */
export function scoreHeaders(
  headers: Readonly<Record<string, string>>,
  cookies: readonly Cookie[],
  scripts: ScriptCounts | undefined,
  isHttps: boolean,
): HeaderScore {
  const cspField = headers["content-security-policy"];
  const csp = parseCsp(cspField ?? "");
  const hasHsts = isHttps && (hstsSeconds(headers["strict-transport-security"]) ?? 0) > 0;
  const nosniff = headers["x-content-type-options"];
  const tests = [
    cspTest(cspField, csp),
    cookieTest(cookies, hasHsts),
    corsTest(headers),
    referrerTest(headers["referrer-policy"]),
    hstsTest(headers["strict-transport-security"], isHttps),
    ...(scripts ? [sriTest(scripts)] : []),
    nosniff === undefined
      ? test("x-content-type-options", "x-content-type-options-not-implemented", -5)
      : /^\s*nosniff\s*$/i.test(nosniff)
        ? test("x-content-type-options", "x-content-type-options-nosniff", 0)
        : test("x-content-type-options", "x-content-type-options-header-invalid", -5),
    frameTest(headers["x-frame-options"], csp),
    corpTest(headers["cross-origin-resource-policy"]),
  ];
  const plain = 100 + tests.reduce((sum, { modifier }) => sum + Math.min(0, modifier), 0);
  const bonus = tests.reduce((sum, { modifier }) => sum + Math.max(0, modifier), 0);
  const score = Math.max(0, plain >= 90 ? plain + bonus : plain);
  return { score, grade: GRADES.find(([least]) => score >= least)![1], tests };
}

/** Directives of a Content-Security-Policy field; the first of a name counts (CSP3 section 2.2.1). */
export function parseCsp(field: string): Csp {
  const directives = new Map<string, string[]>();
  for (const part of field.split(/[;,]/)) {
    const directive = part.trim();
    const name = /^[a-z-]+(?!\S)/i.exec(directive)?.[0].toLowerCase();
    if (name === undefined || directives.has(name)) continue;
    const [, ...values] = directive.split(/\s+/);
    directives.set(
      name,
      values.map((value) => value.toLowerCase()),
    );
  }
  return directives;
}

function hstsSeconds(field: string | undefined): number | undefined {
  const found = /(?:^|;)\s*max-age\s*=\s*"?(\d{1,12})"?\s*(?:;|$)/i.exec(field ?? "");
  return found ? Number(found[1]) : undefined;
}

function cspTest(field: string | undefined, csp: Csp): HeaderTest {
  const name = "content-security-policy";
  if (field === undefined || field.trim() === "") return test(name, "csp-not-implemented", -25);
  if (csp.size === 0) return test(name, "csp-header-invalid", -25);
  const fallback = csp.get("default-src");
  const scripts = csp.get("script-src") ?? fallback ?? ["*"];
  const objects = csp.get("object-src") ?? fallback ?? ["*"];
  const styles = csp.get("style-src") ?? fallback ?? ["*"];
  const strict = scripts.includes("'strict-dynamic'");
  const broad = (sources: readonly string[]): boolean => sources.some((source) => ANYWHERE.has(source));
  if (isUnsafeInline(scripts) || (broad(scripts) && !strict) || broad(objects))
    return test(name, "csp-implemented-with-unsafe-inline", -20);
  const active = [...csp]
    .filter(([directive]) => !/^(?:img|media)-src$/.test(directive))
    .flatMap(([, sources]) => sources);
  if (active.some((source) => source.startsWith("http:") && !strict))
    return test(name, "csp-implemented-with-insecure-scheme", -20);
  if (scripts.includes("'unsafe-eval'")) return test(name, "csp-implemented-with-unsafe-eval", -10);
  const passive = [...(csp.get("img-src") ?? []), ...(csp.get("media-src") ?? [])];
  if (passive.some((source) => source.startsWith("http:")))
    return test(name, "csp-implemented-with-insecure-scheme-in-passive-content-only", -10);
  if (isUnsafeInline(styles) || broad(styles))
    return test(name, "csp-implemented-with-unsafe-inline-in-style-src-only", 0);
  if (fallback?.length === 1 && fallback[0] === "'none'")
    return test(name, "csp-implemented-with-no-unsafe-default-src-none", 10);
  return test(name, "csp-implemented-with-no-unsafe", 5);
}

const test = (name: HeaderTest["test"], result: string, modifier: number): HeaderTest => ({
  test: name,
  result,
  modifier,
  passed: modifier >= 0,
});

const isUnsafeInline = (sources: readonly string[]): boolean =>
  sources.includes("'unsafe-inline'") &&
  !sources.some((source) => /^'(?:nonce-|sha(?:256|384|512)-)/.test(source)) &&
  !sources.includes("'strict-dynamic'");

function cookieTest(cookies: readonly Cookie[], hasHsts: boolean): HeaderTest {
  const name = "cookies";
  const of = (result: string, modifier: number) => test(name, result, modifier);
  if (cookies.length === 0) return of("cookies-not-found", 0);
  const has = (fits: (cookie: Cookie) => boolean): boolean => cookies.some(fits);
  if (has(({ session, secure }) => session && !secure) && !hasHsts)
    return of("cookies-session-without-secure-flag", -40);
  if (has(({ session, httpOnly }) => session && !httpOnly))
    return of("cookies-session-without-httponly-flag", -30);
  if (has(({ sameSite }) => sameSite === "invalid")) return of("cookies-samesite-flag-invalid", -20);
  if (has(({ antiCsrf, sameSite }) => antiCsrf && sameSite === null))
    return of("cookies-anticsrf-without-samesite-flag", -20);
  if (has(({ secure }) => !secure) && !hasHsts) return of("cookies-without-secure-flag", -20);
  if (has(({ session, secure }) => session && !secure))
    return of("cookies-session-without-secure-flag-but-protected-by-hsts", -10);
  if (has(({ secure }) => !secure)) return of("cookies-without-secure-flag-but-protected-by-hsts", -5);
  if (cookies.every(({ sameSite }) => sameSite !== null))
    return of("cookies-secure-with-httponly-sessions-and-samesite", 5);
  return of("cookies-secure-with-httponly-sessions", 0);
}

function corsTest(headers: Readonly<Record<string, string>>): HeaderTest {
  const origin = headers["access-control-allow-origin"];
  if (origin === undefined) return test("cors", "cross-origin-resource-sharing-not-implemented", 0);
  const open = origin.trim() === "*";
  if (open && /true/i.test(headers["access-control-allow-credentials"] ?? ""))
    return test("cors", "cross-origin-resource-sharing-implemented-with-universal-access", -50);
  return test(
    "cors",
    open
      ? "cross-origin-resource-sharing-implemented-with-public-access"
      : "cross-origin-resource-sharing-implemented-with-restricted-access",
    0,
  );
}

function referrerTest(field: string | undefined): HeaderTest {
  const name = "referrer-policy";
  if (field === undefined) return test(name, "referrer-policy-not-implemented", 0);
  // The last value that is known counts (Referrer Policy section 8.1).
  const value = field
    .toLowerCase()
    .split(",")
    .map((one) => one.trim())
    .findLast((one) => KNOWN_REFERRER.has(one));
  if (value === undefined) return test(name, "referrer-policy-header-invalid", -5);
  if (PRIVATE_REFERRER.has(value)) return test(name, "referrer-policy-private", 5);
  return value === "no-referrer-when-downgrade"
    ? test(name, "referrer-policy-no-referrer-when-downgrade", 0)
    : test(name, "referrer-policy-unsafe", -5);
}

function hstsTest(field: string | undefined, isHttps: boolean): HeaderTest {
  if (!isHttps) return test("hsts", "hsts-not-implemented-no-https", -20);
  if (field === undefined) return test("hsts", "hsts-not-implemented", -20);
  const seconds = hstsSeconds(field);
  if (seconds === undefined) return test("hsts", "hsts-header-invalid", -20);
  return seconds >= SIX_MONTHS_SECONDS
    ? test("hsts", "hsts-implemented-max-age-at-least-six-months", 0)
    : test("hsts", "hsts-implemented-max-age-less-than-six-months", -10);
}

function sriTest({ external, own }: ScriptCounts): HeaderTest {
  if (external.length === 0)
    return own === 0
      ? test("sri", "sri-not-implemented-but-no-scripts-loaded", 0)
      : test("sri", "sri-not-implemented-but-all-scripts-loaded-from-secure-origin", 0);
  const all = external.every(({ integrity }) => integrity);
  const secure = external.every((script) => script.secure);
  if (all)
    return secure
      ? test("sri", "sri-implemented-and-external-scripts-loaded-securely", 5)
      : test("sri", "sri-implemented-but-external-scripts-not-loaded-securely", -20);
  return secure
    ? test("sri", "sri-not-implemented-but-external-scripts-loaded-securely", -5)
    : test("sri", "sri-not-implemented-and-external-scripts-not-loaded-securely", -50);
}

function frameTest(field: string | undefined, csp: Csp): HeaderTest {
  const name = "x-frame-options";
  const ancestors = csp.get("frame-ancestors");
  if (ancestors && !ancestors.some((source) => ANYWHERE.has(source)))
    return test(name, "x-frame-options-implemented-via-csp", 5);
  if (field === undefined) return test(name, "x-frame-options-not-implemented", -20);
  if (/^\s*(?:deny|sameorigin)\s*$/i.test(field)) return test(name, "x-frame-options-sameorigin-or-deny", 5);
  return /^\s*allow-from\b/i.test(field)
    ? test(name, "x-frame-options-allow-from-origin", 0)
    : test(name, "x-frame-options-header-invalid", -20);
}

function corpTest(field: string | undefined): HeaderTest {
  if (field === undefined) return test("corp", "corp-not-implemented", 0);
  const value = field.trim().toLowerCase();
  if (value === "same-origin" || value === "same-site")
    return test("corp", `corp-implemented-with-${value}`, 10);
  return value === "cross-origin"
    ? test("corp", "corp-implemented-with-cross-origin", 0)
    : test("corp", "corp-header-invalid", -5);
}
