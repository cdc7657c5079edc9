/**
 * What must hold all the time, and what must hold once faults are over: read from the model broker itself, beside the
 * registry's own code.
 */
import { SiteRecord } from "../../schemas/site.ts";
import { bucketStream, streamConfigs } from "../../src/adapters/nats/topology.ts";
import { hostKey, keyHost } from "../../src/domain/names/domain-name.ts";
import { CLOCK_SKEW_MS } from "../../src/domain/trust/manifest.ts";
import { HOUR_MS, iso } from "../../src/ports/time.ts";
import type { ModelBroker } from "./broker/model-broker.ts";
import type { Change, Stream } from "./broker/stream.ts";
import { PREFIX } from "./crawler.ts";
import { EPOCH_MS, type World } from "./virtual-time.ts";
import type { SimulatedWeb, Site } from "./web.ts";

const FRONTIER = streamConfigs(PREFIX).frontier.name;
const SITES = bucketStream(PREFIX, "sites");

/** The hourly audit, and what it finds late. */
const LATE_MS = HOUR_MS + 20 * 60_000;
/** A listing whose manifest ran out is visited by then, and no longer listed. */
const EXPIRED_MS = 10 * 60_000;

export interface Violation {
  rule: string;
  host: string;
  atMs: number;
  detail: string;
}

/** Clocks of broker and sites differ by what a fault sets the broker's by, at most (faults.ts). */
const SKEW_MS = 60_000;

/** A host that never was anything is forgotten after some failures, one that answers too late among them; the others are for ever. */
const isForEver = ({ kind }: Site): boolean => kind !== "gone" && kind !== "away" && kind !== "late";

const recordOf = (data: Buffer): SiteRecord => SiteRecord.parse(JSON.parse(data.toString()));

export class Checks {
  readonly violations: Violation[] = [];
  readonly #world: World;
  readonly #broker: ModelBroker;
  readonly #web: SimulatedWeb;
  /** Records written. */
  visits = 0;

  constructor(world: World, broker: ModelBroker, web: SimulatedWeb) {
    this.#world = world;
    this.#broker = broker;
    this.#web = web;
    broker.onChange = (stream, change) => this.#changed(stream, change);
  }

  #fail(rule: string, host: string, detail = ""): void {
    this.violations.push({ rule, host, atMs: this.#world.now, detail });
  }

  get #stream(): Stream {
    return this.#broker.streams.get(FRONTIER)!;
  }

  #changed(stream: Stream, { kind, message }: Change): void {
    const { name } = stream.config;
    if (name !== FRONTIER && name !== SITES) return;
    this.#world.note(`${kind} ${message.subject} ${message.seq}`);
    if (name === SITES && kind === "stored" && message.data.length > 0) this.#written(recordOf(message.data));
    if (name === FRONTIER && kind === "removed") this.#tokenGone(message.subject, message.seq);
  }

  /** A host has a token at every moment; one that is due goes only after its successor came. */
  #tokenGone(subject: string, seq: number): void {
    const host = keyHost(subject.split(".").at(-2)!);
    const site = this.#web.sites.get(host);
    if (!site || !isForEver(site)) return;
    const last = this.#stream.last(`${PREFIX}.f.${hostKey(host)}.*`);
    if (!last) this.#fail("a host lost its token", host);
    else if (subject.endsWith(".due") && last.seq < seq) this.#fail("a visit was left out", host);
  }

  /** What is listed was signed when it is said to have been verified. */
  #written(record: SiteRecord): void {
    this.visits++;
    if (record.status !== "enabled") return;
    const verifiedMs = Date.parse(record.verified_at ?? "");
    const site = this.#web.sites.get(record.siteId);
    const ends = [-SKEW_MS, SKEW_MS].map((skewMs) => site?.validUntil(verifiedMs + skewMs) ?? 0);
    const until = Math.max(...ends);
    if (until < verifiedMs - CLOCK_SKEW_MS || Date.parse(record.expires_at ?? "") > until)
      this.#fail("listed without a signature", record.siteId, JSON.stringify({ until, record }));
  }

  /** What must hold when nothing has gone wrong for a while. @param allowedMs how late a visit may be by now */
  atRest(allowedMs = LATE_MS): void {
    const now = EPOCH_MS + this.#world.now;
    const tokens = new Map<string, number>();
    for (const message of this.#stream.all()) {
      const host = keyHost(message.subject.split(".").at(-2)!);
      tokens.set(host, (tokens.get(host) ?? 0) + 1);
    }
    for (const [host, count] of tokens) if (count > 1) this.#fail("a host has two tokens", host, `${count}`);
    for (const message of this.#broker.streams.get(SITES)!.all()) {
      if (message.data.length === 0) continue;
      const record = recordOf(message.data);
      const dueMs = Date.parse(record.next_visit_at);
      if (!tokens.has(record.siteId)) this.#fail("a record has no token", record.siteId);
      if (now - dueMs > allowedMs) this.#fail("a visit is late", record.siteId, iso(dueMs));
      const expiredMs = now - Date.parse(record.expires_at ?? iso(now));
      if (record.status === "enabled" && expiredMs > EXPIRED_MS + allowedMs)
        this.#fail("listed after its signature ran out", record.siteId, record.expires_at ?? "");
    }
  }

  /** What sites saw that was not polite. */
  rudeness(): void {
    for (const { rule, host, who, before, atMs, gapMs } of this.#web.rude.splice(0))
      this.violations.push({ rule, host, atMs, detail: `${who} after ${before}, ${gapMs.toFixed(3)} ms` });
  }

  /** The listed state of each host. */
  states(): Map<string, SiteRecord> {
    const records = new Map<string, SiteRecord>();
    for (const message of this.#broker.streams.get(SITES)!.all())
      if (message.data.length > 0) {
        const record = recordOf(message.data);
        records.set(record.siteId, record);
      }
    return records;
  }

  /** The crawl has come far: sites that sign are listed, what ran out is not. */
  atEnd(): void {
    const states = this.states();
    for (const site of this.#web.sites.values()) {
      const record = states.get(site.host);
      const isSteady = site.kind === "steady" || site.kind === "changing";
      if (isSteady && record?.status !== "enabled")
        this.#fail("a signed site is not listed", site.host, record?.reason ?? "no record");
    }
  }
}
