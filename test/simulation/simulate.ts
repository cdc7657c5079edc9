/** One history: a broker, crawlers and a web in virtual time, faults as the seed has them, and what was found wrong. */

import { openFrontier } from "../../src/adapters/nats/frontier.ts";
import { streamConfigs } from "../../src/adapters/nats/topology.ts";
import { DAY_MS, HOUR_MS } from "../../src/ports/time.ts";
import { ModelBroker } from "./broker/model-broker.ts";
import { Checks, type Violation } from "./checks.ts";
import {
  ADDRESS_DELAY_MS,
  HOST_DELAY_MS,
  LEASE_MS,
  openOver,
  PREFIX,
  startProcess,
  type Variants,
} from "./crawler.ts";
import { FAULT_LASTS_MS, FAULTS, type Fault, happen, type Stage } from "./faults.ts";
import { Network } from "./network.ts";
import { EPOCH_MS, installVirtualTime, type Machine, World } from "./virtual-time.ts";
import { KINDS, type Kind, SimulatedWeb } from "./web.ts";

export interface Settings {
  seed: number;
  days: number;
  hosts?: number;
  crawlers?: number;
  kinds?: readonly Kind[];
  /** What may go wrong; default: everything. */
  faults?: readonly Fault[];
  /** A fault about this often. */
  faultEveryMs?: number;
  /** Somebody reports every host this often, so that visits follow each other; default: nobody does. */
  rushEveryMs?: number;
  variants?: Variants;
  /** Ends at the first violation. */
  endsEarly?: boolean;
}

export interface History {
  violations: Violation[];
  /** Hash of all that happened. */
  trace: string;
  events: number;
  visits: number;
  requests: number;
  faults: number;
}

/** Everything is looked at this long after the last fault. */
const CALM_MS = 3 * HOUR_MS;
const CHECK_EVERY_MS = 6 * HOUR_MS;
/** Nothing has happened for so long: time may skip to when something does. */
const QUIET_MS = 1_500;
const LOOK_EVERY_MS = 500;
/** Repair looks once an hour: while it may have something to do, it is let look that often. */
const MOST_SKIPPED_MS = { mending: HOUR_MS, calm: DAY_MS };
const WAKE_EARLIER_MS = 500;
/** The share of faults that meet a visit, and of those that another one follows at once. */
const AIMED = 0.8;
const TWINS = 0.3;
/** How long a visit takes, about. */
const VISIT_MS = 10_000;
const FRONTIER = streamConfigs(PREFIX).frontier.name;

class Simulation implements Stage {
  readonly world: World;
  readonly broker: ModelBroker;
  readonly network: Network;
  readonly #settings: Settings;
  readonly #web: SimulatedWeb;
  readonly #checks: Checks;
  readonly #alive: Machine[] = [];
  #made = 0;
  #faults = 0;
  #calmSince = 0;
  #nextFaultAt: number;
  /** Whether the next fault has its moment, and not only its hour. */
  #isAimed = false;
  #busyAt = 0;
  #lookAt = 0;

  constructor(settings: Settings) {
    const { seed, hosts = 16, kinds = KINDS } = settings;
    this.#settings = settings;
    this.world = new World(seed);
    this.broker = new ModelBroker(this.world.machine("broker"));
    this.network = new Network(this.broker);
    const pauses = { hostMs: HOST_DELAY_MS, addressMs: ADDRESS_DELAY_MS };
    this.#web = new SimulatedWeb(this.world, hosts, kinds, pauses);
    this.#checks = new Checks(this.world, this.broker, this.#web);
    this.#nextFaultAt = this.#drawFault();
  }

  processes(): readonly Machine[] {
    return this.#alive;
  }

  kill(process: Machine, afterMs: number): void {
    this.#alive.splice(this.#alive.indexOf(process), 1);
    process.kill();
    // Its kernel closes what it had open.
    this.network.break(process);
    this.#web.hungUp(process);
    this.#start(afterMs);
  }

  #start(afterMs = 0): void {
    const machine = this.world.machine(`crawler ${++this.#made}`);
    this.#alive.push(machine);
    this.world.schedule(
      machine,
      afterMs,
      () => void startProcess(this.network, machine, this.#web, this.#settings.variants),
    );
  }

  #drawFault(): number {
    const { faults = FAULTS, faultEveryMs = 8 * HOUR_MS } = this.#settings;
    if (faults.length === 0) return Number.POSITIVE_INFINITY;
    return this.world.now + faultEveryMs * (0.25 + 1.5 * this.broker.machine.random.next());
  }

  /** True time at which something is known to happen, at most `untilMs`; undefined while something does. */
  #skipTo(untilMs: number): number | undefined {
    const { world } = this;
    if (world.now < this.#lookAt) return undefined;
    this.#lookAt = world.now + LOOK_EVERY_MS;
    if (this.#isBusy()) this.#busyAt = world.now;
    if (world.now - this.#busyAt < QUIET_MS) return undefined;
    const fires = this.broker.nextScheduleMs - EPOCH_MS - this.broker.machine.wallAheadMs;
    const isCalm = world.now - this.#calmSince > CALM_MS;
    const latest = world.now + MOST_SKIPPED_MS[isCalm ? "calm" : "mending"];
    const next = Math.min(fires - WAKE_EARLIER_MS, this.#nextFaultAt, untilMs, latest);
    if (next - world.now < LOOK_EVERY_MS) return undefined;
    this.#busyAt = next;
    return next;
  }

  #runUntil(untilMs: number): Promise<void> {
    return this.world.runUntil(untilMs, () => this.#skipTo(untilMs));
  }

  get #isRushed(): boolean {
    return this.#settings.rushEveryMs !== undefined && this.#nextFaultAt !== Number.POSITIVE_INFINITY;
  }

  #isBusy(): boolean {
    const { broker, world } = this;
    const { cannotStore, cannotRemove, down } = broker.faults;
    if (cannotStore || cannotRemove || down || this.#isRushed || world.now - this.#calmSince < FAULT_LASTS_MS)
      return true;
    const stream = broker.streams.get(FRONTIER);
    if (!stream) return true;
    const consumers = [...broker.consumersOf(stream)];
    return consumers.length === 0 || consumers.some((each) => each.underWay > 0 || each.waiting() > 0);
  }

  /** Brings every host's visit forward, again and again. */
  #rush(everyMs: number): void {
    const reporter = this.world.machine("reporter");
    reporter.enter(async () => {
      const broker = await openOver(this.network, reporter);
      broker.connectionState.failFast();
      const frontier = openFrontier(broker, LEASE_MS);
      const isOver = (): boolean => this.#nextFaultAt === Number.POSITIVE_INFINITY;
      while (!isOver())
        for (const host of this.#web.sites.keys()) {
          await reporter.clock.sleep(everyMs / this.#web.sites.size);
          await frontier.bringForward(host, broker.now()).catch(() => false);
        }
    });
  }

  async #seed(): Promise<void> {
    const operator = this.world.machine("operator");
    const seeded = operator.enter(async () => {
      const broker = await openOver(this.network, operator, true);
      const frontier = openFrontier(broker, LEASE_MS);
      for (const host of this.#web.sites.keys())
        await frontier.add(host, broker.now(), {
          source: "seed",
          discoveredAt: broker.now(),
          visited: false,
        });
      await broker.close();
      return true;
    });
    await this.world.runUntil(20_000);
    if (!(await seeded)) throw new Error("the frontier was not seeded");
  }

  /** Most faults meet a visit: the moment is chosen by the next one. */
  #fault(): void {
    const { faults = FAULTS } = this.#settings;
    const { random } = this.broker.machine;
    if (!this.#isAimed && this.#settings.rushEveryMs === undefined && random.next() < AIMED) {
      const fires = this.broker.nextScheduleMs - EPOCH_MS - this.broker.machine.wallAheadMs;
      this.#isAimed = true;
      this.#nextFaultAt = Math.max(this.world.now, Math.min(fires, this.world.now + DAY_MS));
      this.#nextFaultAt += random.next() * VISIT_MS;
      return;
    }
    this.#isAimed = false;
    happen(this, random.pick(faults), random);
    this.#faults++;
    this.#calmSince = this.world.now;
    const isTwin = random.next() < TWINS;
    this.#nextFaultAt = isTwin ? this.world.now + random.next() * 2 * VISIT_MS : this.#drawFault();
  }

  get #isWrong(): boolean {
    return this.#settings.endsEarly === true && this.#checks.violations.length + this.#web.rude.length > 0;
  }

  async run(): Promise<History> {
    const { days, crawlers = 2 } = this.#settings;
    const endAt = days * DAY_MS;
    await this.#seed();
    for (let i = 0; i < crawlers; i++) this.#start();
    const { rushEveryMs } = this.#settings;
    if (rushEveryMs !== undefined) this.#rush(rushEveryMs);
    let checkAt = CHECK_EVERY_MS;
    while (this.world.now < endAt && !this.#isWrong) {
      await this.#runUntil(Math.min(endAt, checkAt, this.#nextFaultAt));
      if (this.world.now >= this.#nextFaultAt) this.#fault();
      if (this.world.now < checkAt) continue;
      checkAt += CHECK_EVERY_MS;
      if (this.world.now - this.#calmSince >= CALM_MS) this.#checks.atRest();
    }
    // The end of all faults, and time to mend.
    this.#nextFaultAt = Number.POSITIVE_INFINITY;
    if (!this.#isWrong) {
      await this.#runUntil(Math.max(endAt, this.world.now) + DAY_MS + CALM_MS);
      this.#checks.atEnd();
      this.#checks.atRest();
    }
    this.#checks.rudeness();
    const { violations, visits } = this.#checks;
    const { events } = this.world;
    return {
      violations,
      visits,
      events,
      trace: this.world.traceHash(),
      requests: this.#web.requests,
      faults: this.#faults,
    };
  }
}

/** Runs one history. The same settings give the same one. */
export async function simulate(settings: Settings): Promise<History> {
  const restore = installVirtualTime();
  try {
    return await new Simulation(settings).run();
  } finally {
    restore();
  }
}
