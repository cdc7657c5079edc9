/** The certificates and the log that the module writes to. */
import { CertificateRecord } from "../../../schemas/certificate.ts";
import { PriceHistory } from "../../../schemas/price.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { openRecords } from "../../../src/stores/records.ts";
import type { GatewayContext } from "../common/context.ts";
import type { notary } from "./contract.ts";
import { notaryHandlers } from "./handlers.ts";

export const openNotary = async (context: GatewayContext): Promise<Handlers<typeof notary>> =>
  notaryHandlers({
    ...context,
    histories: openRecords(context.buckets.prices, PriceHistory),
    certificates: openRecords(context.buckets.certificates, CertificateRecord),
    transparency: await context.transparency(),
  });
