/** What strangers' pages and texts are read by: tasks of a pool's threads, each with a deadline, queued fairly by account, address and network. */

import { customerGroup, networkGroup } from "../domain/names/address.ts";
import type { RequestContext } from "../rpc/contract.ts";
import { type Failure, fail } from "../rpc/errors.ts";
import type { LimitScope, Quotas } from "../rpc/limit-rows/row.ts";
import { type Asker, FairQueue, type NotRun } from "./fair-queue.ts";
import type { PoolFault, ThreadPool } from "./pool.ts";
import type { Task } from "./task.ts";

/** Of a request: who asks, and for how long. */
export type Caller = Pick<RequestContext, "clientAddress" | "timeoutMs" | "principal" | "signal">;

export type TaskFailure = Failure<"unavailable" | "content_too_costly">;

export interface ThreadTasks {
  /**
   * Runs a task of the pool's threads for a caller.
   * @param site whose page it is, which is queued as an asker of its own beside the caller
   * @param transfer memory of the input that goes to the thread instead of a copy, and is empty afterwards
   * @returns `content_too_costly` for what takes too long or too much memory to read; `unavailable` where too much waits
   * @throws Error for a bug in the task
   */
  run<Input, Output>(
    task: Task<Input, Output>,
    input: Input,
    caller: Caller,
    site?: string,
    transfer?: ArrayBuffer[],
  ): Promise<Output | TaskFailure>;
}

type WaitingLimit = Partial<Record<LimitScope, Quotas>> & { total: { atOnce: number } };

export interface ThreadTasksOptions {
  /** Threads of the pool. */
  threads: number;
  /** Units of jobs that wait (limit-table.ts): of everybody, and of one account, key, site (`domain`), address and network. */
  waiting: WaitingLimit;
  /** Units that a job counts; default 1. */
  units?: number;
}

/**
 * Time of one job: two pages of 2 MiB of the worst kind take two seconds of a processor (test/bench/gateway.ts). By the
 * clock more, for a machine that is busy with other things and a thread that starts, and less than operations may take.
 */
export const JOB_LIMITS = { jobCpuMs: 2_500, jobTimeoutMs: 8_000 } as const;

const FAULTS: Record<Exclude<PoolFault, "threw">, readonly [TaskFailure["code"], message: string]> = {
  timeout: ["content_too_costly", "It takes too long to read. Send less of it, or a simpler page."],
  crashed: ["content_too_costly", "It takes too much memory to read. Send less of it, or a simpler page."],
  full: ["unavailable", "Too much waits to be read. Try again in a moment."],
  closed: ["unavailable", "This service is being stopped. Try again in a moment."],
};
const NOT_RUN: Record<NotRun | "site_full", string> = {
  full: "Too much waits to be read. Try again in a moment.",
  asker_full: "Too much of yours waits to be read. Send the next when one has been answered.",
  site_full: "Too much of this site waits to be read. Try again in a moment.",
  late: "It was not read in time: too much was read before it. Try again in a moment.",
};
const RETRY_SECONDS = 2;

const SITE = "domain" satisfies LimitScope;

/** Tasks on a pool that nobody else uses: what waits, waits in the fair queue and not in the pool's. */
export function threadTasks(
  pool: ThreadPool,
  { threads, waiting, units = 1 }: ThreadTasksOptions,
): ThreadTasks {
  const jobsIn = (atOnce: number): number => Math.max(1, Math.floor(atOnce / units));
  const mostOf = (scope: LimitScope): number => jobsIn((waiting[scope] ?? waiting.total).atOnce ?? 0);
  const queue = new FairQueue({ running: threads, maxWaiting: jobsIn(waiting.total.atOnce) });
  pool.countsQueue(() => queue.waiting);
  return {
    run: async <Input, Output>(
      task: Task<Input, Output>,
      input: Input,
      caller: Caller,
      site?: string,
      transfer?: ArrayBuffer[],
    ) => {
      const until = { waitMs: caller.timeoutMs, signal: caller.signal };
      const queued = await queue.run(askersOf(caller, site, mostOf), until, () =>
        pool.run(task, input, transfer),
      );
      if (!queued.ok) {
        const isSites = queued.why === "asker_full" && queued.of.startsWith(`${SITE} `);
        return fail("unavailable", NOT_RUN[isSites ? "site_full" : queued.why], {
          retryAfterSeconds: RETRY_SECONDS,
          overloaded: queued.why !== "asker_full",
          // Whoever else asks for that site is not to be held to less of other sites.
          callerOverloaded: queued.why === "asker_full" && !isSites,
        });
      }
      const result = queued.value;
      if (result.ok) return result.value;
      if (result.fault === "threw") throw new Error(result.detail);
      const [code, message] = FAULTS[result.fault];
      if (code === "unavailable") return fail(code, message, { retryAfterSeconds: RETRY_SECONDS });
      return fail(code, message);
    },
  };
}

/** Who a caller is to the others: the account or the key, and always the address and the network that it asks from. */
function askersOf(
  { clientAddress, principal }: Caller,
  site: string | undefined,
  mostOf: (scope: LimitScope) => number,
): Asker[] {
  const account = principal && "accountId" in principal ? principal.accountId : null;
  const key = principal?.kind === "key" && account === null ? principal.usageId : null;
  const ids: readonly (readonly [LimitScope, string | null | undefined])[] = [
    ["address", customerGroup(clientAddress)],
    ["network", networkGroup(clientAddress)],
    ["account", account],
    ["key", key],
    [SITE, site],
  ];
  return ids.flatMap(([scope, id]) => (id ? [{ id: `${scope} ${id}`, mostWaiting: mostOf(scope) }] : []));
}
