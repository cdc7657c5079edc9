/** The notary, bound to this process. */
import { CertificateRecord } from "../../../schemas/certificate.ts";
import { openRecords } from "../../../src/adapters/nats/records.ts";
import type { Runtime } from "../../../src/runtime.ts";
import { serve } from "../../../src/serve.ts";
import type { RunningModule } from "../role.ts";
import { notary } from "./contract.ts";
import { notaryHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime): Promise<RunningModule> => {
  const { broker, identity, log } = runtime;
  const handlers = notaryHandlers({
    certificates: openRecords(broker.buckets.certificates, CertificateRecord),
    transparency: await runtime.transparency(),
    identity,
    now: broker.now,
  });
  return { serving: serve(broker.connection, broker.prefix, notary, handlers, log) };
};
