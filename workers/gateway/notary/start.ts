/** The notary, bound to this process. */

import type { Runtime } from "../../../app/processes/runtime.ts";
import { CertificateRecord } from "../../../schemas/certificate.ts";
import { openRecords } from "../../../src/adapters/nats/records.ts";
import { serve } from "../../../src/transport/serve.ts";
import { lookAtOffersOf } from "../common/offer-page.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { notary } from "./contract.ts";
import { notaryHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime, scans: Scans): Promise<RunningModule> => {
  const { broker, identity, log } = runtime;
  const handlers = notaryHandlers({
    certificates: openRecords(broker.buckets.certificates, CertificateRecord),
    transparency: await runtime.transparency(),
    identity,
    limiter: runtime.limiter,
    look: lookAtOffersOf(runtime, scans),
    now: broker.now,
  });
  return { serving: serve(broker.connection, broker.prefix, notary, handlers, log) };
};
