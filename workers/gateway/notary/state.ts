/** The certificates and the log that the module writes to. */
import { CertificateRecord } from "../../../schemas/certificate.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { openRecords } from "../../../src/stores/records.ts";
import type { GatewayContext } from "../common/context.ts";
import type { notary } from "./contract.ts";
import { notaryHandlers } from "./handlers.ts";

export const openNotary = async (context: GatewayContext): Promise<Handlers<typeof notary>> =>
  notaryHandlers({
    ...context,
    certificates: openRecords(context.buckets.certificates, CertificateRecord),
    transparency: await context.transparency(),
  });
