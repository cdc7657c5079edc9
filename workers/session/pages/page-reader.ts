/** Sessions' pages, read in a thread: what commands mean on them, and how they are kept for every worker. */

import type { NamedPlan } from "../../../src/browser/commands.ts";
import type { PageReply } from "../../../src/browser/page-source.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Caller, TaskFailure, ThreadTasks } from "../../../src/threads/thread-tasks.ts";
import type { PageBytes } from "../store.ts";
import type {
  ActionsJob,
  DescribedPage,
  DescribeJob,
  Loaded,
  LoadJob,
  OfPage,
  PageActions,
  PageRef,
  PlanJob,
  SentPlan,
} from "./page-tasks.ts";

/** Whom a page is read for, and whose page it is: each has a share of the thread. */
export interface Reading {
  caller: Caller;
  siteId: string;
}

export interface PageReader {
  /** Parses a page that came and keeps it. @returns its id, and what a reply tells of it */
  load(reply: PageReply, reading: Reading): Promise<{ pageId: string; shown: Loaded["shown"] } | TaskFailure>;
  /** What a command means on a kept page, or without one; a page that is kept no more is none. */
  plan(
    pageId: string | undefined,
    job: Omit<PlanJob, "page">,
    reading: Reading,
  ): Promise<NamedPlan | TaskFailure>;
  /** What the forms and links of a kept page offer; undefined where it is kept no more. */
  actions(pageId: string, reading: Reading): Promise<PageActions | undefined | TaskFailure>;
  /** A page described, and not kept. */
  describe(reply: PageReply, fetchedAt: number, reading: Reading): Promise<DescribedPage | TaskFailure>;
}

/** Bytes that are part of a larger buffer would cross with all of it. */
const alone = (reply: PageReply): PageReply =>
  reply.body.byteLength === reply.body.buffer.byteLength
    ? reply
    : { ...reply, body: new Uint8Array(reply.body) };

const received = (plan: SentPlan): NamedPlan => {
  if (plan.kind === "go") return { ...plan, request: { ...plan.request, url: new URL(plan.request.url) } };
  if (plan.kind === "wait")
    return { ...plan, next: plan.next && { ...plan.next, url: new URL(plan.next.url) } };
  return plan;
};

export const openPageReader = (tasks: ThreadTasks, pages: PageBytes): PageReader => {
  const run = <T>(task: string, job: object, { caller, siteId }: Reading): Promise<T | TaskFailure> =>
    tasks.run<T>(task, job, caller, siteId);

  /** Mostly the thread has the page; else it is told its bytes. @returns undefined where they are kept no more */
  const onPage = async <T>(
    task: string,
    pageId: string,
    jobOf: (page: PageRef) => object,
    reading: Reading,
  ): Promise<T | undefined | TaskFailure> => {
    const known = await run<OfPage<T>>(task, jobOf({ pageId }), reading);
    if (known instanceof Failure) return known;
    if (!known.missing) return known.value;
    const bytes = await pages.get(pageId);
    if (!bytes) return undefined;
    const read = await run<OfPage<T>>(task, jobOf({ pageId, bytes }), reading);
    if (read instanceof Failure) return read;
    return read.missing ? undefined : read.value;
  };

  return {
    load: async (reply, reading) => {
      const job: LoadJob = { pageId: uuidv7(), reply: alone(reply) };
      const loaded = await run<Loaded>("load", job, reading);
      if (loaded instanceof Failure) return loaded;
      await pages.put(job.pageId, loaded.bytes);
      return { pageId: job.pageId, shown: loaded.shown };
    },

    plan: async (pageId, rest, reading) => {
      const jobOf = (page: PageRef | undefined): PlanJob => ({ ...rest, page });
      const onIt = pageId === undefined ? undefined : await onPage<SentPlan>("plan", pageId, jobOf, reading);
      if (onIt instanceof Failure) return onIt;
      if (onIt) return received(onIt);
      const without = await run<OfPage<SentPlan>>("plan", jobOf(undefined), reading);
      if (without instanceof Failure) return without;
      if (without.missing) throw new Error("a plan without a page misses one");
      return received(without.value);
    },

    actions: (pageId, reading) =>
      onPage<PageActions>("actions", pageId, (page): ActionsJob => ({ page }), reading),

    describe: (reply, fetchedAt, reading) => {
      const job: DescribeJob = { reply: alone(reply), siteId: reading.siteId, fetchedAt };
      return run<DescribedPage>("describe", job, reading);
    },
  };
};
