/** The Bounty Network, bound to this process. */

import { BountyReport, BountyTarget } from "../../../schemas/bounty.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { followRecords } from "../../../src/stores/follow.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { createFetchPage } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { bounty } from "./contract.ts";
import { bountyHandlers, type KnownReport } from "./handlers.ts";

/** Reports held in memory for counting; the newest. Some 500 bytes each. */
const MAX_KNOWN = 100_000;

export const start = async (runtime: Runtime, scans: Scans): Promise<RunningModule> => {
  const { broker, identity, limiter, polite, publicUrl, log } = runtime;
  const known = new Map<string, KnownReport>();
  const handles = new Map<string, Pick<KnownReport, "reporter" | "created_at">>();
  const following = await followRecords({
    bucket: broker.buckets.bounty_reports,
    schema: BountyReport,
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
    log,
  });
  const handlers = bountyHandlers({
    reports: openRecords(broker.buckets.bounty_reports, BountyReport),
    targets: openRecords(broker.buckets.bounty_targets, BountyTarget),
    known,
    handles,
    fetchPage: createFetchPage(polite),
    scans,
    limiter,
    publicUrl,
    secret: identity.secret,
    now: broker.now,
  });
  return {
    serving: runtime.serve(bounty, handlers),
    close: async () => following.stop(),
  };
};
