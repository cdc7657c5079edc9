/** The Bounty Network, bound to this process. */
import { BountyReport, BountyTarget } from "../../../schemas/bounty.ts";
import { followRecords } from "../../../src/adapters/nats/follow.ts";
import { openRecords } from "../../../src/adapters/nats/records.ts";
import type { Runtime } from "../../../src/runtime.ts";
import { serve } from "../../../src/serve.ts";
import type { Pool } from "../../../src/threads/pool.ts";
import { createFetchPage } from "../common/page-input.ts";
import { scansOn } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { bounty } from "./contract.ts";
import { bountyHandlers, type KnownReport } from "./handlers.ts";

/** Reports held in memory for counting; the newest. Some 500 bytes each. */
const MAX_KNOWN = 100_000;

export const start = async (
  { broker, identity, polite, publicUrl, log }: Runtime,
  scanThreads: Pool,
): Promise<RunningModule> => {
  const known = new Map<string, KnownReport>();
  const following = await followRecords({
    bucket: broker.buckets.bounty_reports,
    schema: BountyReport,
    onPut: (key, { reporter, handle, state, kind, registrableDomain, created_at }) => {
      known.delete(key);
      known.set(key, { reporter, handle, state, kind, registrableDomain, created_at });
      if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!);
    },
    onRemove: (key) => known.delete(key),
    log,
  });
  const scans = scansOn(scanThreads);
  const handlers = bountyHandlers({
    reports: openRecords(broker.buckets.bounty_reports, BountyReport),
    targets: openRecords(broker.buckets.bounty_targets, BountyTarget),
    known,
    fetchPage: createFetchPage(polite),
    scans,
    publicUrl,
    secret: identity.secret,
    now: broker.now,
  });
  return {
    serving: serve(broker.connection, broker.prefix, bounty, handlers, log),
    close: async () => following.stop(),
  };
};
