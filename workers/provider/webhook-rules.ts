/** Standard Webhooks 1.0.0: where one may go, how it is signed, when it is sent again. Pure. */

import { createHmac } from "node:crypto";
import { isIP } from "node:net";
import { z } from "zod";
import type { Delivery, DeliveryAttempt } from "../../schemas/provider.ts";
import { BatchSummary, Delivery as DeliverySchema } from "../../schemas/provider.ts";
import { type AddressException, isAllowedPort } from "../../src/domain/names/address.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import { checkAddresses } from "../../src/domain/names/target.ts";
import { withoutPadding } from "../../src/domain/protocols/base64url.ts";
import { COUNTER_WINDOWS } from "../../src/ports/counters.ts";
import { iso } from "../../src/ports/time.ts";

/** A wait is lengthened by up to this share, so that what failed together does not come back together. */
const JITTER = 0.1;
/** Attempts kept in a record, from the first. */
const MAX_ATTEMPTS_KEPT = 20;

/** One webhook in the queue: all that is needed to send it again. The secret is gone with the message. */
export const Hook = z.looseObject({
  v: z.literal(1),
  id: z.string(),
  url: z.string(),
  secret: z.string().nullable(),
  /** The very text that is signed and sent. */
  body: z.string(),
  /** Attempts that were made. */
  made: z.int(),
  /** No attempt is made after this, milliseconds of the broker's clock; default: the schedule's end. */
  giveUpAt: z.number().optional(),
  /** What it was charged to while it waits (src/rpc/limits.ts, Charged). */
  charged: z
    .object({
      counted: z.array(z.object({ window: z.enum(COUNTER_WINDOWS), key: z.string(), amount: z.number() })),
      at: z.number(),
    })
    .optional(),
});
export type Hook = z.infer<typeof Hook>;

/** A batch as it is kept: no results, no secret. */
export const BatchRecord = z.looseObject({
  v: z.literal(1),
  request_id: z.string(),
  created_at: z.iso.datetime(),
  summary: BatchSummary,
  /** Until then what was pending is looked at, milliseconds of the broker's clock. */
  running_until: z.number().optional(),
  delivery: DeliverySchema.nullable(),
  /** Of an account's notices: nobody else reads what became of it. */
  private: z.literal(true).optional(),
});
export type BatchRecord = z.infer<typeof BatchRecord>;

export type Callback = { ok: true; url: URL } | { ok: false; reason: string };

/** What an attempt's answer means. */
export type DeliveryOutcome =
  | { kind: "delivered" }
  | { kind: "ended"; reason: string }
  | { kind: "again"; failure: string };

/** Never to be tried again: the address itself is refused, and what is refused today is refused tomorrow. */
const FATAL: ReadonlySet<string> = new Set([
  "refused_address",
  "refused_port",
  "refused_scheme",
  "refused_credentials",
  "invalid_url",
]);

/**
 * Whether a webhook may go to an address, as far as the address itself shows it.
 * @param allow what the operator opened beyond public addresses and the ports 80 and 443
 */
export function parseCallback(text: string, allow: readonly AddressException[]): Callback {
  const refuse = (reason: string): Callback => ({ ok: false, reason });
  const url = URL.parse(text);
  if (url === null) return refuse("is not an absolute address");
  if (url.protocol !== "https:" && url.protocol !== "http:") return refuse("is neither https nor http");
  if (url.username !== "" || url.password !== "") return refuse("holds credentials");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  if (isIP(host) !== 0) {
    const refused = checkAddresses([host], port, allow);
    return refused ? refuse(`cannot be sent to: ${refused.detail}`) : { ok: true, url };
  }
  const parsed = parseHost(host);
  if (!parsed.ok) return refuse(`${host} is not a public host name (${parsed.reason})`);
  return isAllowedPort(port, allow) ? { ok: true, url } : refuse(`port ${port} is neither 80 nor 443`);
}

/** Header fields of one attempt. @param timestamp seconds since the epoch */
export function webhookHeaders(
  { id, body, secret }: Pick<Hook, "id" | "body" | "secret">,
  timestamp: number,
): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
  };
  const key = secret === null ? undefined : secretBytes(secret);
  if (key === undefined) return headers;
  const signed = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signed}` };
}

/** The bytes of a secret: base64 after `whsec_`, else the text's UTF-8; undefined when the base64 is none. */
export function secretBytes(secret: string): Buffer | undefined {
  if (!secret.startsWith("whsec_")) return Buffer.from(secret, "utf8");
  const base64 = secret.slice("whsec_".length);
  const bytes = Buffer.from(base64, "base64");
  const again = withoutPadding(bytes.toString("base64"));
  return bytes.length > 0 && again === withoutPadding(base64) ? bytes : undefined;
}

/** Milliseconds to wait before the attempt after `made` ones, or undefined when there is none. */
export function waitBefore(
  schedule: readonly number[],
  made: number,
  random: () => number,
): number | undefined {
  const wait = schedule[made];
  return wait === undefined ? undefined : Math.round(wait * (1 + JITTER * random()));
}

export function deliveryOutcome(answer: { status: number } | { failure: string }): DeliveryOutcome {
  if ("failure" in answer)
    return FATAL.has(answer.failure)
      ? { kind: "ended", reason: answer.failure }
      : { kind: "again", failure: answer.failure };
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === 410) return { kind: "ended", reason: "gone" };
  return { kind: "again", failure: status >= 300 && status < 400 ? "redirect_refused" : "status" };
}

export const newDelivery = (url: string, signed: boolean, attempts: number, now: number): Delivery => ({
  state: "pending",
  url,
  signed,
  reason: null,
  attempts: [],
  attempts_left: attempts,
  next_attempt_at: iso(now),
  ended_at: null,
});

/**
 * What is left to do of a webhook that came out of the queue, going by its batch's record: after a fault of the broker the
 * queue may hold one that has ended, or that was attempted more often. Without a record the queue is believed.
 * @returns no hook when all is done; `notBefore` in milliseconds
 */
export function resumed(
  hook: Hook,
  record: BatchRecord | undefined,
): { hook: Hook | undefined; notBefore: number } {
  if (!record) return { hook, notBefore: 0 };
  const { delivery } = record;
  if (delivery?.state !== "pending") return { hook: undefined, notBefore: 0 };
  const made = Math.max(hook.made, delivery.attempts.length);
  return { hook: { ...hook, made }, notBefore: Date.parse(delivery.next_attempt_at ?? "") || 0 };
}

/** @param nextAt milliseconds of the next attempt; undefined when this was the last */
export function afterAttempt(
  before: Delivery,
  attempt: DeliveryAttempt,
  verdict: DeliveryOutcome,
  nextAt: number | undefined,
  now: number,
): Delivery {
  const attempts = [...before.attempts, attempt].slice(0, MAX_ATTEMPTS_KEPT);
  const attempts_left = Math.max(0, before.attempts_left - 1);
  if (verdict.kind === "again" && nextAt !== undefined)
    return { ...before, attempts, attempts_left, next_attempt_at: iso(nextAt) };
  const reason =
    verdict.kind === "again" ? "attempts_exhausted" : verdict.kind === "ended" ? verdict.reason : "delivered";
  return {
    ...before,
    state: verdict.kind === "delivered" ? "delivered" : "failed",
    reason,
    attempts,
    attempts_left,
    next_attempt_at: null,
    ended_at: iso(now),
  };
}
