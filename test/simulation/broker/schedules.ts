/**
 * The broker's scheduler of messages (ADR-51): a message with `Nats-Schedule: @at …` is published to its target when its
 * time comes. One whose firing could not be stored counts as under way until the server is started again, as in
 * nats-server 2.15 (decision 27).
 */
import type { Machine } from "../virtual-time.ts";
import type { Change, Stored, Stream } from "./stream.ts";

interface Waiting {
  stream: Stream;
  message: Stored;
  atMs: number;
  isUnderWay: boolean;
}

/** The server's own delay of a firing. */
const LATE_MS = 20;
const AT = "@at ";
/** A timer is armed for at most this long, and then looks at the clock again. */
const MOST_MS = 24 * 3_600_000;

export class Schedules {
  readonly #waiting = new Map<string, Waiting>();
  readonly #machine: Machine;
  readonly #fire: (stream: Stream, message: Stored) => boolean;
  #armed: { atMs: number; id: number } | undefined;
  #ids = 0;

  /** @param fire stores a message whose time has come; false when that failed */
  constructor(machine: Machine, fire: (stream: Stream, message: Stored) => boolean) {
    this.#machine = machine;
    this.#fire = fire;
  }

  get nextMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { atMs, isUnderWay } of this.#waiting.values()) if (!isUnderWay && atMs < next) next = atMs;
    return next;
  }

  changed(stream: Stream, { kind, message }: Change): void {
    const schedule = message.headers.get("Nats-Schedule");
    if (!schedule?.startsWith(AT)) return;
    const key = `${stream.config.name} ${message.subject}`;
    if (kind === "removed") {
      if (this.#waiting.get(key)?.message.seq === message.seq) this.#waiting.delete(key);
      return;
    }
    const atMs = Date.parse(schedule.slice(AT.length));
    this.#waiting.set(key, { stream, message, atMs, isUnderWay: false });
    this.#arm(atMs);
  }

  restarted(): void {
    for (const waiting of this.#waiting.values()) waiting.isUnderWay = false;
    this.#armed = undefined;
    this.#arm(this.nextMs);
  }

  #arm(atMs: number): void {
    if (atMs === Number.POSITIVE_INFINITY || (this.#armed && this.#armed.atMs <= atMs)) return;
    const id = ++this.#ids;
    this.#armed = { atMs, id };
    const inMs = Math.min(MOST_MS, Math.max(0, atMs - this.#machine.wallMs()));
    this.#machine.world.schedule(this.#machine, inMs + LATE_MS * this.#machine.random.next(), () => {
      if (this.#armed?.id !== id) return;
      this.#armed = undefined;
      this.#fireDue();
      this.#arm(this.nextMs);
    });
  }

  #fireDue(): void {
    const now = this.#machine.wallMs();
    const due = [...this.#waiting.values()].filter(({ atMs, isUnderWay }) => !isUnderWay && atMs <= now);
    for (const waiting of due.sort((one, other) => one.atMs - other.atMs)) {
      waiting.isUnderWay = true;
      this.#fire(waiting.stream, waiting.message);
    }
  }
}
