/**
 * A look at what a host publishes for agents: robots.txt, its front page, records in DNS, descriptors that are known or named, and
 * well-known paths by their yield; then its MCP endpoints are spoken to. In the turn of one visit, within a budget; never throws for what a host does.
 */
import { extname } from "node:path/posix";
import {
  type AgentPresence,
  type AgentService,
  type Descriptor,
  type DescriptorFinding,
  MAX_DESCRIPTOR_FINDINGS,
} from "../../schemas/agent-web.ts";
import { isSameSite, registrableDomain } from "../domain/names/domain-name.ts";
import { forbidsSearch } from "../egress/robots.ts";
import { type KnownRobots, robotsAllow, robotsOf } from "../egress/site-robots.ts";
import type { FetchResult } from "../ports/http.ts";
import { DAY_MS, iso } from "../ports/time.ts";
import { answerOf, canaryPath } from "./answer.ts";
import { withComparedClaims } from "./claims-compared.ts";
import { digestFindings } from "./digests.ts";
import type { Format, NamedDocument, Reading } from "./formats/format.ts";
import { JSON_LD } from "./formats/json-ld.ts";
import { formatNamed, formatOf, formatOfRelation, formatOfType, WELL_KNOWN_PATHS } from "./formats/table.ts";
import type { Described, LookAsked } from "./look-asked.ts";
import { type NamedAddress, namedInLinkField, namedInRobots } from "./named-addresses.ts";
import { type PresenceLook, presenceAfter } from "./presence.ts";
import type { SeenService, SentReply } from "./reading.ts";
import { type AskedRecords, askRecords, isOfRecords } from "./records/ask.ts";
import { askServices } from "./services.ts";
import { signatureOf } from "./signatures.ts";

/** New paths that are asked for on a first visit, and on a later one. */
const NEW_PATHS_FIRST = 12;
const NEW_PATHS_LATER = 4;
/** Addresses that something named, of one visit. */
const MAX_NAMED = 12;
/** After this long nothing more is asked for: a host that drips holds no worker. */
const MAX_LOOK_MS = 90_000;
/** As many failures in a row end the look. */
const MAX_FAILURES = 2;
const DOCUMENT_BYTES = 2 * 1024 * 1024;
/** Of descriptors, whatever their format. */
const ACCEPT = "application/json, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.5";
const CANARY_BYTES = 256 * 1024;
/** A document that is present is read again after half of the time that it stood unchanged, within these bounds. */
const MIN_AGE_MS = DAY_MS;
const MAX_AGE_MS = 14 * DAY_MS;

/** An address to ask for. */
interface Candidate {
  url: URL;
  found_by: Descriptor["found_by"];
  named_by: Descriptor["named_by"];
  format: Format;
}

/** A document that a look asked for, or kept from the last one since it is not due again. */
export type AskedDocument = Pick<Descriptor, "format" | "answer">;

/** The record of a host after a look, and all that it was asked for: of what is absent the record keeps no document. */
export interface SeenAround {
  presence: AgentPresence;
  asked: AskedDocument[];
}

/**
 * Looks at what `host` publishes.
 * @returns what it saw; "closed" where robots.txt or a header field does not let it be searched; undefined where nothing
 *   was learned
 */
export async function lookAround(asked: LookAsked): Promise<SeenAround | "closed" | undefined> {
  const { visit, host, httpsPort, robotsToken, previous, now } = asked;
  const origin = new URL(`https://${host}:${httpsPort}/`);
  const robots = await robotsOf(visit, origin.origin, robotsToken);
  if (!robots.read) return undefined;
  if (!robots.rules.maySearch("/", robotsToken)) return "closed";
  const around = new Around(asked, robots, origin);
  const records = askRecords(asked.resolver, host, (owner) => isAbsentNow(asked, owner), now);
  const named = await around.front();
  if (named === "closed") return "closed";
  around.records(await records);
  await around.known();
  for (const each of [...namedInRobots(robots.rules.agentmaps, origin), ...named].slice(0, MAX_NAMED))
    await around.named(each);
  await around.pointed();
  await around.wellKnown();
  await around.pointed();
  const { platform } = around;
  const { described } = around;
  const { services, versions, cut } = await askServices(asked, described, platform, robots);
  // What an interrupted look saw is not what the host is.
  if (visit.interruption || asked.isOver() || around.isEmpty) return undefined;
  const compared = { host, services, versions, recordOf: asked.recordOf };
  const descriptors = await withComparedClaims(around.descriptors, described, compared);
  const look = { platform, descriptors, services, cut: { descriptors: 0, tools: cut } };
  return {
    presence: presenceAfter(previous, host, look, now()),
    asked: descriptors.map(({ format, answer }) => ({ format, answer })),
  };
}

/** What is read with no request of its own. */
interface Beside {
  read: Omit<Reading, "services"> & { services: SeenService[] };
  sha256: string;
  dnssec?: Descriptor["dnssec"];
}

/** One look under way. */
class Around {
  platform: string | null;
  readonly descriptors: PresenceLook["descriptors"] = [];
  readonly described: Described[] = [];
  readonly #asked: LookAsked;
  readonly #robots: KnownRobots;
  readonly #origin: URL;
  readonly #beganMs: number;
  /** Replies for random names, by folder and ending. */
  readonly #canaries = new Map<string, FetchResult | undefined>();
  readonly #seen = new Set<string>();
  /** Documents that were named by a document of this look. */
  readonly #pointed: (NamedDocument & { catalog: string; found_by: Descriptor["found_by"] })[] = [];
  #followed = 0;
  #failures = 0;
  #answers = 0;

  constructor(asked: LookAsked, robots: KnownRobots, origin: URL) {
    this.#asked = asked;
    this.#robots = robots;
    this.#origin = origin;
    this.#beganMs = asked.now();
    this.platform = asked.previous?.platform ?? null;
  }

  /** Nothing answered. */
  get isEmpty(): boolean {
    return this.#answers === 0;
  }

  /** The front page: what it names in Link fields and elements, and the platform's marks. */
  async front(): Promise<NamedAddress[] | "closed"> {
    const reply = await this.#fetch(this.#origin, "text/html,application/xhtml+xml", DOCUMENT_BYTES, 3);
    if (!reply?.ok || reply.status !== 200)
      for (const each of this.#asked.previous?.descriptors ?? [])
        if (each.format === JSON_LD) this.#keep(each, this.#asked.previous?.services ?? []);
    if (!reply?.ok) return [];
    const { headers, body, url } = reply;
    if (closesSearch(headers)) return "closed";
    const contentType = headers["content-type"] ?? "";
    const seen = await this.#asked.reading.frontPage({ url: url.href, contentType, headers, body });
    this.platform = seen?.platform ?? this.platform;
    if (seen?.linked && reply.status === 200) this.#describe(JSON_LD, url.href, "html", seen.linked);
    return [...namedInLinkField(headers.link ?? "", url), ...(seen?.named ?? [])];
  }

  /** What DNS says of the host. What was not answered is as it was. */
  records(asked: readonly AskedRecords[]): void {
    const { previous } = this.#asked;
    for (const each of asked) {
      const { format, url } = each;
      const base = emptyDescriptor(format, url, "dns", null, this.#asked.now());
      const before = previous?.descriptors.find((descriptor) => descriptor.url === url);
      if (each.outcome === "absent") this.descriptors.push({ ...base, answer: "absent" });
      else if (each.outcome === "read") this.#describe(format, url, "dns", each);
      else if (before && each.isBogus)
        this.descriptors.push({ ...base, answer: "error", dnssec: "bogus", findings: [BOGUS] });
      else if (before) this.#keep(before, previous?.services ?? []);
    }
  }

  /** What stands beside documents: records in DNS, and the front page's JSON-LD. */
  #describe(
    format: string,
    url: string,
    found_by: Descriptor["found_by"],
    { read, sha256, dnssec }: Beside,
  ): void {
    const { revision, conforms, usable, services, documents = [] } = read;
    const own = Map.groupBy(documents, (each) => isSameSite(hostOf(each.url), this.#asked.host));
    const findings = [...(own.get(false) ?? []).map(othersDocument), ...read.findings];
    this.descriptors.push({
      ...emptyDescriptor(format, url, found_by, null, this.#asked.now()),
      answer: "present",
      revision,
      conforms,
      usable,
      findings: findings.slice(0, MAX_DESCRIPTOR_FINDINGS),
      ...(dnssec && { dnssec }),
      sha256,
    });
    this.described.push({ descriptor: url, services, isKept: false });
    for (const document of own.get(true) ?? []) this.#pointed.push({ ...document, catalog: url, found_by });
  }

  /** Descriptors of the last look that are due again; the others stay as they were. */
  async known(): Promise<void> {
    const { previous, now } = this.#asked;
    for (const descriptor of previous?.descriptors ?? []) {
      const format = formatNamed(descriptor.format);
      const url = URL.parse(descriptor.url);
      if (!format || !url || isOfRecords(descriptor.url)) continue;
      const { found_by, named_by } = descriptor;
      if (isDue(descriptor, now())) await this.#ask({ url, found_by, named_by, format });
      else this.#keep(descriptor, previous?.services ?? []);
    }
  }

  /** @param catalog that names it */
  async named({ url, rel, type, found_by }: NamedAddress, catalog: string | null = null): Promise<void> {
    const target = URL.parse(url);
    // What points elsewhere is that one's to publish.
    if (!target || !isSameSite(target.hostname, this.#asked.host)) return;
    const format = formatOf(target.pathname) ?? formatOfType(type) ?? formatOfRelation(rel);
    if (format) await this.#ask({ url: target, found_by, named_by: catalog, format });
  }

  /** Documents that catalogs and records of this host name; what a catalog's name in turn is for another visit. */
  async pointed(): Promise<void> {
    for (const { url, type, rel = "", catalog, found_by } of this.#pointed.splice(0)) {
      if (this.#followed >= MAX_NAMED) return;
      this.#followed++;
      await this.named({ url, rel, type, found_by }, catalog);
    }
  }

  async wellKnown(): Promise<void> {
    const { previous } = this.#asked;
    const left = WELL_KNOWN_PATHS.filter(
      ({ path }) => !isAbsentNow(this.#asked, path) && !this.#seen.has(this.#at(path).href),
    );
    for (const { path, format } of left.slice(0, previous ? NEW_PATHS_LATER : NEW_PATHS_FIRST))
      await this.#ask({ url: this.#at(path), found_by: "well_known", named_by: null, format });
  }

  #at(path: string): URL {
    return new URL(path, this.#origin);
  }

  /** What was not asked for again is as it was. */
  #keep(descriptor: Descriptor, services: readonly AgentService[]): void {
    this.#seen.add(descriptor.url);
    this.descriptors.push(descriptor);
    const own = services.filter(({ described_by }) => described_by.includes(descriptor.url));
    if (own.length > 0) this.described.push({ descriptor: descriptor.url, services: own, isKept: true });
  }

  async #ask({ url, found_by, named_by, format }: Candidate): Promise<void> {
    if (this.#seen.has(url.href)) return;
    this.#seen.add(url.href);
    const reply = await this.#fetch(url, ACCEPT, DOCUMENT_BYTES, 0);
    if (!reply) return;
    if (reply.ok && closesSearch(reply.headers)) return;
    const base = emptyDescriptor(format.name, url.href, found_by, named_by, this.#asked.now());
    if (!reply.ok || reply.status !== 200) {
      this.descriptors.push({ ...base, answer: answerOf(reply, format, undefined) });
      return;
    }
    const canary = await this.#canaryOf(url);
    const seen = await this.#asked.reading.descriptor({
      format: format.name,
      reply: sentReply(reply),
      canary: canary?.ok ? sentReply(canary) : undefined,
    });
    if (!seen) return;
    const { answer, read, by, sha256 } = seen;
    if (answer !== "present" || !read) {
      this.descriptors.push({ ...base, answer: answer === "present" ? "error" : answer });
      return;
    }
    const { revision, conforms, usable, services, names = [] } = read;
    const held = await this.#held(read);
    this.descriptors.push({
      ...base,
      answer,
      revision,
      conforms,
      usable,
      findings: [...held.findings, ...read.findings].slice(0, MAX_DESCRIPTOR_FINDINGS),
      ...(names.length > 0 && { lists: names.length }),
      ...(held.signature && { signature: held.signature }),
      sha256,
      by: by === null ? "owner" : `platform:${by}`,
    });
    this.described.push({ descriptor: url.href, services, isKept: false });
    if (found_by !== "catalog")
      for (const document of read.documents ?? [])
        this.#pointed.push({ ...document, catalog: url.href, found_by: "catalog" });
  }

  /** What a document says of files and of its signer, held against what its host serves. */
  async #held({ files = [], signed }: Pick<Reading, "files" | "signed">) {
    const { host } = this.#asked;
    const fetch = (url: URL) => this.#follow(url);
    const found = await digestFindings(files, host, fetch);
    if (!signed) return { findings: found, signature: undefined };
    const { signature, findings } = await signatureOf(signed, host, fetch);
    return { findings: [...found, ...findings], signature };
  }

  /** A file that a document of this host says something of, within the budget of what documents name. */
  async #follow(url: URL): Promise<FetchResult | undefined> {
    if (this.#followed >= MAX_NAMED) return undefined;
    this.#followed++;
    return this.#fetch(url, ACCEPT, DOCUMENT_BYTES, 0);
  }

  async #canaryOf(url: URL): Promise<FetchResult | undefined> {
    const path = canaryPath(url.pathname, this.#asked.random());
    const kind = path.slice(0, path.lastIndexOf("/") + 1) + extname(path);
    const known = this.#canaries.get(kind);
    if (known) return known;
    const reply = await this.#fetch(new URL(path, url), ACCEPT, CANARY_BYTES, 0);
    this.#canaries.set(kind, reply);
    return reply;
  }

  /** @returns undefined where the address is not asked for: by robots.txt, or since the look's budget is spent */
  async #fetch(
    url: URL,
    accept: string,
    maxBodyBytes: number,
    maxRedirects: number,
  ): Promise<FetchResult | undefined> {
    const { visit, robotsToken, now } = this.#asked;
    const isSpent = now() - this.#beganMs > MAX_LOOK_MS || this.#failures >= MAX_FAILURES;
    if (isSpent || this.#asked.isOver() || visit.interruption || visit.retryAt !== undefined)
      return undefined;
    if (!robotsAllow(this.#robots, url, robotsToken)) return undefined;
    const reply = await visit.fetch(url.href, {
      maxBodyBytes,
      truncate: true,
      maxRedirects,
      allowRedirect: (_, to) => to.origin === url.origin && robotsAllow(this.#robots, to, robotsToken),
      headers: { accept },
    });
    if (reply.ok) this.#answers++;
    this.#failures = reply.ok || reply.failure === "redirect_refused" ? 0 : this.#failures + 1;
    return reply;
  }
}

/** All but the answer. */
const emptyDescriptor = (
  format: string,
  url: string,
  found_by: Descriptor["found_by"],
  named_by: Descriptor["named_by"],
  now: number,
) => ({
  ...{ format, url, found_by, named_by },
  revision: null,
  conforms: null,
  usable: false,
  findings: [],
  sha256: null,
  by: "owner",
  seen_at: iso(now),
});

const BOGUS: DescriptorFinding = {
  rule: "dnssec_bogus",
  place: "",
  fix: "Sign the zone anew, or take its DS record away: resolvers that validate refuse these records.",
};

/** What another publishes is that one's to be found at. */
function othersDocument({ url }: NamedDocument): DescriptorFinding {
  const fix = `Serve it below this domain: what ${registrableDomain(hostOf(url))} publishes is its own.`;
  return { rule: "not_its_own", place: "", fix };
}

/** Empty: an address with placeholders. */
const hostOf = (url: string): string => URL.parse(url)?.hostname ?? "";

/** @param name a path, or an owner in DNS */
const isAbsentNow = ({ previous, now }: LookAsked, name: string): boolean =>
  Date.parse(previous?.absent[name] ?? "") > now();

const sentReply = ({ status, headers, body, truncated, url }: FetchResult & { ok: true }): SentReply => ({
  status,
  headers,
  body,
  truncated,
  url: url.href,
});

/** What may not be searched is not kept (Content-Usage and Content-Signal as header fields, X-Robots-Tag). */
const closesSearch = (headers: Record<string, string>): boolean =>
  forbidsSearch(headers["content-usage"] ?? "") || forbidsSearch(headers["content-signal"] ?? "");

function isDue({ changed_at, seen_at }: Descriptor, now: number): boolean {
  const seen = Date.parse(seen_at);
  const age = Math.min(MAX_AGE_MS, Math.max(MIN_AGE_MS, (seen - Date.parse(changed_at)) / 2));
  // A day of a schedule that moves by minutes.
  return now - seen >= age * 0.9;
}
