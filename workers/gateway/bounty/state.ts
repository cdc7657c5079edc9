/** What the module keeps in a process: the newest reports, followed in memory for counting and finding. */
import { BountyReport, BountyTarget } from "../../../schemas/bounty.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { followRecords } from "../../../src/stores/follow.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { followReport, openReports, type ReportStore } from "../../../src/stores/reports.ts";
import type { GatewayContext } from "../common/context.ts";
import type { bounty } from "./contract.ts";
import { bountyHandlers } from "./handlers.ts";
import { type KnownReport, REPORT_KEYS } from "./reports.ts";

/** Reports held in memory; the newest. Some 500 bytes each. */
const MAX_KNOWN = 100_000;

export async function openBounty(context: GatewayContext): Promise<Handlers<typeof bounty>> {
  const { buckets, clock, fetchPage, frontier, limiter, log, now, publicUrl, scans, secret } = context;
  const known = new Map<string, KnownReport>();
  const handles = new Map<string, Pick<KnownReport, "reporter" | "created_at">>();
  const following = await followRecords({
    bucket: buckets.bounty_reports,
    schema: BountyReport,
    key: REPORT_KEYS,
    onPut: (key, { reporter, handle, state, kind, registrableDomain, created_at }) => {
      const first = handle === null ? undefined : handles.get(handle);
      if (handle !== null && !(first && first.created_at <= created_at))
        handles.set(handle, { reporter, created_at });
      if (handles.size > MAX_KNOWN) handles.delete(handles.keys().next().value!);
      known.delete(key);
      known.set(key, { reporter, handle, state, kind, registrableDomain, created_at });
      if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!);
    },
    onRemove: (key) => known.delete(key),
    clock,
    log,
  });
  const store = openReports(buckets, frontier, now);
  const stopping = new AbortController();
  const caughtUp = catchUp(store, known, stopping.signal).catch((error: unknown) =>
    log.warn({ err: error }, "confirmed reports were not brought in line with their domains"),
  );
  context.onClose(async () => {
    following.stop();
    stopping.abort();
    await caughtUp;
  });
  return bountyHandlers({
    store,
    targets: openRecords(buckets.bounty_reports, BountyTarget),
    known,
    handles,
    fetchPage,
    scans,
    limiter,
    publicUrl,
    secret,
    now,
  });
}

/** Has each domain know its confirmed reports: those, too, after whose change a process ended. */
async function catchUp(
  store: ReportStore,
  known: ReadonlyMap<string, KnownReport>,
  stopping: AbortSignal,
): Promise<void> {
  for (const [id, { state }] of [...known]) {
    if (stopping.aborted) return;
    if (state === "triaged" || state === "resolved") await followReport(store, id);
  }
}
