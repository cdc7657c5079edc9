/**
 * Virtual time for code that knows nothing of it. Everything that runs within a machine of this world (`Machine.enter`)
 * sees its clocks: timers, Date.now, performance.now and Math.random of the global scope are this world's there, and the
 * real ones everywhere else. One event runs at a time, with all that it makes ready, in the order of time and then of
 * making; so one seed gives one history.
 *
 * A machine can be killed (its timers never fire, what it waits for never comes) and paused (what is due waits until it
 * goes on, as after SIGSTOP). Its wall clock can be set; the monotonic one only goes on.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, type Hash } from "node:crypto";
import type { Clock } from "../../src/ports/clock.ts";
import { type Random, randomFrom } from "../../world/random.ts";

/** Any time will do: this one is in the middle of a month. */
export const EPOCH_MS = Date.parse("2026-03-10T00:00:00Z");

const here = new AsyncLocalStorage<Machine>();

/** The machine that runs now; undefined outside of any world. */
export const currentMachine = (): Machine | undefined => here.getStore();

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  performanceNow: performance.now.bind(performance),
  random: Math.random,
};

interface Event {
  at: number;
  order: number;
  machine: Machine;
  run: (() => void) | undefined;
}

const isBefore = (one: Event, other: Event): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

/** A binary heap of events, the next one first. */
class Agenda {
  readonly #events: Event[] = [];

  get next(): Event | undefined {
    return this.#events[0];
  }

  push(event: Event): void {
    const events = this.#events;
    let place = events.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, events[parent]!)) break;
      events[place] = events[parent]!;
      place = parent;
    }
    events[place] = event;
  }

  shift(): void {
    const events = this.#events;
    const last = events.pop()!;
    if (events.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child++;
      if (!isBefore(events[child]!, last)) break;
      events[place] = events[child]!;
      place = child;
    }
    events[place] = last;
  }
}

/** What `setTimeout` gives within a machine. */
export class VirtualTimer {
  readonly #machine: Machine;
  readonly #action: () => void;
  readonly #everyMs: number;
  #event: Event | undefined;

  /** @param isRepeated every `ms`, until it is cleared */
  constructor(machine: Machine, action: () => void, ms: number, isRepeated: boolean) {
    this.#machine = machine;
    this.#action = action;
    // As Node does: a timer of 0 takes a millisecond, or a loop of them would stop the time.
    const delayMs = Math.max(1, ms);
    this.#everyMs = isRepeated ? delayMs : 0;
    this.#arm(delayMs);
  }

  #arm(ms: number): void {
    this.#event = this.#machine.world.schedule(this.#machine, ms, () => {
      if (this.#everyMs > 0) this.#arm(this.#everyMs);
      this.#action();
    });
  }

  clear(): void {
    if (this.#event) this.#event.run = undefined;
    this.#event = undefined;
  }

  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

/** A process with clocks of its own. */
export class Machine {
  readonly world: World;
  readonly name: string;
  readonly random: Random;
  readonly clock: Clock;
  isAlive = true;
  /** True time until which nothing runs here. */
  pausedUntil = 0;
  /** How far its wall clock is ahead of the true time. */
  wallAheadMs = 0;
  readonly #bootedMs: number;

  constructor(world: World, name: string, random: Random) {
    this.world = world;
    this.name = name;
    this.random = random;
    // Monotonic clocks of machines have nothing to do with each other.
    this.#bootedMs = Math.floor(random.next() * 1e7);
    this.clock = {
      now: () => this.wallMs(),
      monotonicMs: () => this.monotonicMs(),
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  wallMs(): number {
    return Math.floor(EPOCH_MS + this.world.now + this.wallAheadMs);
  }

  monotonicMs(): number {
    return this.world.now + this.#bootedMs;
  }

  /** Runs something as this machine. */
  enter<T>(run: () => T): T {
    return here.run(this, run);
  }

  /** Nothing of it runs from here on. */
  kill(): void {
    this.isAlive = false;
  }

  /** SIGSTOP, and SIGCONT after `ms`. */
  pause(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.world.now + ms);
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        timer.clear();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = new VirtualTimer(this, end, ms, false);
      signal?.addEventListener("abort", end, { once: true });
    });
  }
}

/** All that an event makes ready has run: promises, and what they make ready. */
const settled = (): Promise<void> => new Promise((resolve) => real.setImmediate(resolve));

/** One history: its machines, and the true time, milliseconds since its beginning. */
export class World {
  readonly seed: number;
  now = 0;
  /** Events so far. */
  events = 0;
  readonly #agenda = new Agenda();
  readonly #trace: Hash = createHash("sha256");
  #made = 0;

  constructor(seed: number) {
    this.seed = seed;
  }

  machine(name: string): Machine {
    return new Machine(this, name, this.randomFor(name));
  }

  randomFor(what: string): Random {
    return randomFrom(this.seed, what);
  }

  schedule(machine: Machine, inMs: number, run: () => void): Event {
    const event = { at: this.now + inMs, order: this.#made++, machine, run };
    this.#agenda.push(event);
    return event;
  }

  /** Notes what happened, for the hash of the history. */
  note(line: string): void {
    this.#trace.update(`${this.now} ${line}\n`);
  }

  /** Hash of all that was noted so far, hexadecimal. */
  traceHash(): string {
    return this.#trace.copy().digest("hex");
  }

  /**
   * Runs until a true time.
   * @param skipTo asked after each event: a later time to go on at, where nothing happens before but looking whether
   * anything does. What is due earlier is then late, as on machines that slept.
   */
  async runUntil(untilMs: number, skipTo: () => number | undefined = () => undefined): Promise<void> {
    await settled();
    for (;;) {
      const event = this.#agenda.next;
      if (!event || event.at > untilMs) break;
      this.#agenda.shift();
      const { machine, run } = event;
      if (!run || !machine.isAlive) continue;
      if (machine.pausedUntil > Math.max(this.now, event.at)) {
        event.at = machine.pausedUntil;
        this.#agenda.push(event);
        continue;
      }
      this.now = Math.max(this.now, event.at);
      this.events++;
      machine.enter(run);
      await settled();
      const later = skipTo();
      if (later !== undefined && later > this.now) this.now = Math.min(later, untilMs);
    }
    this.now = Math.max(this.now, untilMs);
  }
}

type Timer = ReturnType<typeof setTimeout>;

/** @returns what the global scope has in place of its own, within a machine */
const startTimer =
  (isRepeated: boolean, elsewhere: typeof setTimeout | typeof setInterval) =>
  (action: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): Timer => {
    const machine = here.getStore();
    if (!machine) return (elsewhere as typeof setTimeout)(action, ms, ...args);
    return new VirtualTimer(machine, () => action(...args), ms, isRepeated) as unknown as Timer;
  };

const clearTimer =
  (elsewhere: typeof clearTimeout) =>
  (timer: Parameters<typeof clearTimeout>[0]): void => {
    const made: unknown = timer;
    if (made instanceof VirtualTimer) made.clear();
    else elsewhere(timer);
  };

let installed = 0;

/** Puts this world's clocks into the global scope, for machines alone. @returns what takes them out again */
export function installVirtualTime(): () => void {
  if (installed++ === 0) {
    globalThis.setTimeout = startTimer(false, real.setTimeout) as typeof setTimeout;
    globalThis.setInterval = startTimer(true, real.setInterval) as typeof setInterval;
    globalThis.clearTimeout = clearTimer(real.clearTimeout);
    globalThis.clearInterval = clearTimer(real.clearInterval);
    Date.now = () => here.getStore()?.wallMs() ?? real.dateNow();
    performance.now = () => here.getStore()?.monotonicMs() ?? real.performanceNow();
    Math.random = () => here.getStore()?.random.next() ?? real.random();
  }
  return () => {
    if (--installed > 0) return;
    globalThis.setTimeout = real.setTimeout;
    globalThis.setInterval = real.setInterval;
    globalThis.clearTimeout = real.clearTimeout;
    globalThis.clearInterval = real.clearInterval;
    Date.now = real.dateNow;
    performance.now = real.performanceNow;
    Math.random = real.random;
  };
}
