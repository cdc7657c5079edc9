/** Reads pages as Markdown and scans them, in a thread of its own, so that sessions do not wait for scans; it starts with the first page. */
import type { ConfirmedReports } from "../../../schemas/bounty.ts";
import type { ScannedText } from "../../../schemas/read-page.ts";
import type { SiteRecord } from "../../../schemas/site.ts";
import type { PageReply } from "../../../src/browser/page-source.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { LIMITS } from "../../../src/rpc/limit-table.ts";
import type { Records } from "../../../src/stores/records.ts";
import { ThreadPool } from "../../../src/threads/pool.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import { type Caller, JOB_LIMITS, type TaskFailure, threadTasks } from "../../../src/threads/thread-tasks.ts";
import { reportedFindings } from "../../gateway/firewall/reported.ts";
import { areListed } from "../../gateway/firewall/verified.ts";
import type { ReadFor } from "./page-reader.ts";
import type * as thread from "./read-thread.ts";

const task = tasksOf<typeof thread>(new URL("./read-thread.ts", import.meta.url));
const [READ, SCREEN] = [task("read"), task("screen")];
const THREADS = 1;

export type ReadText = ReturnType<typeof thread.read> & { fetchedAt: number };

export interface TextReader {
  /** @param asked the address that was asked for, before redirects @param fetchedAt milliseconds */
  read(reply: PageReply, fetchedAt: number, reading: ReadFor, asked: URL): Promise<ReadText | TaskFailure>;
  /** What the firewall says of texts that a session's site showed. */
  screen(sent: thread.ToScreen, caller: Caller): Promise<ScannedText | TaskFailure>;
  close(): Promise<void>;
}

/** @param confirmed and sites: what the firewall knows of addresses beside their pages */
export function openTextReader(
  confirmed: Pick<Records<ConfirmedReports>, "get">,
  sites: Pick<Records<SiteRecord>, "get">,
): TextReader {
  const pool = new ThreadPool({ name: "page_texts", threads: THREADS, ...JOB_LIMITS });
  const tasks = threadTasks(pool, { threads: THREADS, waiting: LIMITS.thread_tasks.by });
  return {
    read: async (reply, fetchedAt, { caller, siteId }, asked) => {
      const addresses = [asked, new URL(reply.url)];
      const reported = await reportedFindings(confirmed, addresses, fetchedAt);
      const isVerifiedHost = await areListed(sites, addresses, fetchedAt);
      const alone = { ...reply, body: new Uint8Array(reply.body) };
      const read = await tasks.run(READ, { reply: alone, reported, isVerifiedHost }, caller, siteId);
      return read instanceof Failure ? read : { ...read, fetchedAt };
    },
    screen: (sent, caller) => tasks.run(SCREEN, sent, caller),
    close: () => pool.close(),
  };
}
