/** Operations on the webhook of an account's notices. */
import { z } from "zod";
import { NoticeWebhook, NoticeWebhookWithSecret } from "../../../schemas/notice.ts";
import type { Operations } from "../../../src/rpc/contract.ts";

const PATH = "/api/account/notices/webhook";

export const noticeWebhookOperations = {
  noticeWebhook: {
    operationId: "getNoticeWebhook",
    method: "GET",
    paths: [PATH],
    summary: "Where notices about the account's sites are sent, and what became of the last",
    auth: "account",
    reply: NoticeWebhook,
    errors: ["authentication_required"],
    example: PATH,
  },
  setNoticeWebhook: {
    method: "PUT",
    waitsForSites: true,
    paths: [PATH],
    summary: "Have notices about the account's sites sent to an address, signed",
    description:
      "An https address that is reached publicly. What is sent is `receiveNotices`, by Standard Webhooks 1.0.0: verify `webhook-signature` with the secret of this reply. What is not accepted is sent again for a day, with growing pauses; then the webhook is switched off, and its holder is mailed. An address that was set is replaced, with a new secret.",
    auth: "account",
    limits: ["notice_webhooks"],
    body: z.object({
      url: z.string().max(2_048).meta({ example: "https://shop.example/hooks/bridge" }),
    }),
    reply: NoticeWebhookWithSecret,
    errors: ["invalid_callback", "authentication_required", "rate_limited"],
    timeoutMs: 15_000,
    example: `${PATH} {"url":"https://shop.example/hooks/bridge"}`,
  },
  testNoticeWebhook: {
    method: "POST",
    makes: true,
    paths: [`${PATH}/test`],
    summary: "Send a notice without news",
    description: "It is of type `test`; getNoticeWebhook says what became of it.",
    auth: "account",
    limits: ["notice_webhooks"],
    bodyOptional: true,
    body: z.object({}),
    reply: NoticeWebhook,
    errors: ["not_found", "authentication_required", "rate_limited"],
    example: `${PATH}/test {}`,
  },
  rotateNoticeWebhookSecret: {
    method: "POST",
    makes: true,
    paths: [`${PATH}/secret`],
    summary: "Give the webhook another secret",
    description: "What is on its way is still signed with the one before.",
    auth: "account",
    limits: ["notice_webhooks"],
    bodyOptional: true,
    body: z.object({}),
    reply: NoticeWebhookWithSecret,
    errors: ["not_found", "authentication_required", "rate_limited"],
    example: `${PATH}/secret {}`,
  },
  removeNoticeWebhook: {
    method: "DELETE",
    paths: [PATH],
    summary: "Have notices sent nowhere but by mail",
    auth: "account",
    reply: NoticeWebhook,
    errors: ["not_found", "authentication_required"],
    example: PATH,
  },
} as const satisfies Operations;
