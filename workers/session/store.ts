/**
 * Sessions as records: found by any worker, written by compare-and-set. A command that acts takes the record first (`busy`),
 * so that of two workers one acts; a worker that died while it acted is noticed by the next command, which says so and
 * never repeats what may have been done.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { KV } from "@nats-io/kv";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { SessionRecord } from "../../schemas/session.ts";
import type { Broker } from "../../src/adapters/nats/broker.ts";
import { openRecords, type Records, type Stored } from "../../src/adapters/nats/records.ts";
import { uuidv7 } from "../../src/ids.ts";
import { type PageModel, type PageSource, readPageModel } from "./page.ts";

/** Text of a page that is kept and shown; the rest is cut off. */
const MAX_SOURCE_CHARS = 1024 * 1024;
const MAX_INFLATED_BYTES = 8 * 1024 * 1024;
/** Parsed pages kept in memory, by an estimate of their size: some hundred, of the sessions that act just now. */
const MAX_PARSED_BYTES = 16 * 1024 * 1024;
const ELEMENT_BYTES = 600;

const StoredPage = z.looseObject({
  url: z.string(),
  status: z.int(),
  mediaType: z.string(),
  encoding: z.string(),
  text: z.string(),
  cut: z.boolean().optional(),
});

export interface Pages {
  /** @returns the id under which the page is found again, by every worker */
  put(source: PageSource): Promise<string>;
  get(pageId: string): Promise<PageModel | undefined>;
  remove(pageId: string): Promise<void>;
}

/** The bytes of sessions' pages; each page never changes, so that what is parsed once holds for its id. */
export const openPages = (bucket: KV): Pages => {
  const parsed = new LRUCache<string, PageModel>({
    maxSize: MAX_PARSED_BYTES,
    sizeCalculation: ({ source, elements }) =>
      2_000 + source.text.length * 2 + elements.length * ELEMENT_BYTES,
  });
  const read = async (pageId: string): Promise<PageModel | undefined> => {
    const entry = await bucket.get(pageId);
    if (entry?.operation !== "PUT") return undefined;
    const json = inflateRawSync(entry.value, { maxOutputLength: MAX_INFLATED_BYTES }).toString();
    const page = readPageModel(StoredPage.parse(JSON.parse(json)));
    parsed.set(pageId, page);
    return page;
  };
  return {
    put: async (source) => {
      const pageId = uuidv7();
      const kept = { ...source, text: source.text.slice(0, MAX_SOURCE_CHARS).toWellFormed() };
      await bucket.put(
        pageId,
        deflateRawSync(JSON.stringify(kept), { level: 3, windowBits: 13, memLevel: 6 }),
      );
      parsed.set(pageId, readPageModel(kept));
      return pageId;
    },
    get: async (pageId) => parsed.get(pageId) ?? read(pageId),
    remove: async (pageId) => {
      parsed.delete(pageId);
      await bucket.purge(pageId);
    },
  };
};

export interface Sessions {
  create(session: Omit<SessionRecord, "v" | "sessionId">): Promise<SessionRecord>;
  /** The session with its revision; undefined once it has expired. */
  find(sessionId: string): Promise<Stored<SessionRecord> | undefined>;
  records: Records<SessionRecord>;
  pages: Pages;
}

export const openSessions = ({ buckets, now }: Pick<Broker, "buckets" | "now">): Sessions => {
  const records = openRecords(buckets.sessions, SessionRecord);
  return {
    records,
    pages: openPages(buckets.session_pages),
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
};
