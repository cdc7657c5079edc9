/** Operations on appeals: of owners, against decisions about their sites. */
import { z } from "zod";
import { Appeal, AppealableDecision, AppealKind, MAX_APPEAL_CHARS } from "../../../schemas/appeal.ts";
import { Host } from "../../../schemas/common.ts";
import type { Operations } from "../../../src/rpc/contract.ts";
import { plainTextSchema } from "../../../src/rpc/validation.ts";

const SiteParams = z.object({ siteId: Host });

const AppealBody = z.object({
  kind: AppealKind,
  decision: plainTextSchema(64).min(1).meta({
    description: "As listSiteAppeals names it",
    example: "2026-01-31T12:00:00.000Z",
  }),
  reason: plainTextSchema(MAX_APPEAL_CHARS).min(1).meta({
    description: "Why it should not stand",
    example: "The page was hacked, and is clean since yesterday",
  }),
});

export const appealOperations = {
  listSiteAppeals: {
    method: "GET",
    paths: ["/api/account/sites/{siteId}/appeals"],
    summary: "Decisions that stand against a site, and the appeals of its owner",
    auth: "account",
    params: SiteParams,
    reply: z
      .object({ siteId: Host, decisions: z.array(AppealableDecision), appeals: z.array(Appeal) })
      .meta({ id: "SiteAppeals" }),
    errors: ["not_found", "authentication_required"],
    example: "/api/account/sites/{{siteId}}/appeals",
  },
  appealDecision: {
    method: "POST",
    makes: true,
    paths: ["/api/account/sites/{siteId}/appeals"],
    summary: "Appeal against a decision about a site: an operator looks at it again",
    description:
      "For the account that proved the domain. Once for each decision that listSiteAppeals names; an operator who did not make it answers, where there is another. The verdict of the site says that an appeal is open and how it was decided; the owner is told by notice.",
    auth: "account",
    charges: { requests_to_operators: 1 },
    params: SiteParams,
    body: AppealBody,
    reply: Appeal,
    errors: ["not_found", "already_appealed", "queue_full", "authentication_required", "rate_limited"],
    example:
      '/api/account/sites/{{blockedSite}}/appeals {"kind":"block","decision":"{{blockDecision}}","reason":"The page was hacked, and is clean since yesterday"}',
  },
} as const satisfies Operations;
