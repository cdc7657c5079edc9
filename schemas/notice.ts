/** Notices about an account's sites, as webhooks carry them. */
import { z } from "zod";
import { AppealState } from "./appeal.ts";
import { Host, Timestamp } from "./common.ts";
import { Delivery } from "./provider.ts";
import { VerdictReason } from "./verdict.ts";

const NOTICE_KINDS = [
  "signature_runs_out",
  "stale",
  "delisted",
  "key_changed",
  "access_requested",
  "blocked",
  "appeal_decided",
] as const;

const SentNotice = z
  .object({
    kind: z.enum(NOTICE_KINDS),
    domain: Host,
    text: z.string().meta({ description: "For people: what happened, and where to act" }),
    days: z.int().optional().meta({ description: "Of signature_runs_out: at most so many are left" }),
    expires_at: Timestamp.optional(),
    reason: VerdictReason.optional().meta({ description: "Of stale and delisted" }),
    kid_before: z.string().optional(),
    kid_now: z.string().optional(),
    why: z.string().optional().meta({ description: "Of blocked and appeal_decided: what the operator says" }),
    appeal: AppealState.optional().meta({ description: "Of appeal_decided" }),
    requests: z.int().optional().meta({ description: "Of access_requested: how many are new" }),
  })
  .meta({ id: "SentNotice" });
export type SentNotice = z.infer<typeof SentNotice>;

export const NoticeEvent = z
  .object({
    type: z.enum(["notices", "test"]),
    timestamp: Timestamp,
    data: z.object({ registry: z.url(), account_id: z.string(), notices: z.array(SentNotice).max(100) }),
  })
  .meta({ id: "NoticeEvent" });
export type NoticeEvent = z.infer<typeof NoticeEvent>;

export const NoticeWebhook = z
  .object({
    url: z.string().nullable().meta({ example: "https://shop.example/hooks/bridge" }),
    state: z.enum(["none", "on", "off"]).meta({
      description: "off: a delivery failed for a day, or was answered 410; set it again to switch it on",
    }),
    off_reason: z.string().nullable(),
    created_at: Timestamp.nullable(),
    last_delivery: Delivery.nullable().meta({ description: "Kept for a week" }),
  })
  .meta({ id: "NoticeWebhook" });
export type NoticeWebhook = z.infer<typeof NoticeWebhook>;

export const NoticeWebhookWithSecret = NoticeWebhook.extend({
  secret: z.string().meta({ description: "Signs what is sent; said this once", example: "whsec_…" }),
}).meta({ id: "NoticeWebhookWithSecret" });
