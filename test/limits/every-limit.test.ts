/** Every row of the table of limits is asked: a stranger of one network is refused, one of another is served. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limitsOfOperation } from "../../app/processes/limit-report.ts";
import { services } from "../../app/services.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { STORED } from "../../src/ports/storage.ts";
import { LIMITS, type LimitName } from "../../src/rpc/limit-table.ts";
import { openRecords } from "../../src/stores/records.ts";
import { ThreadPool } from "../../src/threads/pool.ts";
import { threadTasks } from "../../src/threads/thread-tasks.ts";
import { BatchRecord } from "../../workers/provider/webhook-rules.ts";
import { startWebhooks } from "../../workers/provider/webhooks.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { DRIVERS, type Rig } from "./drivers.ts";

/** A fiftieth of every figure. */
const PERCENT = 2;
/** Tries within which each row refuses: none of a single unit has a quota above 50 at this scale. */
const MOST_TRIES = 120;

let mail: MailServer;
let registry: TestRegistry;
let rig: Rig;
let pool: ThreadPool | undefined;
const ends: (() => void)[] = [];
beforeAll(async () => {
  mail = await startMailServer();
  registry = await startRegistry({
    world: { sites: 4, soundShare: 1 },
    config: {
      BRIDGE_LIMITS_PERCENT: PERCENT,
      BRIDGE_SMTP_URL: mail.url,
    },
    // Without a crawler: what strangers name waits, and is not probed meanwhile.
    roles: ["session", "provider", "accounts", "trust", "gateway", "gossip", "search", "protocol", "indexer"],
  });
  const { runtime } = registry;
  const webhooks = await startWebhooks({
    broker: runtime.broker,
    polite: runtime.polite,
    batches: openRecords(runtime.broker.buckets.batches, BatchRecord),
    clock: systemClock,
    log: runtime.log,
    schedule: [60_000],
    leaseMs: 20_000,
    random: Math.random,
    limiter: runtime.limiter,
  });
  pool = new ThreadPool({ threads: 1 });
  const tasks = threadTasks(pool, { threads: 1, waiting: LIMITS.thread_tasks.by });
  rig = { registry, webhooks, tasks, onEnd: (end) => ends.push(end) };
});
afterAll(async () => {
  for (const end of ends) end();
  await rig?.webhooks.drain();
  await pool?.close();
  await registry?.stop();
  await mail?.stop();
});

const rows = Object.keys(LIMITS) as LimitName[];

describe("a stranger of one network is refused, and one of another is served:", () => {
  let networks = 10;
  const newNetwork = (): string => `127.${networks++}.0`;

  it.each(Object.entries(DRIVERS))("%s", { timeout: 60_000 }, async (_, driver) => {
    const attempt = await driver(rig, newNetwork());
    const told: string[] = [];
    for (let nth = 0; nth < MOST_TRIES; nth++) {
      const outcome = await attempt(nth);
      told.push(outcome.told);
      if (outcome.refused) break;
      // The first is never refused: nobody would be served.
      expect(nth, told.slice(-3).join("\n")).toBeLessThan(MOST_TRIES - 1);
    }
    expect(told.length, told.join("\n")).toBeGreaterThan(1);
    const other = await driver(rig, newNetwork());
    expect(await other(0)).toMatchObject({ refused: false });
    for (const end of ends.splice(0)) end();
  });
});

describe("the table of limits", () => {
  const operations = services.flatMap(({ name, operations }) =>
    Object.entries(operations).map(([operation, spec]) => ({ id: `${name}.${operation}`, spec })),
  );

  it("is where every operation that changes something is charged, beside the requests of everybody", () => {
    // Searches that ARD has by POST: they change nothing, and are bounded as those by GET are.
    const searches = ["/ard/search", "/ard/explore"];
    const free = operations
      .filter(({ spec }) => spec.method !== "GET" && spec.auth === "none")
      .filter(({ spec }) => !searches.includes(spec.paths[0]!))
      .filter(({ spec }) => Object.keys(limitsOfOperation(spec)).length <= 3);
    expect(free.map(({ id }) => id)).toEqual([]);
  });

  it("has no row that bounds nothing, and every row that is named", () => {
    const used = new Set<string>([
      ...operations.flatMap(({ spec }) => Object.keys(limitsOfOperation(spec))),
      ...Object.values(STORED).flatMap(({ limits }) => limits),
    ]);
    expect([...used].filter((row) => !(row in LIMITS))).toEqual([]);
    // Those of a process are charged by no operation: its driver shows that each refuses.
    const unused = rows.filter((row) => !used.has(row) && LIMITS[row].counted !== "process");
    expect(unused).toEqual([]);
  });

  it("counts by network in every row but those that bound what one owner or one site may", () => {
    const without = rows.filter((row) => !("network" in LIMITS[row].by));
    expect(without).toEqual(["mails_of_news", "logged_changes"]);
  });
});
