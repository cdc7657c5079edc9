/** What the payment provider sends. No operation for callers: the front hands on the body as it came, with its signature. */
import { z } from "zod";
import { defineService } from "../../../src/rpc/contract.ts";

/** Of an event: a subscription with its items takes some 10 KiB. */
export const MOST_EVENT_BYTES = 256 * 1024;
/** A timestamp, and a signature for each secret in force. */
const MOST_SIGNATURE_CHARS = 1_024;

export const payments = defineService({
  name: "payments",
  description: "Events of the operator's payment provider",
  operations: {
    receiveEvent: {
      method: "POST",
      paths: ["/payments/events"],
      summary: "An event of the payment provider",
      auth: "none",
      limits: ["payment_events"],
      body: z.object({
        payload: z.string().max(MOST_EVENT_BYTES),
        signature: z.string().max(MOST_SIGNATURE_CHARS),
      }),
      reply: z.object({ received: z.literal(true) }),
      errors: ["event_not_signed", "payments_unavailable", "rate_limited"],
      bodyLimitBytes: MOST_EVENT_BYTES,
      timeoutMs: 25_000,
      waitsForSites: true,
      example: "/payments/events",
    },
  },
});
