/** Sessions' pages, read in a thread: what commands mean on them, and how they are kept for every worker. */

import type { PageReply } from "../../src/browser/page-source.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Caller, TaskFailure, ThreadTasks } from "../../src/threads/thread-tasks.ts";
import type { NamedPlan } from "./commands.ts";
import type {
  Arrived,
  ArriveJob,
  LookedAt,
  LookJob,
  Offered,
  OfferJob,
  OfPage,
  PageRef,
  PlanJob,
  SentPlan,
} from "./page-tasks.ts";
import type { PageBytes } from "./store.ts";

/** Whom a page is read for, and whose page it is: each has a share of the thread. */
export interface Reading {
  caller: Caller;
  siteId: string;
}

export interface PageReader {
  /** Parses a page that came and keeps it. @returns its id, and what a reply tells of it */
  arrive(
    reply: PageReply,
    reading: Reading,
  ): Promise<{ pageId: string; shown: Arrived["shown"] } | TaskFailure>;
  /** What a command means on a kept page, or without one; a page that is kept no more is none. */
  plan(
    pageId: string | undefined,
    job: Omit<PlanJob, "page">,
    reading: Reading,
  ): Promise<NamedPlan | TaskFailure>;
  /** What the forms and links of a kept page offer; undefined where it is kept no more. */
  offer(pageId: string, reading: Reading): Promise<Offered | undefined | TaskFailure>;
  /** A page described, and not kept. */
  look(reply: PageReply, fetchedAt: number, reading: Reading): Promise<LookedAt | TaskFailure>;
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
    arrive: async (reply, reading) => {
      const job: ArriveJob = { pageId: uuidv7(), reply: alone(reply) };
      const arrived = await run<Arrived>("arrive", job, reading);
      if (arrived instanceof Failure) return arrived;
      await pages.put(job.pageId, arrived.bytes);
      return { pageId: job.pageId, shown: arrived.shown };
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

    offer: (pageId, reading) => onPage<Offered>("offer", pageId, (page): OfferJob => ({ page }), reading),

    look: (reply, fetchedAt, reading) => {
      const job: LookJob = { reply: alone(reply), siteId: reading.siteId, fetchedAt };
      return run<LookedAt>("look", job, reading);
    },
  };
};
