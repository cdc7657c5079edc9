/** How full a stream is whose limit the broker would keep by discarding the oldest: what holds back before that happens. */
import { JetStreamApiError, type JetStreamManager } from "@nats-io/jetstream";
import { HOLD_AT } from "../../ports/storage.ts";

/** The store has no room for what was to be added (src/ports/storage.ts). */
export class StorageFull extends Error {
  override name = "StorageFull";
}

/**
 * JetStream's codes for a message that was not stored for want of room: the stream's or the account's limit, the server's
 * resources. The first has one code for every failure of a store; what it says of a limit or a disk is all that differs.
 */
const NO_ROOM_CODES = new Set([10_002, 10_023, 10_028, 10_047, 10_122]);
const STORE_FAILED = 10_077;
const NO_ROOM_TEXT = /maximum (bytes|messages)|no space left|quota|insufficient/i;

const READ_EVERY_MS = 1_000;

export interface Fill {
  /** Whether nothing new may be added. Read from the broker at most once a second. */
  isHeld(): Promise<boolean>;
}

/** Whether a write was refused because the store is full: reads go on, and so does what takes no more room. */
export function isStorageFull(error: unknown): boolean {
  if (error instanceof StorageFull) return true;
  if (!(error instanceof JetStreamApiError)) return false;
  return NO_ROOM_CODES.has(error.code) || (error.code === STORE_FAILED && NO_ROOM_TEXT.test(error.message));
}

/** @param now milliseconds @param holdAt part of its bounds, 0 to 1 */
export function watchFill(jsm: JetStreamManager, stream: string, now: () => number, holdAt = HOLD_AT): Fill {
  let held = false;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      held = (await usedPart(jsm, stream)) >= holdAt;
      readAt = now();
    } finally {
      reading = undefined;
    }
  };
  return {
    isHeld: async () => {
      if (now() - readAt < READ_EVERY_MS) return held;
      reading ??= read();
      // Only the first has to wait: later ones go by what was read last.
      if (readAt === Number.NEGATIVE_INFINITY) await reading;
      else reading.catch(() => undefined);
      return held;
    },
  };
}

/** The part of a stream's bounds that is used, 0 to 1. */
async function usedPart(jsm: JetStreamManager, stream: string): Promise<number> {
  const { state, config } = await jsm.streams.info(stream);
  return Math.max(
    config.max_bytes > 0 ? state.bytes / config.max_bytes : 0,
    config.max_msgs > 0 ? state.messages / config.max_msgs : 0,
  );
}
