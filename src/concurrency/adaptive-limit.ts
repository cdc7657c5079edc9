/**
 * Admission that follows what is answered in time: how much may run at once grows while answers are quick and shrinks
 * when they are slow (slow start and AIMD, as TCP; the decrease is by how slow, as in Netflix's gradient limit). A call waits only
 * where it will run soon (Little's law), and is refused at once otherwise. Holders take what is free by rotation, so that
 * one holder's flood waits for itself (docs/decisions/0134).
 */

export interface AdaptiveLimitOptions {
  /** An answer that takes longer, milliseconds, says that too much runs. Undefined: its time says nothing. */
  targetMs: number | undefined;
  /** Calls at once: never fewer, at first, never more. */
  least: number;
  first: number;
  most: number;
  /** What a round of answers adds to it. Before the first cut, each answer adds one (TCP's slow start). Default 1. */
  growth?: number;
  /** Calls that may wait. */
  maxWaiting: number;
  /** A call that would run later than this, milliseconds, is refused; one that does not run after twice as long, too. */
  patienceMs: number;
  /** Milliseconds that only go forward. */
  now?: () => number;
  /** 0 to 1, for spreading retries. */
  random?: () => number;
}

/** What became of an admitted call. "overloaded": it was refused or came to nothing for want of capacity; "other": its time says nothing. */
export type CallOutcome = "answered" | "overloaded" | "other";

/** The right to run one call, until it ends. */
export interface Pass {
  /** Called once. */
  end(outcome: CallOutcome): void;
}

/** Refused at once, or after a moment in the queue. */
export class AdmissionRefusal {
  /** When a retry has a fair chance: spread over as long as all who were refused need to be served. */
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface Waiting {
  readonly sinceMs: number;
  settle(outcome: Pass | AdmissionRefusal): void;
}

interface Holder {
  running: number;
  /** Reserved by calls that are yet to be read. */
  reserved: number;
  readonly waiting: Waiting[];
  /** Number of its last call that began: the longer ago, the sooner its next. */
  lastBegun: number;
}

/** Of the mean: what a holder may have and still be admitted where it is full. */
const FEW = 0.5;

/** A slow answer cuts the limit at least and at most to these shares. */
const [LEAST_CUT, MOST_CUT] = [0.9, 0.5];
/** Share of the newest call in the mean time of calls: at most, and of the round that runs at once. */
const NEWEST_SHARE = 0.2;
/** Looks at those who wait, in the time that they may. */
const LOOKS = 20;
const LONGEST_RETRY_SECONDS = 30;
/** Answers and refusals are half forgotten after this time. */
const MEMORY_MS = 1_000;

/** How many were answered and refused lately. */
class Pressure {
  #answered = 0;
  #refused = 0;
  #sinceMs = 0;

  note(what: "answered" | "refused", nowMs: number): void {
    const halvings = Math.floor((nowMs - this.#sinceMs) / MEMORY_MS);
    if (halvings > 0) {
      this.#answered *= 0.5 ** halvings;
      this.#refused *= 0.5 ** halvings;
      this.#sinceMs = nowMs;
    }
    if (what === "answered") this.#answered++;
    else this.#refused++;
  }

  /** Refusals for each answer. */
  get ratio(): number {
    return this.#refused / Math.max(1, this.#answered);
  }
}

export class AdaptiveLimit {
  readonly #options: Required<Omit<AdaptiveLimitOptions, "targetMs">> & { targetMs: number | undefined };
  readonly #holders = new Map<string, Holder>();
  readonly #pressure = new Pressure();
  #limit: number;
  #running = 0;
  #waiting = 0;
  #reserved = 0;
  #begun = 0;
  #lastCutAtMs = Number.NEGATIVE_INFINITY;
  /** Mean time of a call, milliseconds; 0 before the first. */
  #meanMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AdaptiveLimitOptions) {
    this.#options = { now: () => performance.now(), random: Math.random, growth: 1, ...options };
    this.#limit = options.first;
  }

  /** Calls that may run at once. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Lets a call run now, or when there is room, or refuses it.
   * @param holder who shares with the others: a network; "" where there is nobody to tell apart
   */
  admit(holder: string): Pass | AdmissionRefusal | Promise<Pass | AdmissionRefusal> {
    const nowMs = this.#options.now();
    const own = this.#holderOf(holder);
    if (this.#waiting === 0 && this.#running < this.limit) return this.#start(own, holder, nowMs);
    if (this.#isFullFor(own)) {
      this.#forgetIdle(holder, own);
      return this.#refused(nowMs);
    }
    if (this.#isFull()) this.#putOut(nowMs);
    const { promise, resolve } = Promise.withResolvers<Pass | AdmissionRefusal>();
    own.waiting.push({ sinceMs: nowMs, settle: resolve });
    this.#waiting++;
    this.#watch();
    return promise;
  }

  /**
   * Reserves for a call that is yet to be read, or refuses it as `admit` would: before anything is spent on reading it. What is
   * reserved counts as waiting, else all that come in the time of reading one would find the same room.
   * @returns to be called when it is read, before `admit`, or has gone; once more does nothing
   */
  reserve(holder: string): AdmissionRefusal | (() => void) {
    const own = this.#holderOf(holder);
    if (this.#isFullToReserve(own)) {
      this.#forgetIdle(holder, own);
      return this.#refused(this.#options.now());
    }
    own.reserved++;
    this.#reserved++;
    let isUnderWay = true;
    return () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      own.reserved--;
      this.#reserved--;
      this.#forgetIdle(holder, own);
    };
  }

  #forgetIdle(name: string, { running, reserved, waiting }: Holder): void {
    if (running === 0 && reserved === 0 && waiting.length === 0) this.#holders.delete(name);
  }

  /** Calls that would run before one more: those that wait, and what is reserved beyond the free places. */
  #ahead(): number {
    const free = Math.max(0, this.limit - this.#running);
    return Math.max(0, this.#waiting + this.#reserved - free);
  }

  /** Whether one more would wait too long. */
  #isFull(): boolean {
    const { maxWaiting, patienceMs } = this.#options;
    const ahead = this.#ahead();
    return ahead >= maxWaiting || (ahead * this.#meanMs) / this.limit > patienceMs;
  }

  #heaviest(): Holder | undefined {
    let heaviest: Holder | undefined;
    for (const holder of this.#holders.values())
      if (holder.waiting.length > (heaviest?.waiting.length ?? 0)) heaviest = holder;
    return heaviest;
  }

  /** A holder with fewer calls waiting takes the place of one who has more. */
  #isFullFor(own: Holder): boolean {
    return this.#isFull() && own.waiting.length + 1 >= (this.#heaviest()?.waiting.length ?? 0);
  }

  /** Nobody is put out before a call is read: who has none here is admitted, and who has few. */
  #isFullToReserve(own: Holder): boolean {
    if (this.#ahead() === 0 || !this.#isFull()) return false;
    const mean = (this.#waiting + this.#reserved) / this.#holders.size;
    const here = own.waiting.length + own.reserved;
    return here + 1 > mean * FEW && (here > 0 || this.#isFullFor(own));
  }

  /** Refuses the newest of whoever has most waiting: it waited least. */
  #putOut(nowMs: number): void {
    const last = this.#heaviest()?.waiting.pop();
    if (last === undefined) return;
    this.#waiting--;
    last.settle(this.#refused(nowMs));
  }

  #holderOf(name: string): Holder {
    let holder = this.#holders.get(name);
    if (holder === undefined) {
      holder = { running: 0, reserved: 0, waiting: [], lastBegun: 0 };
      this.#holders.set(name, holder);
    }
    return holder;
  }

  #start(holder: Holder, name: string, startedMs: number): Pass {
    holder.running++;
    holder.lastBegun = ++this.#begun;
    const atOnce = ++this.#running;
    return {
      end: (outcome) => {
        holder.running--;
        this.#running--;
        this.#forgetIdle(name, holder);
        this.#learn(startedMs, atOnce, outcome);
        this.#next();
      },
    };
  }

  /** @param atOnce calls that ran when it began, itself included */
  #learn(startedMs: number, atOnce: number, outcome: CallOutcome): void {
    const { now, targetMs, least, most, growth } = this.#options;
    const nowMs = now();
    const tookMs = nowMs - startedMs;
    // What was refused further on came back sooner than an answer would.
    if (outcome === "answered" || (outcome === "overloaded" && tookMs > this.#meanMs)) {
      const share = this.#meanMs === 0 ? 1 : Math.min(NEWEST_SHARE, 1 / this.limit);
      this.#meanMs += (tookMs - this.#meanMs) * share;
    }
    const isSlow = targetMs !== undefined && tookMs > targetMs;
    if (outcome === "overloaded" || isSlow) {
      // What began before the last cut was slowed by what ran then.
      if (startedMs < this.#lastCutAtMs) return;
      const share = Math.min(LEAST_CUT, Math.max(MOST_CUT, (targetMs ?? tookMs) / Math.max(1, tookMs)));
      this.#limit = Math.max(least, Math.min(this.#limit, Math.max(atOnce, this.#running + 1)) * share);
      this.#lastCutAtMs = nowMs;
      return;
    }
    if (outcome !== "answered") return;
    this.#pressure.note("answered", nowMs);
    // One that is not used says nothing about more.
    if (atOnce < this.#limit / 2) return;
    const isFirst = this.#lastCutAtMs === Number.NEGATIVE_INFINITY;
    this.#limit = Math.min(most, this.#limit + (isFirst ? 1 : growth / this.#limit));
  }

  /** Gives free places to those who wait: to whoever runs least, then to whose last call began longest ago. */
  #next(): void {
    while (this.#waiting > 0 && this.#running < this.limit) {
      let [next, nextName]: [Holder | undefined, string] = [undefined, ""];
      for (const [name, holder] of this.#holders) {
        if (holder.waiting.length === 0) continue;
        const isBefore =
          next === undefined ||
          holder.running < next.running ||
          (holder.running === next.running && holder.lastBegun < next.lastBegun);
        if (isBefore) [next, nextName] = [holder, name];
      }
      const first = next!.waiting.shift()!;
      this.#waiting--;
      first.settle(this.#start(next!, nextName, this.#options.now()));
    }
  }

  #refused(nowMs: number): AdmissionRefusal {
    this.#pressure.note("refused", nowMs);
    const spreadSeconds = Math.min(LONGEST_RETRY_SECONDS - 1, 2 * this.#pressure.ratio);
    return new AdmissionRefusal(1 + Math.round(this.#options.random() * spreadSeconds));
  }

  /** Refuses those that would now run too late, and those who waited too long. */
  #sweep(): void {
    const nowMs = this.#options.now();
    while (this.#waiting > 1 && this.#isFull()) this.#putOut(nowMs);
    const since = nowMs - 2 * this.#options.patienceMs;
    for (const [name, holder] of this.#holders) {
      while (holder.waiting.length > 0 && holder.waiting[0]!.sinceMs <= since) {
        this.#waiting--;
        holder.waiting.shift()!.settle(this.#refused(nowMs));
      }
      this.#forgetIdle(name, holder);
    }
  }

  /** Looks while somebody waits. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const everyMs = Math.max(1, this.#options.patienceMs / LOOKS);
    this.#timer = setInterval(() => {
      this.#sweep();
      if (this.#waiting > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, everyMs).unref();
  }
}
