/** Receipts: what an agent's effects on sites were, as the registry sent them. */
import { z } from "zod";
import { Effect } from "./action.ts";
import { Host, Sha256, Timestamp } from "./common.ts";
import { Currency } from "./currency.ts";

/** How long a receipt is kept. */
export const RECEIPT_DAYS = 400;
/** Receipts that a list names, the newest first. */
export const MAX_LISTED_RECEIPTS = 100;

export const Money = z
  .object({
    amount: z.string().max(20).meta({ description: "In the currency's digits", example: "14.90" }),
    currency: Currency,
  })
  .meta({ id: "Money" });

/** A total as callers write it. */
export const MoneyText = z
  .string()
  .regex(/^\d{1,12}(?:\.\d{1,4})? [A-Z]{3}$/, "must be an amount and a currency, such as 14.90 EUR");

/**
 * The registry's record of one effect. It is written before the request is sent, and is what keeps it from being sent
 * twice: by its id where the caller gave an Idempotency-Key, by the session's page without one.
 */
export const ReceiptRecord = z.looseObject({
  v: z.literal(1),
  receiptId: z.string(),
  /** `sending`: it may be on its way. `sent`: the site has answered. `unknown`: nobody knows whether the site took it. */
  state: z.enum(["sending", "sent", "done", "unknown"]),
  /** Until when somebody may still be sending it (milliseconds). */
  until: z.number(),
  sessionId: z.string(),
  siteId: Host,
  licenseId: z.string(),
  agentId: z.string(),
  accountId: z.string(),
  /** The agent whose token opened the session. Absent where a license did. */
  byAgent: z.string().optional(),
  action: z.string(),
  effect: Effect,
  total: Money.nullable(),
  method: z.enum(["GET", "POST", "SCRIPT"]),
  /** Without query and fragment. */
  url: z.string(),
  requestHash: Sha256,
  /** Of the command, so that its Idempotency-Key stands for no other one. */
  commandHash: Sha256.optional(),
  startedAt: Timestamp,
  finishedAt: Timestamp.nullable(),
  status: z.int().nullable(),
  replyHash: Sha256.nullable(),
  finalUrl: z.string().nullable(),
  /** Its place in the transparency log. */
  leafIndex: z.int().nullable(),
});
export type ReceiptRecord = z.infer<typeof ReceiptRecord>;

/** The newest receipts of an agent or an account, the newest first. */
export const ReceiptList = z.looseObject({ v: z.literal(1), receiptIds: z.array(z.string()) });
export type ReceiptList = z.infer<typeof ReceiptList>;

export const Receipt = z
  .object({
    receipt_id: z.string().meta({ description: "UUID" }),
    state: z.enum(["sending", "done", "unknown"]).meta({
      description:
        "`done`: the site answered; `sending`: under way; `unknown`: it broke off, and the site may have taken it: look there before you do it again",
    }),
    site: z.string(),
    session_id: z.string(),
    agent_id: z.string(),
    action: z.string(),
    effect: Effect,
    total: Money.nullable().meta({ description: "What the page showed; null where it showed none" }),
    method: z.enum(["GET", "POST", "SCRIPT"]),
    url: z.string().meta({ description: "Where it was sent, without query" }),
    request_sha256: Sha256.meta({
      description: "SHA-256 of receipt id, method and address, and body, each on a line of its own",
    }),
    sent_at: Timestamp,
    finished_at: Timestamp.nullable(),
    status: z.int().nullable().meta({ description: "HTTP status of the site's answer" }),
    reply_sha256: Sha256.nullable().meta({ description: "SHA-256 of the page that came" }),
    final_url: z.string().nullable().meta({ description: "Where redirects led: the order's page, usually" }),
  })
  .meta({ id: "Receipt" });
export type Receipt = z.infer<typeof Receipt>;

export const LoggedReceipt = z
  .object({
    receipt: Receipt,
    log: z
      .object({
        leaf_index: z.int(),
        entry: z
          .string()
          .meta({ description: "The log's entry: JSON with the hash of the receipt (RFC 8785)" }),
        size: z.int().meta({ description: "Size of the tree that the proof is for" }),
        proof: z.array(z.string()).meta({ description: "Inclusion proof, nearest sibling first, in base64" }),
        checkpoint: z.string().meta({ description: "The signed head of that tree" }),
      })
      .nullable()
      .meta({ description: "Null until it is in the transparency log" }),
  })
  .meta({ id: "LoggedReceipt" });
