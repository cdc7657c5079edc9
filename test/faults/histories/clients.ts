/** Client processes that work without rest, and the history of what they asked and were told. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Random, randomFrom } from "../../../world/random.ts";
import { pause } from "../programs.ts";
import type { Answered, Asked, ClientOptions } from "./client.ts";
import type { Event, Operation, Outcome } from "./history.ts";

/** Operations that one client has under way. */
const LANES = 4;
/** A list is left for the next after this time: what grows for ever is written in ever longer time. */
const EPOCH_MS = 15_000;
const LISTS = 3;
const COUNTERS = 3;
const PAUSE_MS = 10;
/** Longer than anything the client waits for. */
const GIVE_UP_MS = 60_000;

export interface ClientsOptions extends Omit<ClientOptions, "name"> {
  seed: number;
  /** Of the clients; those that are named so that a clock goes with them have one that can be set. */
  names: readonly string[];
  folder: string;
  /** libfaketime, where it can be had. */
  fakeTime: string | undefined;
}

/** libfaketime's file for a client: an offset from the system's clock. */
const clockFile = (folder: string, name: string): string => join(folder, `${name}.clock`);

function operationOf(random: Random, value: string, elapsedMs: number): Operation {
  const list = `list-${Math.floor(elapsedMs / EPOCH_MS)}-${random.below(LISTS)}`;
  const counter = `counter-${random.below(COUNTERS)}`;
  switch (random.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return { kind: "append", key: list, value };
    case 4:
    case 5:
      return { kind: "read", key: list };
    case 6:
      return { kind: "enter", value };
    default:
      return { kind: "add", key: counter };
  }
}

class Client {
  readonly #start: () => ChildProcess;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #child: ChildProcess | undefined;
  #nextId = 0;
  /** How far its clock was from ours when it answered last, milliseconds. */
  clockOffMs = 0;

  constructor(start: () => ChildProcess) {
    this.#start = start;
  }

  /** @throws when it ends before it is ready */
  async start(): Promise<void> {
    const child = this.#start();
    const ended = once(child, "exit").then(() => {
      throw new Error("a client ended before it was ready");
    });
    await Promise.race([once(child, "message"), ended]);
    ended.catch(() => undefined);
    child.on("message", ({ id, outcome, clockMs }: Answered) => {
      this.clockOffMs = clockMs - Date.now();
      this.#settle(id, outcome);
    });
    child.once("exit", () => {
      this.#child = undefined;
      for (const id of [...this.#waiting.keys()]) this.#settle(id, { status: "unknown", why: "killed" });
    });
    this.#child = child;
  }

  /** Resolves once it has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** Undefined while it is not there: nothing was asked. */
  async perform(operation: Operation): Promise<Outcome | undefined> {
    const child = this.#child;
    if (!child) return undefined;
    const id = this.#nextId++;
    const answered = new Promise<Outcome>((resolve) => this.#waiting.set(id, resolve));
    const timer = setTimeout(() => this.#settle(id, { status: "unknown", why: "no answer" }), GIVE_UP_MS);
    child.send({ id, operation } satisfies Asked, () => undefined);
    const outcome = await answered;
    clearTimeout(timer);
    return outcome;
  }

  #settle(id: number, outcome: Outcome): void {
    this.#waiting.get(id)?.(outcome);
    this.#waiting.delete(id);
  }
}

export interface Clients {
  readonly events: readonly Event[];
  /** Names of those whose clock can be set. */
  readonly withClock: readonly string[];
  kill(name: string): Promise<void>;
  restart(name: string): Promise<void>;
  /** @param offset as libfaketime has it: +2d, -3600 */
  setClock(name: string, offset: string): void;
  /** How far a client's clock was from ours when it answered last, milliseconds. */
  clockOffMs(name: string): number;
  /** Begins nothing more; resolves once all is answered or given up. */
  stop(): Promise<void>;
}

export async function startClients(options: ClientsOptions): Promise<Clients> {
  const { names, folder, fakeTime, seed, ...connection } = options;
  const events: Event[] = [];
  const beganMs = performance.now();
  let isStopped = false;
  const clients = new Map(
    names.map((name) => {
      const clock = fakeTime && {
        LD_PRELOAD: fakeTime,
        FAKETIME_TIMESTAMP_FILE: clockFile(folder, name),
        FAKETIME_NO_CACHE: "1",
        // Timers go by the monotonic clock, which nobody can set.
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      };
      if (clock) writeFileSync(clockFile(folder, name), "+0");
      const env = { ...process.env, ...clock, CLIENT_OPTIONS: JSON.stringify({ ...connection, name }) };
      return [name, new Client(() => fork(join(import.meta.dirname, "client.ts"), { env }))] as const;
    }),
  );
  await Promise.all([...clients.values()].map((client) => client.start()));
  const work = async (name: string, lane: number): Promise<void> => {
    const random = randomFrom(seed, `client ${name} ${lane}`);
    for (let nth = 0; !isStopped; nth++) {
      const invokedMs = performance.now();
      const operation = operationOf(random, `${name}-${lane}-${nth}`, invokedMs - beganMs);
      const outcome = await clients.get(name)!.perform(operation);
      if (outcome)
        events.push({ client: name, operation, outcome, invokedMs, completedMs: performance.now() });
      await pause(PAUSE_MS);
    }
  };
  const lanes = names.flatMap((name) => Array.from({ length: LANES }, (_, lane) => work(name, lane)));
  return {
    events,
    withClock: fakeTime ? names : [],
    kill: (name) => clients.get(name)!.kill(),
    restart: (name) => clients.get(name)!.start(),
    setClock: (name, offset) => writeFileSync(clockFile(folder, name), offset),
    clockOffMs: (name) => clients.get(name)!.clockOffMs,
    stop: async () => {
      isStopped = true;
      await Promise.all(lanes);
      await Promise.all([...clients.values()].map((client) => client.kill()));
    },
  };
}
