/**
 * The webhook of an account's notices: what is sent, put into the queue that the provider role works off, with its gate, its
 * retries and its back-off; what became of it is read from where that role keeps it.
 */
import { randomBytes } from "node:crypto";
import type { AccountRecord, NoticeWebhookRecord } from "../../../schemas/account.ts";
import type { NoticeEvent, SentNotice } from "../../../schemas/notice.ts";
import type { Delivery } from "../../../schemas/provider.ts";
import type { DelayedQueue } from "../../../src/ports/queue.ts";
import { DAY_MS, iso } from "../../../src/ports/time.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import type { Records } from "../../../src/stores/records.ts";
import type { Sealing } from "../../../src/stores/sealing.ts";
import { type BatchRecord, type Hook, newDelivery } from "../../provider/webhook-rules.ts";
import { sentenceOf } from "../mail/texts.ts";
import type { Notice } from "./rules.ts";

/** Of one event; the verdicts have the rest. */
const MOST_NOTICES = 100;
/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;
const NO_DOMAINS = { total: 0, enabled: 0, partial: 0, disabled: 0, invalid: 0, timeout: 0, pending: 0 };

export interface NoticeHooksDeps {
  entrance: Pick<DelayedQueue, "add">;
  deliveries: Pick<Records<BatchRecord>, "get" | "put" | "remove">;
  limiter: Pick<Limiter, "charge" | "refund">;
  sealing: Sealing;
  publicUrl: string;
  /** Milliseconds before each attempt. */
  schedule: readonly number[];
  now: () => number;
}

export interface NoticeHooks {
  /** A new secret, and as it is kept. */
  newSecret(accountId: string): { secret: string; sealed: string };
  /**
   * Puts an event on its way.
   * @returns its id, by which `deliveryOf` knows it; undefined where too many wait for this receiver
   */
  send(
    account: AccountRecord,
    type: NoticeEvent["type"],
    notices: readonly Notice[],
  ): Promise<string | undefined>;
  deliveryOf(id: string): Promise<Delivery | undefined>;
}

const sentNotice = (publicUrl: string, notice: Notice): SentNotice => {
  const { kind, siteId: domain } = notice;
  const said = { kind, domain, text: sentenceOf(publicUrl, notice) };
  switch (notice.kind) {
    case "signature_runs_out":
      return { ...said, days: notice.days, expires_at: notice.expiresAt };
    case "stale":
    case "delisted":
      return { ...said, reason: notice.reason };
    case "key_changed":
      return { ...said, kid_before: notice.before, kid_now: notice.now };
    case "access_requested":
      return { ...said, requests: notice.requests };
    case "blocked":
      return { ...said, why: notice.why };
    case "appeal_decided":
      return { ...said, appeal: notice.appeal, why: notice.why };
  }
};

/** Attempts that fit into a day. */
const attemptsIn = (schedule: readonly number[], withinMs: number): number => {
  let atMs = 0;
  let attempts = 0;
  for (const wait of schedule) {
    atMs += wait;
    if (atMs <= withinMs) attempts++;
  }
  return attempts;
};

export const openNoticeHooks = (deps: NoticeHooksDeps): NoticeHooks => {
  const { entrance, deliveries, limiter, sealing, publicUrl, schedule, now } = deps;

  /** Stores what is to become of it first: whoever delivers it finds where to say so. */
  const enqueue = async (accountId: string, { url, secret }: NoticeWebhookRecord, body: string) => {
    const { ok, charged } = await limiter.charge("webhooks", { host: new URL(url).hostname });
    if (!ok) return undefined;
    const id = uuidv7();
    const at = now();
    const delivery = newDelivery(url, true, attemptsIn(schedule, DAY_MS), at);
    const hook: Hook = {
      ...{ v: 1, id, url, body, made: 0, giveUpAt: at + DAY_MS },
      secret: sealing.open(secret, accountId) ?? null,
      charged: [{ ...charged, counted: [...charged.counted] }],
    };
    const kept = {
      v: 1 as const,
      request_id: id,
      created_at: iso(at),
      summary: NO_DOMAINS,
      private: true as const,
    };
    try {
      await deliveries.put(id, { ...kept, delivery });
      await entrance.add(id, JSON.stringify(hook));
    } catch (error) {
      await limiter.refund(charged);
      throw error;
    }
    return id;
  };

  return {
    newSecret: (accountId) => {
      const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
      return { secret, sealed: sealing.seal(secret, accountId) };
    },
    send: async ({ accountId, webhook }, type, notices) => {
      if (!webhook) return undefined;
      const event: NoticeEvent = {
        type,
        timestamp: iso(now()),
        data: {
          registry: publicUrl,
          account_id: accountId,
          notices: notices.slice(0, MOST_NOTICES).map((notice) => sentNotice(publicUrl, notice)),
        },
      };
      return enqueue(accountId, webhook, JSON.stringify(event));
    },
    deliveryOf: async (id) => (await deliveries.get(id))?.value.delivery ?? undefined,
  };
};
