/** Operations on notices: what an account is mailed about its sites. */
import { z } from "zod";
import type { Operations } from "../../../src/rpc/contract.ts";
import { plainTextSchema } from "../../../src/rpc/validation.ts";

export const NoticeSettings = z
  .object({
    mail: z.boolean().meta({ description: "Whether mails about the account's sites are wanted" }),
    sends_mail: z.boolean().meta({ description: "Whether this registry sends mail at all" }),
  })
  .meta({ id: "NoticeSettings" });

export const noticeOperations = {
  setNoticeSettings: {
    method: "PUT",
    paths: ["/api/account/notices"],
    summary: "Have mails about the account's sites sent, or not",
    description:
      "A mail is sent ten, three and one days before a signature runs out, when a site becomes stale or is delisted, with the reason, when its key changed, and when agents ask for access to it; each once, and what an hour finds in one mail. To a proved address alone. getAccount says how it is set.",
    auth: "account",
    body: z.object({ mail: z.boolean() }),
    reply: NoticeSettings,
    errors: ["authentication_required"],
    example: '/api/account/notices {"mail":true}',
  },
  stopNotices: {
    method: "POST",
    paths: ["/api/notices/stop"],
    summary: "End mails about an account's sites, by the link in one of them",
    description:
      "The link is in `List-Unsubscribe` of each such mail, for one click (RFC 8058). It holds for 400 days.",
    auth: "none",
    charges: { log_ins: 1 },
    body: z.object({
      token: plainTextSchema(200)
        .min(1)
        .meta({ description: "`token` of the link in the mail", example: "0192f0c4-….1790000000.3q2-7w…" }),
    }),
    reply: z.object({ email: z.string(), mail: z.literal(false) }).meta({ id: "NoticesStopped" }),
    errors: ["link_invalid", "rate_limited"],
    example: '/api/notices/stop {"token":"{{noticesToken}}"}',
  },
} as const satisfies Operations;
