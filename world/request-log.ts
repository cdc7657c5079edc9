/** What the synthetic web saw, and the judgement of how politely it was visited. The judge is this log, never the crawler's. */
import { createWriteStream, type WriteStream } from "node:fs";

export interface RequestEntry {
  /** Monotonic milliseconds of the server: when the request's head had arrived, and when its reply had been sent. */
  startMs: number;
  /** Null while it is being answered. */
  endMs: number | null;
  host: string;
  /** The server's address that was asked. */
  ip: string;
  path: string;
  /** 0 where the connection ended without a reply. */
  status: number;
  agent: string;
  /** A page, so robots rules hold; false for robots.txt, the discovery document and the beacon. */
  page: boolean;
  /** What the site's robots.txt says of this path to anyone. */
  allowed: boolean;
  /** As the site's robots.txt asks; 0 when it does not. */
  crawlDelayMs: number;
}

export interface JudgeOptions {
  hostDelayMs: number;
  ipDelayMs: number;
  /** Allowance for the clocks and queues between both ends. Default 5. */
  toleranceMs?: number;
  /** A longer crawl-delay is taken as this. Default 60,000. */
  crawlDelayCapMs?: number;
}

export interface Offence {
  kind: "host_gap" | "ip_gap" | "host_overlap" | "ip_overlap" | "robots" | "crawl_delay";
  host: string;
  ip: string;
  path: string;
  startMs: number;
  /** Milliseconds since the end of the previous request; negative when that one was still running. */
  gapMs: number | null;
}

export interface PolitenessReport {
  requests: number;
  hosts: number;
  ips: number;
  hostGapViolations: number;
  ipGapViolations: number;
  overlappingHost: number;
  overlappingIp: number;
  robotsViolations: number;
  crawlDelayViolations: number;
  /** Null when no host (address) was asked twice. */
  minHostGapMs: number | null;
  minIpGapMs: number | null;
  /** Entries that the bounded log had to forget: what they did is not judged. */
  dropped: number;
  /** At most ten, robots first, then the shortest gaps. */
  worst: Offence[];
}

interface GapTally {
  violations: number;
  overlapping: number;
  minGapMs: number | null;
}

/** Keeps the last entries, at most `max`; to a file as JSON lines too when asked. */
export class RequestLog {
  #entries: RequestEntry[] = [];
  #dropped = 0;
  readonly #max: number;
  readonly #file: WriteStream | undefined;
  /** Strings that recur are kept once: a log of half a million entries is then some 50 MB. */
  readonly #strings = new Map<string, string>();

  constructor(options: { max?: number; file?: string | undefined } = {}) {
    this.#max = options.max ?? 500_000;
    this.#file = options.file === undefined ? undefined : createWriteStream(options.file, { flags: "a" });
    // A full disk costs the copy, not the world.
    this.#file?.on("error", () => undefined);
  }

  /** Opens an entry; call `end` with it once answered. */
  begin(entry: Omit<RequestEntry, "endMs" | "status">): RequestEntry {
    const kept: RequestEntry = {
      ...entry,
      path: this.#intern(entry.path),
      agent: this.#intern(entry.agent),
      ip: this.#intern(entry.ip),
      endMs: null,
      status: 0,
    };
    this.#entries.push(kept);
    // A quarter at once, so that the cost of moving the rest is spread.
    if (this.#entries.length > this.#max) {
      const surplus = Math.ceil(this.#max / 4);
      this.#entries.splice(0, surplus);
      this.#dropped += surplus;
    }
    return kept;
  }

  end(entry: RequestEntry, endMs: number, status: number): void {
    entry.endMs = endMs;
    entry.status = status;
    // Lines that a slow disk has not taken are bounded: beyond 8 MiB they are left out.
    if (this.#file !== undefined && this.#file.writableLength < 8_388_608) {
      this.#file.write(`${JSON.stringify(entry)}\n`);
    }
  }

  get entries(): readonly RequestEntry[] {
    return this.#entries;
  }

  judge(options: JudgeOptions): PolitenessReport {
    return judgePoliteness(this.#entries, options, this.#dropped);
  }

  clear(): void {
    this.#entries = [];
    this.#dropped = 0;
  }

  /** Resolves when the file has everything. */
  close(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      file.once("close", resolve);
      file.end();
    });
  }

  #intern(text: string): string {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    if (this.#strings.size < 50_000) this.#strings.set(text, text);
    return text;
  }
}

/**
 * Judges entries in the order of their start. A gap runs from the latest end of all earlier requests of the same host
 * (or address) to this one's start; a request that begins before that end is an overlap and also a gap violation.
 */
export function judgePoliteness(
  entries: readonly RequestEntry[],
  options: JudgeOptions,
  dropped = 0,
): PolitenessReport {
  const tolerance = options.toleranceMs ?? 5;
  const cap = options.crawlDelayCapMs ?? 60_000;
  const byHost: GapTally = { violations: 0, overlapping: 0, minGapMs: null };
  const byIp: GapTally = { violations: 0, overlapping: 0, minGapMs: null };
  const hostEnds = new Map<string, number>();
  const ipEnds = new Map<string, number>();
  const offences: Offence[] = [];
  let robotsViolations = 0;
  let crawlDelayViolations = 0;
  const note = (kind: Offence["kind"], entry: RequestEntry, gapMs: number | null): void => {
    const { host, ip, path, startMs } = entry;
    offences.push({ kind, host, ip, path, startMs, gapMs });
  };
  const weigh = (
    tally: GapTally,
    entry: RequestEntry,
    gapMs: number | null,
    delayMs: number,
    what: "host" | "ip",
  ) => {
    if (gapMs === null) return;
    const overlaps = gapMs < -tolerance;
    if (overlaps) tally.overlapping += 1;
    if (!overlaps && gapMs >= delayMs - tolerance) return;
    tally.violations += 1;
    note(`${what}_${overlaps ? "overlap" : "gap"}`, entry, gapMs);
  };
  for (const entry of [...entries].sort((a, b) => a.startMs - b.startMs)) {
    const hostGapMs = measure(byHost, hostEnds, entry.host, entry);
    const ipGapMs = measure(byIp, ipEnds, entry.ip, entry);
    weigh(byHost, entry, hostGapMs, options.hostDelayMs, "host");
    weigh(byIp, entry, ipGapMs, options.ipDelayMs, "ip");
    if (!entry.page) continue;
    if (!entry.allowed) {
      robotsViolations += 1;
      note("robots", entry, hostGapMs);
    }
    if (hostGapMs !== null && hostGapMs < Math.min(cap, entry.crawlDelayMs) - tolerance) {
      crawlDelayViolations += 1;
      note("crawl_delay", entry, hostGapMs);
    }
  }
  const rank = (offence: Offence): number =>
    offence.kind === "robots" ? Number.NEGATIVE_INFINITY : (offence.gapMs ?? 0);
  return {
    requests: entries.length,
    hosts: hostEnds.size,
    ips: ipEnds.size,
    hostGapViolations: byHost.violations,
    ipGapViolations: byIp.violations,
    overlappingHost: byHost.overlapping,
    overlappingIp: byIp.overlapping,
    robotsViolations,
    crawlDelayViolations,
    minHostGapMs: byHost.minGapMs,
    minIpGapMs: byIp.minGapMs,
    dropped,
    worst: offences.sort((a, b) => Math.sign(rank(a) - rank(b)) || a.startMs - b.startMs).slice(0, 10),
  };
}

/** Notes an entry under a host (or address). @returns the gap since the latest end before it; null: it is the first */
function measure(
  tally: GapTally,
  ends: Map<string, number>,
  key: string,
  entry: RequestEntry,
): number | null {
  const before = ends.get(key);
  const end = entry.endMs ?? Number.POSITIVE_INFINITY;
  ends.set(key, before === undefined ? end : Math.max(before, end));
  if (before === undefined) return null;
  const gapMs = entry.startMs - before;
  tally.minGapMs = tally.minGapMs === null ? gapMs : Math.min(tally.minGapMs, gapMs);
  return gapMs;
}
