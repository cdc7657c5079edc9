/** Replies of `execute`, told apart by `outcome`. */
import { z } from "zod";
import { Effect } from "./action.ts";
import { Money, Receipt } from "./receipt.ts";

const type = z.literal("action_result");
const success = z.boolean().meta({ description: "Whether the action was done" });
const url = z.string().optional().meta({ description: "Where the session is now" });
const interrupted = z
  .object({ action: z.string(), message: z.string() })
  .optional()
  .meta({ description: "An earlier action of the session during which a worker stopped" });
const receipt = Receipt.optional().meta({ description: "Of what was sent, where it had an effect" });
const already_done = z
  .literal(true)
  .optional()
  .meta({ description: "It was done before, and not now: the Idempotency-Key, or the page, had been used" });
const error = z.looseObject({
  code: z.string().meta({ description: "Stable", example: "target_not_found" }),
  message: z.string(),
  faults: z
    .array(z.looseObject({ target: z.string(), name: z.string(), message: z.string() }))
    .optional()
    .meta({ description: "Every parameter or field that does not suit, of `validation_failed`" }),
  request_sent: z
    .literal(true)
    .optional()
    .meta({ description: "Something had reached the site: do not send it again blindly" }),
  retry_after_seconds: z.number().optional(),
});

const Done = z
  .object({
    type,
    outcome: z.literal("done"),
    success: z.literal(true),
    result: z.looseObject({ url, interrupted, receipt, already_done }).meta({
      description: "What was read, or what changed: address, status, title, text, forms with their state",
    }),
  })
  .meta({ id: "ActionDone" });

const Failed = z
  .object({
    type,
    outcome: z.literal("failed"),
    success: z.literal(false),
    result: z
      .looseObject({ url, error: error.optional(), interrupted, receipt, already_done })
      .meta({ description: "Why it could not be done; the session stays at `url`" }),
  })
  .meta({ id: "ActionFailed" });

const ByScript = z
  .object({
    type,
    outcome: z.literal("script"),
    success,
    result: z
      .looseObject({ by: z.literal("script"), url, error: error.optional(), interrupted, receipt })
      .meta({ description: "What the site's own script answered" }),
  })
  .meta({ id: "ActionByScript" });

const DryRun = z
  .object({
    type,
    outcome: z.literal("dry_run"),
    success: z.literal(true),
    result: z.looseObject({
      url,
      dry_run: z.literal(true),
      effect: Effect,
      total: Money.nullable().meta({
        description: "What the page says it would cost; null where it shows none",
      }),
      would_send: z
        .object({
          method: z.enum(["GET", "POST", "SCRIPT"]),
          url: z.string(),
          content_type: z.string().nullable(),
          fields: z
            .array(z.object({ name: z.string(), value: z.string() }))
            .meta({ description: "As they would be sent; passwords and numbers of cards are masked" }),
        })
        .nullable()
        .meta({ description: "Null where nothing would be sent" }),
      confirm: z
        .object({ confirm_total: z.string().optional(), confirm_unknown_total: z.literal(true).optional() })
        .nullable()
        .meta({ description: "What to send with the command to have it done; null where nothing is needed" }),
    }),
  })
  .meta({ id: "ActionDryRun" });

export const ActionResult = z
  .discriminatedUnion("outcome", [Done, Failed, ByScript, DryRun])
  .meta({ id: "ActionResult", type: "object" });
export type ActionResult = z.infer<typeof ActionResult>;
