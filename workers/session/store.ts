/**
 * Sessions as records: found by any worker, written by compare-and-set. A command that acts takes the record first (`busy`),
 * so that of two workers one acts; a worker that died while it acted is noticed by the next command, which says so and
 * never repeats what may have been done.
 */

import { SessionRecord } from "../../schemas/session.ts";
import type { Broker } from "../../src/ports/broker.ts";
import type { Bucket } from "../../src/ports/buckets.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { openRecords, type Records, type StoredRecord } from "../../src/stores/records.ts";

/** The bytes of sessions' pages as a thread wrote them (page-tasks.ts); each page never changes. */
export interface PageBytes {
  put(pageId: string, bytes: Uint8Array): Promise<void>;
  get(pageId: string): Promise<Uint8Array | undefined>;
  remove(pageId: string): Promise<void>;
}

export interface Sessions {
  create(session: Omit<SessionRecord, "v" | "sessionId">): Promise<SessionRecord>;
  /** The session with its revision; undefined once it has expired. */
  find(sessionId: string): Promise<StoredRecord<SessionRecord> | undefined>;
  records: Records<SessionRecord>;
  pages: PageBytes;
}

export function openSessions({ buckets, now }: Pick<Broker, "buckets" | "now">): Sessions {
  const records = openRecords(buckets.sessions, SessionRecord);
  return {
    records,
    pages: openPageBytes(buckets.sessions),
    create: async (session) => {
      const record = SessionRecord.parse({ ...session, v: 1, sessionId: uuidv7(now()) });
      await records.compareAndSet(record.sessionId, record, 0);
      return record;
    },
    find: async (sessionId) => {
      const stored = await records.get(sessionId);
      return stored && stored.value.expiresAt > now() ? stored : undefined;
    },
  };
}

const pageKey = (pageId: string): string => `page.${pageId}`;

const openPageBytes = (bucket: Bucket): PageBytes => ({
  put: async (pageId, bytes) => {
    await bucket.put(pageKey(pageId), bytes);
  },
  get: async (pageId) => {
    const entry = await bucket.get(pageKey(pageId));
    // A copy of its own: the broker's message may be a part of a larger buffer, all of which would go to the thread.
    return entry && new Uint8Array(entry.value);
  },
  remove: (pageId) => bucket.remove(pageKey(pageId)),
});
