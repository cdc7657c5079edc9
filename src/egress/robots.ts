/**
 * robots.txt by RFC 9309, with Crawl-delay, which the RFC leaves out and operators use.
 *
 * Written here because robots-parser 3.0.1 compares without decoding (`/%62` is not `/b`), keeps /robots.txt itself away, lets
 * a Sitemap line end a list of user agents, and needs 1 to 2 s to decide one long path by half a mebibyte of hostile
 * rules (this: under 0.1 s, and each further path in 10 ms).
 */

import { DAY_MS } from "../ports/time.ts";

/** RFC 9309 section 2.5 asks for at least 500 KiB; UTF-16 units, so never fewer bytes than that. */
const MAX_TEXT = 512 * 1024;
/** Longest path looked up, characters after encoding. Longer ones are taken as disallowed where any rule applies. */
const MAX_PATH = 2_048;
const MAX_SITEMAPS = 1_000;
const MAX_CRAWL_DELAY_MS = DAY_MS;

export interface Robots {
  /**
   * Whether the crawler whose product token is `token` may fetch `path` (path and query as in the URL, beginning with "/").
   */
  allows(path: string, token: string): boolean;
  /** The delay that the site asks of this crawler, at most a day; undefined when it asks for none. */
  crawlDelayMs(token: string): number | undefined;
  /**
   * Whether the site lets this crawler's readers search what is at `path`: `Content-Signal: search=no` and `Content-Usage: search=n`
   * (draft-ietf-aipref-attach) forbid it, whatever another line says.
   */
  maySearch(path: string, token: string): boolean;
  /** Addresses as written, at most 1,000. They belong to no group. */
  readonly sitemaps: readonly string[];
  /** Values of `Agentmap:` as written, at most 1,000: where agents find what they can use. They belong to no group. */
  readonly agentmaps: readonly string[];
}

/** A list of user agents and the lines below it, kept once: a copy for each agent would be a product of the two. */
interface Section {
  agents: number;
  /** Normalized pattern → allowed. A pattern given both ways is allowed (section 2.2.2). */
  patterns: Map<string, boolean>;
  /** There was a rule that only a path longer than those looked up could match. */
  hasLonger: boolean;
  /** Each is for the agents that were named before it. */
  delays: { agents: number; delayMs: number }[];
  /** Beginnings of paths whose content is not to be searched; each is for the agents that were named before it. */
  unsearched: { agents: number; path: string }[];
}

/** What is said to one product token. */
interface Group {
  /** Sections that name it, each once, and its first place among their agents. */
  sections: { section: Section; place: number }[];
  /** The patterns of all of them compiled, longest first; made when first asked for. */
  rules: Rule[] | undefined;
  hasLonger: boolean;
}

interface Rule {
  allow: boolean;
  /** What stands before the first `*`. */
  first: string;
  /** What stands between two `*`s. */
  middle: readonly string[];
  /** What stands behind the last `*`; undefined without one. */
  last: string | undefined;
  /** Whether the pattern ended in `$`. */
  anchored: boolean;
}

/**
 * Finds the parts of rules in one path. Rules that nearly match are what takes long, 40,000 of them in one file: a part
 * with three characters in a row that stand nowhere in the path is not looked for, and one that was found is not again.
 */
class Finder {
  readonly path: string;
  readonly #found = new Map<string, { from: number; at: number }>();
  #triples: Set<number> | undefined;
  /** Parts looked for. */
  #asked = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Index of the first place of `part` that does not begin before `from`, or -1. */
  find(part: string, from: number): number {
    // Preparing costs more than it saves where few parts are looked for; a part of one character is found at once.
    if (part.length < 2 || ++this.#asked <= UNPREPARED) return this.path.indexOf(part, from);
    const known = this.#found.get(part);
    if (known && known.from <= from && (from <= known.at || known.at === -1)) return known.at;
    if (known === undefined && !this.#couldHold(part)) return -1;
    const at = this.path.indexOf(part, from);
    this.#found.set(part, { from, at });
    return at;
  }

  #couldHold(part: string): boolean {
    this.#triples ??= triplesOf(this.path);
    for (let at = 2; at < part.length; at++) if (!this.#triples.has(tripleAt(part, at))) return false;
    return true;
  }
}

const UNPREPARED = 200;

/** The three characters that end at `at` as one number: all are ASCII after normalizing. */
const tripleAt = (text: string, at: number): number =>
  (text.charCodeAt(at - 2) << 14) | (text.charCodeAt(at - 1) << 7) | text.charCodeAt(at);

const UNRESERVED = /[A-Za-z0-9._~-]/;
/** What is written otherwise: each octet that is encoded, each ASCII character and each run of others that is not and has to be. */
const IN_PATH = /%[0-9a-fA-F]{2}|[^\x00-\x7f]+|[^A-Za-z0-9._~!&'()+,;=:@/?#[\]%-]/g;
/** The same, but for the `*`. */
const IN_PATTERN = /%[0-9a-fA-F]{2}|[^\x00-\x7f]+|[^A-Za-z0-9._~!&'()*+,;=:@/?#[\]%-]/g;

const encodeOctet = (octet: number): string => `%${octet.toString(16).toUpperCase().padStart(2, "0")}`;
/** By octet: the form of one that is encoded, and of a character that has to be. */
const DECODED = Array.from({ length: 256 }, (_, octet) => {
  const char = String.fromCharCode(octet);
  return UNRESERVED.test(char) ? char : encodeOctet(octet);
});
const ENCODED = Array.from({ length: 128 }, (_, octet) => encodeOctet(octet));

/**
 * The rules that a reply to /robots.txt means (section 2.3.1): the text of a 2xx; everything allowed for 4xx; nothing
 * allowed for 5xx, where there was no reply, and for a redirect that could not be followed to its end: section 2.3.1.2
 * leaves that to the crawler, and rules may stand there.
 */
export function parseRobots(text: string, status: number | "unreachable"): Robots {
  if (status === "unreachable" || status < 200 || status >= 500) return everything(false);
  if (status >= 400) return everything(true);
  if (status >= 300) return everything(false);

  const groups = new Map<string, Group>();
  const sitemaps: string[] = [];
  const agentmaps: string[] = [];
  let current: Section | undefined;
  let inRules = false;
  for (const [key, value] of linesOf(text)) {
    if (key === "user-agent") {
      if (inRules || !current)
        current = { agents: 0, patterns: new Map(), hasLonger: false, delays: [], unsearched: [] };
      inRules = false;
      const { sections } = groupOf(groups, tokenOf(value));
      if (sections.at(-1)?.section !== current) sections.push({ section: current, place: current.agents });
      current.agents++;
    } else if (key === "allow" || key === "disallow") {
      inRules = true;
      // An empty pattern matches nothing: "Disallow:" allows everything.
      if (value !== "" && current) addRule(current, value, key === "allow");
    } else if (key === "crawl-delay") {
      // Not one of the RFC's records, so it does not end a list of user agents (section 2.2.4).
      if (current) addCrawlDelay(current, value);
    } else if (key === "content-signal" || key === "content-usage") {
      if (current) addUsage(current, value);
    } else if (key === "agentmap" && value !== "" && agentmaps.length < MAX_SITEMAPS) {
      agentmaps.push(value);
    } else if (key === "sitemap" && value !== "" && sitemaps.length < MAX_SITEMAPS) {
      sitemaps.push(value);
    }
  }
  const groupFor = (token: string) => groups.get(tokenOf(token)) ?? groups.get("*");
  return {
    allows: (path, token) => isRobotsFile(path) || allows(groupFor(token), path),
    crawlDelayMs: (token) => crawlDelayOf(groupFor(token)),
    maySearch: (path, token) => !isUnsearched(groupFor(token), path),
    sitemaps,
    agentmaps,
  };
}

function everything(allowed: boolean): Robots {
  return {
    allows: (path) => allowed || isRobotsFile(path),
    crawlDelayMs: () => undefined,
    maySearch: () => true,
    sitemaps: [],
    agentmaps: [],
  };
}

function allows(group: Group | undefined, path: string): boolean {
  if (group === undefined) return true;
  group.rules ??= compile(group);
  if (group.rules.length === 0 && !group.hasLonger) return true;
  if (path.length > MAX_PATH) return false;
  const normal = normalize(path, IN_PATH);
  if (normal.length > MAX_PATH) return false;
  const finder = new Finder(normal);
  return group.rules.find((rule) => matches(rule, finder))?.allow ?? true;
}

/** Longest pattern first, so that the first match is the one that counts; allow before disallow among equals. */
function compile(group: Group): Rule[] {
  const patterns = new Map<string, boolean>();
  for (const { section } of group.sections) {
    group.hasLonger ||= section.hasLonger;
    for (const [pattern, allow] of section.patterns)
      patterns.set(pattern, allow || patterns.get(pattern) === true);
  }
  return [...patterns]
    .sort(([a, allowA], [b, allowB]) => b.length - a.length || Number(allowB) - Number(allowA))
    .map(([pattern, allow]) => {
      const anchored = pattern.endsWith("$");
      const [first = "", ...middle] = (anchored ? pattern.slice(0, -1) : pattern).split("*");
      const last = middle.pop();
      return { allow, anchored, first, middle, last };
    });
}

/**
 * The one form that paths and patterns are compared in (section 2.2.2): unreserved characters decoded, everything outside
 * RFC 3986's sets encoded, hexadecimal digits in capitals. `*` and `$`, which mean something in patterns, are
 * encoded where they are meant as themselves.
 */
function normalize(text: string, others: RegExp): string {
  if (/^[A-Za-z0-9._~/-]*$/.test(text)) return text;
  return text.toWellFormed().replace(others, formOf);
}

function formOf(found: string): string {
  if (found.length === 3 && found.startsWith("%")) return DECODED[Number.parseInt(found.slice(1), 16)]!;
  return ENCODED[found.charCodeAt(0)] ?? encodeURIComponent(found);
}

/** Each part is taken at its first place after the one before: a `*` never has to be tried twice. */
function matches({ first, middle, last, anchored }: Rule, finder: Finder): boolean {
  const { path } = finder;
  if (last === undefined) return anchored ? path === first : path.startsWith(first);
  if (!path.startsWith(first)) return false;
  if (anchored && !path.endsWith(last)) return false;
  let at = first.length;
  for (const part of middle) {
    const found = finder.find(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return anchored ? path.length - last.length >= at : finder.find(last, at) !== -1;
}

/** Section 2.2.2: the file itself is always allowed. */
const isRobotsFile = (path: string): boolean => path === "/robots.txt" || path.startsWith("/robots.txt?");

function* linesOf(text: string): Generator<[key: string, value: string]> {
  const start = text.startsWith("\ufeff") ? 1 : 0;
  const whole = text.length - start <= MAX_TEXT;
  const lines = text.slice(start, start + MAX_TEXT).split(/\r\n|[\r\n]/);
  // What was cut in the middle of a line could mean the opposite of the line.
  if (!whole) lines.pop();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon === -1) continue;
    const comment = line.indexOf("#");
    if (comment !== -1 && comment < colon) continue;
    const value = line.slice(colon + 1, comment === -1 ? undefined : comment);
    yield [line.slice(0, colon).trim().toLowerCase(), value.trim()];
  }
}

function groupOf(groups: Map<string, Group>, token: string): Group {
  const known = groups.get(token);
  if (known !== undefined) return known;
  const group: Group = { sections: [], rules: undefined, hasLonger: false };
  groups.set(token, group);
  return group;
}

/** The product token of a User-agent line or header: "BridgeBot/1.0 (…)" is "bridgebot" (section 2.2.1). */
function tokenOf(userAgent: string): string {
  if (/^\*(?:\s|$)/.test(userAgent)) return "*";
  return /^[A-Za-z_-]*/.exec(userAgent)?.[0].toLowerCase() ?? "";
}

function addRule(section: Section, value: string, allow: boolean): void {
  const anchored = value.endsWith("$");
  const literal = (anchored ? value.slice(0, -1) : value).replace(/\*+/g, "*");
  // Normalizing makes at most one character of three, so most of these need not be normalized at all.
  const tooLong = literal.length > MAX_PATH && countLiteral(literal) > 3 * MAX_PATH;
  const normal = tooLong ? literal : normalize(literal, IN_PATTERN);
  if (tooLong || (normal.length > MAX_PATH && countLiteral(normal) > MAX_PATH)) {
    section.hasLonger = true;
    return;
  }
  const pattern = anchored ? `${normal}$` : normal;
  section.patterns.set(pattern, allow || section.patterns.get(pattern) === true);
}

/** Characters of a pattern that have to stand in a path: all but the `*`s. */
function countLiteral(pattern: string): number {
  let count = pattern.length;
  for (let at = pattern.indexOf("*"); at !== -1; at = pattern.indexOf("*", at + 1)) count--;
  return count;
}

function addCrawlDelay({ agents, delays }: Section, value: string): void {
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return;
  delays.push({ agents, delayMs: Math.min(Math.ceil(Number(value) * 1_000), MAX_CRAWL_DELAY_MS) });
}

/** What a line of usage preferences says of search: a path that it begins with is the one that it is about. */
function addUsage({ agents, unsearched }: Section, value: string): void {
  if (forbidsSearch(value) && unsearched.length < MAX_SITEMAPS)
    unsearched.push({ agents, path: /^\/\S*/.exec(value)?.[0] ?? "/" });
}

/** Of a line in robots.txt or a header field, by either vocabulary: `search=no` (Content-Signal), `search=n` (Content-Usage). */
export const forbidsSearch = (value: string): boolean =>
  /(?:^|[\s,;])search\s*=\s*no?(?:$|[\s,;])/i.test(value);

const isUnsearched = (group: Group | undefined, path: string): boolean =>
  group?.sections.some(({ section, place }) =>
    section.unsearched.some((each) => place < each.agents && path.startsWith(each.path)),
  ) ?? false;

/** The longest of those that are asked. */
function crawlDelayOf(group: Group | undefined): number | undefined {
  let longestMs: number | undefined;
  for (const { section, place } of group?.sections ?? [])
    for (const { agents, delayMs } of section.delays)
      if (place < agents) longestMs = Math.max(delayMs, longestMs ?? 0);
  return longestMs;
}

function triplesOf(path: string): Set<number> {
  const triples = new Set<number>();
  for (let at = 2; at < path.length; at++) triples.add(tripleAt(path, at));
  return triples;
}
