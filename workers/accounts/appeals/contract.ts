/** Operations on appeals: of owners, against decisions about their sites. */
import { z } from "zod";
import { Appeal, AppealableDecision, AppealKind, MAX_APPEAL_CHARS } from "../../../schemas/appeal.ts";
import { Host, Timestamp } from "../../../schemas/common.ts";
import type { Operations } from "../../../src/rpc/contract.ts";
import { plainText } from "../../../src/rpc/validation.ts";

const SiteParams = z.object({ siteId: Host });
const DomainParams = z.object({ domain: Host });

const AppealBody = z.object({
  kind: AppealKind,
  decision: plainText(64).min(1).meta({
    description: "As listSiteAppeals or listDecisionsByProof names it",
    example: "2026-01-31T12:00:00.000Z",
  }),
  reason: plainText(MAX_APPEAL_CHARS).min(1).meta({
    description: "Why it should not stand",
    example: "The page was hacked, and is clean since yesterday",
  }),
});
const Token = plainText(100).meta({ description: "As getAppealChallenge gave it" });
/** Two names are asked, as long as a slow name server takes. */
const DNS_TIMEOUT_MS = 12_000;

export const appealOperations = {
  siteAppeals: {
    operationId: "listSiteAppeals",
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
  appeal: {
    operationId: "appealDecision",
    method: "POST",
    makes: true,
    paths: ["/api/account/sites/{siteId}/appeals"],
    summary: "Appeal against a decision about a site: an operator looks at it again",
    description:
      "For the account that proved the domain. Once for each decision that listSiteAppeals names; an operator who did not make it answers, where there is another. The verdict of the site says that an appeal is open and how it was decided; the owner is told by notice.",
    auth: "account",
    limits: ["appeals"],
    params: SiteParams,
    body: AppealBody,
    reply: Appeal,
    errors: ["not_found", "already_appealed", "queue_full", "authentication_required", "rate_limited"],
    example:
      '/api/account/sites/{{blockedSite}}/appeals {"kind":"block","decision":"{{blockDecision}}","reason":"The page was hacked, and is clean since yesterday"}',
  },
  appealChallenge: {
    operationId: "getAppealChallenge",
    method: "POST",
    paths: ["/api/registry/sites/{domain}/appeals/challenge"],
    summary: "A TXT record that proves a domain for an appeal without an account",
    description:
      "For owners of sites that were taken down or delisted. One of the records is enough; the token, which no record gives away, is for its holder alone, and both hold for a week. Nothing is stored, and nothing is said of accounts.",
    auth: "none",
    limits: ["appeal_proofs"],
    params: DomainParams,
    body: z.object({}),
    bodyOptional: true,
    reply: z
      .object({
        domain: Host,
        token: z.string().meta({ example: "1770552000.Tm9…" }),
        records: z.array(
          z.object({ host: z.string(), type: z.literal("TXT"), value: z.string(), ttl: z.int() }),
        ),
        ends_at: Timestamp,
      })
      .meta({ id: "AppealChallenge" }),
    errors: ["rate_limited"],
    example: "/api/registry/sites/{{host}}/appeals/challenge {}",
  },
  provedDecisions: {
    operationId: "listDecisionsByProof",
    method: "POST",
    paths: ["/api/registry/sites/{domain}/appeals/decisions"],
    summary: "Decisions that stand against a site, for whoever proves its domain",
    auth: "none",
    limits: ["appeal_proofs"],
    params: DomainParams,
    body: z.object({ token: Token }),
    reply: z
      .object({ domain: Host, decisions: z.array(AppealableDecision) })
      .meta({ id: "DecisionsByProof" }),
    errors: ["proof_required", "rate_limited"],
    timeoutMs: DNS_TIMEOUT_MS,
    waitsForSites: true,
    example: '/api/registry/sites/{{unclaimedSite}}/appeals/decisions {"token":"{{appealToken}}"}',
  },
  provedAppeal: {
    operationId: "appealByProof",
    method: "POST",
    makes: true,
    paths: ["/api/registry/sites/{domain}/appeals"],
    summary: "Appeal against a decision about a site, for whoever proves its domain",
    description:
      "As appealDecision, without an account: once for each decision that listDecisionsByProof names. The verdict of the site says that an appeal is open, and how it was decided.",
    auth: "none",
    limits: ["appeal_proofs", "appeals"],
    params: DomainParams,
    body: AppealBody.extend({ token: Token }),
    reply: Appeal,
    errors: ["proof_required", "not_found", "already_appealed", "queue_full", "rate_limited"],
    timeoutMs: DNS_TIMEOUT_MS,
    waitsForSites: true,
    example:
      '/api/registry/sites/{{unclaimedSite}}/appeals {"token":"{{appealToken}}","kind":"block","decision":"{{unclaimedDecision}}","reason":"The page was hacked, and is clean since yesterday"}',
  },
} as const satisfies Operations;
