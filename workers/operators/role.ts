/** The role `operators`: answers the operators' API. */
import { openVerdicts } from "../../src/crawl/known-site.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { openAppeals } from "../../src/stores/appeals.ts";
import { openAuditLog, openOperators } from "../../src/stores/operators.ts";
import { openRecords } from "../../src/stores/records.ts";
import { openReports } from "../../src/stores/reports.ts";
import { storageUsed, streamCopies } from "../../src/telemetry/instruments.ts";
import { DeadLetter } from "../crawler/contract.ts";
import { operators } from "./contract.ts";
import { operatorsHandlers } from "./handlers.ts";

export async function start(runtime: Runtime): Promise<RunningRole> {
  const { blocks, broker, clock, config, frontier, log, sites } = runtime;
  const reports = openReports(broker.buckets, frontier, broker.now);
  const serving = runtime.serve(
    operators,
    operatorsHandlers({
      blocks,
      broker,
      clock,
      config,
      frontier,
      log,
      reports,
      sites,
      verdictOn: openVerdicts(runtime, broker.buckets),
      appeals: openAppeals(broker.buckets.appeals),
      operators: openOperators(broker),
      letters: openRecords(broker.buckets.dead_letters, DeadLetter),
      audit: openAuditLog(broker.buckets, broker.now),
    }),
  );
  const read = async () => {
    const { use, copies, silent } = await broker.storage();
    for (const { name, percent } of use) storageUsed.set({ stream: name }, percent / 100);
    for (const state of ["current", "behind", "offline"] as const) streamCopies.set({ state }, copies[state]);
    streamCopies.set({ state: "silent" }, silent.length);
    return {};
  };
  return { servings: [serving], read, drain: serving.drain };
}
