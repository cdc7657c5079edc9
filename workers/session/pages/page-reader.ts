/** Sessions' pages, read in a thread: what commands mean on them, and how they are kept for every worker. */

import type { NamedPlan } from "../../../src/browser/commands.ts";
import type { PageReply } from "../../../src/browser/page-source.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { LIMITS } from "../../../src/rpc/limit-table.ts";
import { THREAD_LIMITS, ThreadPool } from "../../../src/threads/pool.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import { type Caller, JOB_LIMITS, type TaskFailure, threadTasks } from "../../../src/threads/thread-tasks.ts";
import type { PageBytes } from "../store.ts";
import type { DescribedPage, OfPage, PageActions, PageRef, PlanJob, StoredPage } from "./page-tasks.ts";
import type * as thread from "./page-thread.ts";
import { receivedPlan } from "./sent-plan.ts";

/** Whom a page is read for, and whose page it is: each has a share of the thread. */
export interface ReadFor {
  caller: Caller;
  siteId: string;
}

export interface PageReader {
  /** Parses a page that came and keeps it. @returns its id, and what a reply tells of it */
  load(
    reply: PageReply,
    reading: ReadFor,
  ): Promise<{ pageId: string; shown: StoredPage["shown"] } | TaskFailure>;
  /** What a command means on a kept page, or without one; a page that is kept no more is none. */
  plan(
    pageId: string | undefined,
    job: Omit<PlanJob, "page">,
    reading: ReadFor,
  ): Promise<NamedPlan | TaskFailure>;
  /** What the forms and links of a kept page offer; undefined where it is kept no more. */
  actions(pageId: string, reading: ReadFor): Promise<PageActions | undefined | TaskFailure>;
  /** A page described, and not kept. */
  describe(reply: PageReply, fetchedAt: number, reading: ReadFor): Promise<DescribedPage | TaskFailure>;
  /** Ends the thread, and what it reads just now. */
  close(): Promise<void>;
}

const task = tasksOf<typeof thread>(new URL("./page-thread.ts", import.meta.url));
const [LOAD, PLAN, ACTIONS, DESCRIBE] = [task("load"), task("plan"), task("actions"), task("describe")];

/** One thread, whose parsed pages every command of the process meets again; more sessions take more processes. */
const THREADS = 1;

/** Pages of sessions are half as long as those of scans: what one leaves behind is collected sooner. */
const THREAD_MEMORY = { ...THREAD_LIMITS, maxYoungGenerationSizeMb: 16 };

/** Starts a reader with a thread of its own. @param pages where loaded pages are kept */
export function openPageReader(pages: PageBytes): PageReader {
  const pool = new ThreadPool({
    name: "session_pages",
    threads: THREADS,
    memory: THREAD_MEMORY,
    ...JOB_LIMITS,
  });
  const tasks = threadTasks(pool, { threads: THREADS, waiting: LIMITS.thread_tasks.by });

  /** Mostly the thread has the page parsed; else it gets its bytes. @returns undefined where they are gone */
  const onPage = async <T>(
    pageId: string,
    run: (page: PageRef) => Promise<OfPage<T> | TaskFailure>,
  ): Promise<T | undefined | TaskFailure> => {
    const known = await run({ pageId });
    if (known instanceof Failure) return known;
    if (!known.missing) return known.value;
    const bytes = await pages.get(pageId);
    if (!bytes) return undefined;
    const read = await run({ pageId, bytes });
    if (read instanceof Failure) return read;
    return read.missing ? undefined : read.value;
  };

  return {
    load: async (reply, { caller, siteId }) => {
      const pageId = uuidv7();
      const loaded = await tasks.run(LOAD, { pageId, reply: alone(reply) }, caller, siteId);
      if (loaded instanceof Failure) return loaded;
      await pages.put(pageId, loaded.bytes);
      return { pageId, shown: loaded.shown };
    },

    plan: async (pageId, rest, { caller, siteId }) => {
      const planOn = (page: PageRef | undefined) => tasks.run(PLAN, { ...rest, page }, caller, siteId);
      const onIt = pageId === undefined ? undefined : await onPage(pageId, planOn);
      if (onIt instanceof Failure) return onIt;
      if (onIt) return receivedPlan(onIt);
      const without = await planOn(undefined);
      if (without instanceof Failure) return without;
      if (without.missing) throw new Error("a plan without a page misses one");
      return receivedPlan(without.value);
    },

    actions: (pageId, { caller, siteId }) =>
      onPage(pageId, (page) => tasks.run(ACTIONS, { page }, caller, siteId)),

    describe: (reply, fetchedAt, { caller, siteId }) =>
      tasks.run(DESCRIBE, { reply: alone(reply), siteId, fetchedAt }, caller, siteId),

    close: () => pool.close(),
  };
}

/** Bytes that are part of a larger buffer would cross with all of it. */
const alone = (reply: PageReply): PageReply =>
  reply.body.byteLength === reply.body.buffer.byteLength
    ? reply
    : { ...reply, body: new Uint8Array(reply.body) };
