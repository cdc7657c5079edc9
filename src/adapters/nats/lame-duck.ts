/**
 * Leaving a broker that is about to end (lame duck mode), before it closes the connection: what the process answers there is
 * given up first, what is under way ends, and no request is made until the connection is at another server. The client
 * itself only tells that it heard of it.
 */
import type { NatsConnection } from "@nats-io/nats-core";
import type { Clock } from "../../ports/clock.ts";

/** The workers of a role do not leave at once. */
const SPREAD_MS = 4_000;
/**
 * For what a worker has under way: the server of its request alone takes its reply. No longer, since it may be the last of its
 * role for so long; fronts wait for one (attempts.ts). With the spread, within the grace period of deploy/nats.conf.
 */
const FINISH_MS = 3_000;
/** Requests of this process that take longer go on, and are answered at the next server. */
const QUIET_MS = 500;
const MOVE_MS = 5_000;
const LOOK_MS = 2;

/** What a process does for others over a connection. */
export interface Resident {
  /** Takes nothing more; resolves when what it took is done. */
  pause(): Promise<void>;
  /** Takes again. */
  resume(): void;
}

export interface Movable {
  readonly residents: ReadonlySet<Resident>;
  /** Requests under way. */
  underWay(): number;
  /** Whether the connection has its server. */
  isUp(): boolean;
  /** From here on requests wait, and the loss of the connection is meant. */
  hold(): void;
  /** They are made. */
  release(): void;
}

const SILENT_MS = 2_000;

/** Resolves when the connection is at another server, or lost in the usual way. */
export async function leaveServer(connection: NatsConnection, clock: Clock, movable: Movable): Promise<void> {
  await clock.sleep(Math.random() * SPREAD_MS);
  const { residents } = movable;
  const paused = [...residents];
  await withinTime(clock, FINISH_MS, Promise.all(paused.map((each) => each.pause())));
  movable.hold();
  try {
    await isQuiet(movable, clock);
    if (movable.isUp() && !connection.isClosed()) {
      // The server has all that was sent, and this process all that it was sent before.
      await withinTime(clock, QUIET_MS, connection.flush());
      const moved = reconnected(connection);
      await connection.reconnect();
      await withinTime(clock, MOVE_MS, moved);
    }
  } finally {
    movable.release();
    for (const each of paused) if (residents.has(each)) each.resume();
  }
}

/** Resolves with the work, or after `ms`. */
export function withinTime(clock: Clock, ms: number, work: Promise<unknown>): Promise<unknown> {
  const late = new AbortController();
  return Promise.race([work, clock.sleep(ms, late.signal)]).finally(() => late.abort());
}

async function isQuiet({ underWay }: Movable, clock: Clock): Promise<void> {
  const giveUpAtMs = clock.monotonicMs() + QUIET_MS;
  while (underWay() > 0 && clock.monotonicMs() < giveUpAtMs) await clock.sleep(LOOK_MS);
}

async function reconnected(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) if (type === "reconnect" || type === "close") return;
}

/** A server that answered a request not: where it answers no ping either, it stands still, and another one is tried. */
export async function leaveSilent(connection: NatsConnection, clock: Clock): Promise<void> {
  let answered = false;
  const settle = (): void => {
    answered = true;
  };
  // A connection that is lost or closed meanwhile needs no leaving.
  await withinTime(clock, SILENT_MS, connection.flush().then(settle, settle));
  if (!answered && !connection.isClosed()) await connection.reconnect();
}
