/** Account holders, as operators see them: what plan they ask for, and what is granted, suspended or given back. */
import { z } from "zod";
import { User } from "../../../schemas/account.ts";
import { Host } from "../../../schemas/common.ts";
import { Tier } from "../../../schemas/license.ts";
import { MAX_PLAN_NOTE_CHARS, PlanRequest } from "../../../schemas/plan.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { plainTextSchema } from "../../../src/rpc/validation.ts";
import { Email } from "../fields.ts";

/** Reading all requests. */
const READ_TIMEOUT_MS = 30_000;

const AccountParams = z.object({ accountId: z.uuid() });
const Why = plainTextSchema(MAX_PLAN_NOTE_CHARS).min(1).meta({
  description: "For the account's holder",
  example: "Paid by invoice 2026-117",
});

const Holder = z
  .object({
    user: User,
    suspended: z.boolean(),
    sites: z.array(Host),
    licenses: z.int(),
    projects: z.int(),
    agents: z.int(),
    plan_request: PlanRequest.nullable(),
  })
  .meta({ id: "AccountHolder", description: "An account, as operators see it" });

/** An address with its comments; RFC 5322 section 2.1.1 allows lines of 998. */

export const holders = defineService({
  name: "holders",
  description: "Account holders, as operators see them: plans that are asked for, and accounts",
  operations: {
    listPlanRequests: {
      method: "GET",
      paths: ["/api/operators/plan-requests"],
      summary: "Plans that accounts asked for and that wait for approval, the oldest first",
      auth: "operator",
      role: "admin",
      query: z.object({ limit: z.int().min(1).max(1_000).default(50) }),
      reply: z
        .object({
          total: z.int(),
          requests: z.array(z.object({ user: User, request: PlanRequest })),
        })
        .meta({ id: "PlanRequests" }),
      errors: [],
      timeoutMs: READ_TIMEOUT_MS,
      example: "/api/operators/plan-requests",
    },
    decidePlanRequest: {
      method: "POST",
      paths: ["/api/operators/plan-requests/{accountId}/decisions"],
      summary: "Approve or refuse the plan that an account asked for; its holder is told by mail",
      auth: "operator",
      role: "admin",
      makes: true,
      params: AccountParams,
      body: z.object({
        tier: Tier.meta({ description: "The plan that was asked for, as listPlanRequests named it" }),
        approve: z.boolean(),
        why: Why,
      }),
      reply: Holder,
      errors: ["not_found", "already_decided"],
      example:
        '/api/operators/plan-requests/{{planAskingAccountId}}/decisions {"tier":"pro","approve":true,"why":"Paid by invoice 2026-117"}',
    },
    findAccount: {
      method: "GET",
      paths: ["/api/operators/accounts"],
      summary: "The account of an e-mail address",
      auth: "operator",
      role: "admin",
      query: z.object({ email: Email }),
      reply: Holder,
      errors: ["not_found"],
      example: "/api/operators/accounts?email={{email}}",
    },
    setPlan: {
      method: "PUT",
      paths: ["/api/operators/accounts/{accountId}/plan"],
      summary: "Give an account a plan, in force at once",
      auth: "operator",
      role: "admin",
      params: AccountParams,
      body: z.object({ tier: Tier, why: Why }),
      reply: Holder,
      errors: ["not_found"],
      example: '/api/operators/accounts/{{accountId}}/plan {"tier":"pro","why":"Paid by invoice 2026-117"}',
    },
    suspendAccount: {
      method: "PUT",
      paths: ["/api/operators/accounts/{accountId}/suspension"],
      summary: "Suspend an account, or lift its suspension",
      description:
        "Suspended, its tokens, licenses, projects and keys are refused. Lifted, all but the tokens are in force again.",
      auth: "operator",
      role: "admin",
      params: AccountParams,
      body: z.object({ suspended: z.boolean(), why: Why }),
      reply: Holder,
      errors: ["not_found"],
      example:
        '/api/operators/accounts/{{accountId}}/suspension {"suspended":false,"why":"It was a mistake"}',
    },
  },
});
