/** The synthetic web: one zone, one server, any number of sites, all from one seed or from a corpus. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { LRUCache } from "lru-cache";
import type { KeyPair } from "../src/domain/trust/ed25519.ts";
import { type AgentOracle, type AgentRecords, agentOracle, agentRecords } from "./agent-web/sites.ts";
import { openAuthority } from "./certificates.ts";
import type { CorpusEntry } from "./corpus.ts";
import { type DnsServer, startDnsServer, type ZoneNode } from "./dns-server.ts";
import { beaconBytes, currentKey, documentBytes, type PublishContext, txtOf } from "./document.ts";
import {
  dealKinds,
  type KindWeights,
  type Knobs,
  knobsOf,
  type Oracle,
  oracleOf,
  type SiteKind,
  settlesLater,
} from "./kinds.ts";
import { linkSites } from "./links.ts";
import { filledPage } from "./page-filler.ts";
import { pageHtml } from "./pages.ts";
import { randomFrom } from "./random.ts";
import { type JudgeOptions, type PolitenessReport, type RequestEntry, RequestLog } from "./request-log.ts";
import {
  addressOf,
  effectiveKnobs,
  makeProfile,
  makeSite,
  type Profile,
  type SiteWords,
  type SyntheticSite,
} from "./site.ts";
import { type Content, hasLoopbackNetwork, startWebServer, type WebServer } from "./web-server.ts";

const ZONE = "test";
const NAME_SERVER = /^(ns|ns[12]\.hosting-1?\d)\.test$/;
/** Built sites are kept up to this many, some 8 KiB each. */
const MAX_BUILT = 10_000;
/** Neighbouring sites have a certificate in common, as on a shared host: a TLS context a site would cost 0.4 ms each. */
const SITES_PER_CERTIFICATE = 16;

export interface WorldOptions {
  seed: number;
  /** How many, or the entries of a corpus. */
  sites: number | readonly CorpusEntry[];
  /** Sites of the agent web beside them, which know nothing of Bridge. Default 0. */
  agentSites?: number;
  /** Share of sites of kind "sound". Default 0.9; 1 for a corpus. */
  soundShare?: number;
  /** Shares of the other kinds. Default: all alike. */
  kinds?: KindWeights;
  /** Added to every answer of every site. Default 0. */
  latencyMs?: number;
  /** What sites with a Crawl-delay ask for. Default 1. */
  crawlDelaySeconds?: number;
  /** How many neighbouring sites have one address. Default 1. */
  sitesPerIp?: number;
  /** Pages have at least so many bytes, by what shops' pages are full of (page-filler.ts). Default 0. */
  pageBytes?: number;
  /** The request log as JSON lines, appended. */
  log?: string;
  /** HTTPS and DNS ports; default the system's choice. */
  port?: number;
  dnsPort?: number;
  /** Directory that keeps the certificate authority. Default: a temporary one, removed at the end. */
  home?: string;
  /** Wall clock that manifests are dated by, milliseconds. Default now: give one for the same bytes again. */
  startedAtMs?: number;
  /** TTL of records, and of their absence. Default 300 and 60. */
  ttlSeconds?: number;
  negativeTtlSeconds?: number;
}

/** A site as tests see it, with what a correct registry will say of it. */
export interface SiteSpec {
  host: string;
  name: string;
  category: string;
  kind: SiteKind;
  address: string;
  /** Words found in no other site: in its name, in its description, on its pages alone. */
  words: SiteWords;
  expected: Oracle;
  /** What it publishes for agents, of kind "agent". */
  agent: AgentOracle | null;
  /** False when first visits may fail or the site changes with time: `expected` then holds sooner or later. */
  steady: boolean;
  /** What it turns to, for those that turn; null for the others. */
  later: { afterMs: number; knobs: Partial<Knobs> } | null;
}

/** What another process needs to know to reach a world. */
export interface WorldAddresses {
  dns: { address: string; port: number };
  port: number;
  httpPort: number;
  ca: string;
  caFile: string;
  /** Every site's address lies in it. */
  network: string;
  /** False where the system answers on 127.0.0.1 alone: all sites then share it. */
  ownAddresses: boolean;
  sites: number;
}

export type SiteChange = Partial<Knobs> & { kind?: SiteKind };

export interface World extends WorldAddresses {
  readonly hosts: SiteSpec[];
  site(host: string): SiteSpec | undefined;
  /** Changes a running site: its kind's knobs first, then the others. Returns what it is now; undefined: no such. */
  set(host: string, change: SiteChange): SiteSpec | undefined;
  /** A new site of this kind, named by the seed. */
  add(kind: SiteKind): SiteSpec;
  /** The name stops to exist and the server stops to answer for it. False: no such. */
  remove(host: string): boolean;
  readonly log: RequestLog;
  judge(options: JudgeOptions): PolitenessReport;
  requests(host?: string): RequestEntry[];
  dnsQueries(): number;
  stop(): Promise<void>;
}

/** What was made for a site at a version of it. */
interface Built {
  version: number;
  key?: KeyPair;
  profile?: Profile;
  txt?: string[][];
  document?: Content;
  beacon?: Content & { links: (site: SyntheticSite) => SyntheticSite[] };
}

const contentOf = (type: string, bytes: Uint8Array): Content => ({
  type,
  bytes,
  etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
});

/** The sites by host, what is built of them, and their beacons' graph. */
class Sites {
  readonly byHost = new Map<string, SyntheticSite>();
  readonly #options: WorldOptions;
  readonly #ownAddresses: boolean;
  /** Hosts by index; those removed stay, so that no certificate changes. */
  readonly #hosts: string[] = [];
  readonly #built = new LRUCache<string, Built>({ max: MAX_BUILT });
  #publish: PublishContext | undefined;
  #agents = 0;
  #neighbours: ((site: SyntheticSite) => SyntheticSite[]) | undefined;

  constructor(options: WorldOptions, ownAddresses: boolean) {
    this.#options = options;
    this.#ownAddresses = ownAddresses;
    const entries = typeof options.sites === "number" ? undefined : options.sites;
    const count = typeof options.sites === "number" ? options.sites : options.sites.length;
    for (const [index, kind] of kindsInOrder(options, count).entries()) this.add(kind, entries?.[index]);
    for (let i = 0; i < (options.agentSites ?? 0); i++) this.add("agent");
  }

  /** To be called once the port is known. */
  open(publish: PublishContext): void {
    this.#publish = publish;
  }

  add(kind: SiteKind, entry?: CorpusEntry): SyntheticSite {
    const index = this.#hosts.length;
    const shared = Math.floor(index / Math.max(1, this.#options.sitesPerIp ?? 1));
    const address = this.#ownAddresses ? addressOf(shared) : "127.0.0.1";
    const agentIndex = kind === "agent" ? this.#agents++ : 0;
    const site = makeSite(this.#options.seed, index, {
      kind,
      address,
      entry,
      agentIndex,
      atMs: performance.now(),
    });
    this.#hosts.push(site.host);
    this.byHost.set(site.host, site);
    this.#neighbours = undefined;
    return site;
  }

  remove(host: string): boolean {
    this.#neighbours = undefined;
    this.#built.delete(host);
    return this.byHost.delete(host);
  }

  /** The site with its knobs as of now. */
  current(host: string): SyntheticSite | undefined {
    const site = this.byHost.get(host);
    if (site !== undefined) effectiveKnobs(site, performance.now());
    return site;
  }

  change(site: SyntheticSite, { kind, ...knobs }: SiteChange): void {
    if (kind !== undefined) site.kind = kind;
    site.knobs = Object.freeze({ ...(kind === undefined ? site.knobs : knobsOf(kind)), ...knobs });
    site.setAtMs = performance.now();
    site.version += 1;
    site.requests = 0;
    this.#neighbours = undefined;
  }

  /** A group that grows by an added site gets another certificate. */
  certificate(site: SyntheticSite): { id: string; names: () => readonly string[] } {
    const first = site.index - (site.index % SITES_PER_CERTIFICATE);
    const end = Math.min(first + SITES_PER_CERTIFICATE, this.#hosts.length);
    return { id: `${first}-${end}`, names: () => this.#hosts.slice(first, end) };
  }

  txt(site: SyntheticSite): string[][] {
    const built = this.#of(site);
    built.txt ??= txtOf(this.#context, site, this.#key(site));
    return built.txt;
  }

  document(site: SyntheticSite): Content | undefined {
    const built = this.#of(site);
    if (built.document === undefined) {
      const bytes = documentBytes(this.#context, site, this.#key(site));
      if (bytes === undefined) return undefined;
      built.document = contentOf("application/json; charset=utf-8", bytes);
    }
    return built.document;
  }

  /** What DNS has of a site of the agent web. @param label below its host; empty: at the host itself */
  agentRecords(site: SyntheticSite, label: string): AgentRecords | undefined {
    return site.kind === "agent"
      ? agentRecords(site.agentIndex, label, site.host, this.#context.port)
      : undefined;
  }

  beacon(site: SyntheticSite): Content {
    this.#neighbours ??= linkSites(this.#options.seed, [...this.byHost.values()]);
    const built = this.#of(site);
    // A site that came or went changes the beacons of others too.
    if (built.beacon?.links !== this.#neighbours) {
      const bytes = beaconBytes(this.#context, site, this.#neighbours(site));
      built.beacon = { ...contentOf("application/json; charset=utf-8", bytes), links: this.#neighbours };
    }
    return built.beacon;
  }

  page(site: SyntheticSite, target: string): Content | undefined {
    const built = this.#of(site);
    built.profile ??= makeProfile(this.#options.seed, site);
    const html = pageHtml(site, built.profile, target);
    return html === undefined
      ? undefined
      : contentOf("text/html; charset=utf-8", Buffer.from(filledPage(html, this.#options.pageBytes ?? 0)));
  }

  /** Deriving a key takes 0.2 ms, and a visit needs it twice. */
  #key(site: SyntheticSite): KeyPair {
    const built = this.#of(site);
    built.key ??= currentKey(this.#context, site);
    return built.key;
  }

  get #context(): PublishContext {
    if (this.#publish === undefined) throw new Error("The sites have no port yet");
    return this.#publish;
  }

  #of(site: SyntheticSite): Built {
    const known = this.#built.get(site.host);
    if (known?.version === site.version) return known;
    const fresh: Built = { version: site.version };
    this.#built.set(site.host, fresh);
    return fresh;
  }
}

/** Starts a world. Throws when a port that was asked for is taken. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const temporary = options.home === undefined ? mkdtempSync(join(tmpdir(), "bridge-world-")) : undefined;
  const ownAddresses = await hasLoopbackNetwork();
  const sites = new Sites(options, ownAddresses);
  const log = new RequestLog({ file: options.log });
  const forget = (): void => {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  };
  const started = await startServers(options, sites, log, options.home ?? temporary!, ownAddresses).catch(
    (error) => {
      forget();
      throw error;
    },
  );
  const { authority, web, dns } = started;
  let stopping: Promise<void> | undefined;
  return {
    dns: { address: dns.address, port: dns.port },
    port: web.port,
    httpPort: web.httpPort,
    ca: authority.ca,
    caFile: authority.caFile,
    network: ownAddresses ? "127.0.0.0/8" : "127.0.0.1/32",
    ownAddresses,
    sites: sites.byHost.size,
    get hosts() {
      return Array.from(sites.byHost.values(), specOf);
    },
    site: (host) => {
      const site = sites.current(host);
      return site && specOf(site);
    },
    set: (host, change) => {
      const site = sites.current(host);
      if (site === undefined) return undefined;
      sites.change(site, change);
      return specOf(site);
    },
    add: (kind) => specOf(sites.add(kind)),
    remove: (host) => sites.remove(host),
    log,
    judge: (judgeOptions) => log.judge(judgeOptions),
    requests: (host) => log.entries.filter((entry) => host === undefined || entry.host === host),
    dnsQueries: () => dns.queries(),
    stop: () => {
      stopping ??= stopAll(web, dns, log).then(forget);
      return stopping;
    },
  };
}

async function startServers(
  options: WorldOptions,
  sites: Sites,
  log: RequestLog,
  home: string,
  ownAddresses: boolean,
) {
  const startedAtMs = options.startedAtMs ?? Date.now();
  const authority = openAuthority(home, Date.now());
  const web = await startWebServer(
    {
      authority,
      certificate: (site) => sites.certificate(site),
      log,
      site: (host) => sites.current(host),
      document: (site) => sites.document(site),
      beacon: (site) => sites.beacon(site),
      page: (site, target) => sites.page(site, target),
      latencyMs: options.latencyMs ?? 0,
      crawlDelaySeconds: options.crawlDelaySeconds ?? 1,
      ...(options.port === undefined ? {} : { port: options.port }),
    },
    ownAddresses,
  );
  sites.open({ seed: options.seed, port: web.port, startedAtMs });
  try {
    const dns = await startDnsServer({
      zone: ZONE,
      lookup: (name) => nodeAt(sites, name),
      ttlSeconds: options.ttlSeconds ?? 300,
      negativeTtlSeconds: options.negativeTtlSeconds ?? 60,
      ...(options.dnsPort === undefined ? {} : { port: options.dnsPort }),
    });
    return { authority, web, dns };
  } catch (error) {
    await web.close();
    throw error;
  }
}

/** The zone's node at a name: the apex, a host, or what lies below a host. */
function nodeAt(sites: Sites, name: string): ZoneNode | undefined {
  if (name === ZONE) return { ns: [`ns.${ZONE}`] };
  if (NAME_SERVER.test(name)) return { a: ["127.0.0.1"] };
  const marked = name.startsWith("_bridge.");
  const owned = name.startsWith("_bridge-owner.");
  const connected = name.startsWith("_domainconnect.");
  const [, labels = "", host = name] = /^((?:_[a-z0-9-]+\.)+)(.+)$/.exec(name) ?? [];
  const site = sites.current(host);
  if (site === undefined || site.knobs.gone) return undefined;
  const { dns } = site.knobs;
  const common: ZoneNode = {
    ...(dns === "secure" ? { secure: true } : {}),
    ...(dns === "insecure" || dns === "secure" ? {} : { fault: dns }),
  };
  if (owned || connected) {
    const txt = site.knobs[owned ? "ownerTxt" : "domainConnect"].map((text) => [text]);
    return txt.length === 0 && common.fault === undefined ? undefined : { ...common, txt };
  }
  if (!marked) {
    const { txt = [], svcb = [] } = sites.agentRecords(site, labels.slice(0, -1)) ?? {};
    const records = { txt: txt.map((text) => [text]), svcb };
    if (labels !== "") return txt.length + svcb.length === 0 ? undefined : { ...common, ...records };
    // Twenty hosting companies: groups of unrelated sites share name servers.
    const hosting = site.index % 20;
    return {
      ...common,
      ...records,
      a: site.knobs.addresses ?? [site.address],
      ns: [`ns1.hosting-${hosting}.${ZONE}`, `ns2.hosting-${hosting}.${ZONE}`],
    };
  }
  const txt = [...sites.txt(site), ...site.knobs.moreTxt.map((text) => text.match(/[\s\S]{1,255}/g) ?? [""])];
  return txt.length === 0 && common.fault === undefined ? undefined : { ...common, txt };
}

const specOf = (site: SyntheticSite): SiteSpec => ({
  host: site.host,
  name: site.name,
  category: site.category,
  kind: site.kind,
  address: site.knobs.addresses?.[0] ?? site.address,
  words: site.words,
  expected: oracleOf(site.knobs),
  agent: site.kind === "agent" ? agentOracle(site.agentIndex) : null,
  steady: !settlesLater(site.knobs),
  later:
    site.knobs.turnsAfterMs === null || site.knobs.turnsTo === null
      ? null
      : { afterMs: site.knobs.turnsAfterMs, knobs: site.knobs.turnsTo },
});

async function stopAll(web: WebServer, dns: DnsServer, log: RequestLog): Promise<void> {
  await Promise.all([web.close(), dns.close()]);
  await log.close();
}

/** The kinds of `count` sites in their order: the unsound spread at random, by the seed. */
function kindsInOrder(options: WorldOptions, count: number): SiteKind[] {
  const soundShare = options.soundShare ?? (typeof options.sites === "number" ? 0.9 : 1);
  const kinds = new Array<SiteKind>(count).fill("sound");
  const dealt = dealKinds(Math.round(count * (1 - soundShare)), options.kinds);
  // A partial Fisher–Yates shuffle: places for the unsound, in random order, without repeats.
  const random = randomFrom(options.seed, "kinds");
  const places = Array.from({ length: count }, (_, index) => index);
  for (const [i, kind] of dealt.entries()) {
    const j = i + random.below(count - i);
    [places[i], places[j]] = [places[j]!, places[i]!];
    kinds[places[i]!] = kind;
  }
  return kinds;
}
