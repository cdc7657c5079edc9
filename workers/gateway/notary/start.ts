/** The notary, bound to this process. */

import { CertificateRecord } from "../../../schemas/certificate.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { lookAtOffersOf } from "../common/offer-page.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { notary } from "./contract.ts";
import { notaryHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime, scans: Scans): Promise<RunningModule> => {
  const { broker, identity } = runtime;
  const handlers = notaryHandlers({
    certificates: openRecords(broker.buckets.certificates, CertificateRecord),
    transparency: await runtime.transparency(),
    identity,
    limiter: runtime.limiter,
    look: lookAtOffersOf(runtime, scans),
    now: broker.now,
  });
  return { serving: runtime.serve(notary, handlers) };
};
