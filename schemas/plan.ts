/** Plans (specification 2.3) and what each allows. */
import { z } from "zod";
import { Tier } from "./license.ts";

const Limit = z.int().min(-1);

export const Plan = z
  .object({
    id: z.int().min(1),
    tier: Tier,
    name: z.string().min(1).max(64).meta({ example: "Pro" }),
    price: z.number().min(0).meta({ description: "Per billing cycle", example: 29 }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .meta({ description: "ISO 4217", example: "EUR" }),
    billing_cycle: z.enum(["monthly", "yearly"]),
    description: z.string().max(512),
    features: z.string().max(4_096).meta({
      description: "A JSON array of feature strings, carried as a string",
      example: '["10 sites","300 actions a minute"]',
    }),
    max_sites: Limit.meta({ description: "Sites an account may have", example: 10 }),
    max_actions_per_month: Limit.meta({
      description: "Actions per calendar month (UTC) on all sites of an account; -1: no limit",
      example: 100_000,
    }),
    rate_limit: Limit.meta({
      description: "Actions per minute with one license; -1: no limit",
      example: 300,
    }),
    is_featured: z.boolean(),
    is_contact_sales: z.boolean(),
  })
  .meta({ id: "Plan" });
export type Plan = z.infer<typeof Plan>;

/** A stored plan. An inactive plan stays in force for accounts that have it, but is not offered. */
export const PlanRecord = z.looseObject({ v: z.literal(1), active: z.boolean(), plan: Plan });
export type PlanRecord = z.infer<typeof PlanRecord>;

/** A plan that an account asked for and does not have. One that was approved is the account's, and its record gone. */
export const PlanRequestRecord = z.looseObject({
  v: z.literal(1),
  accountId: z.string(),
  tier: Tier,
  note: z.string(),
  at: z.string(),
  state: z.enum(["waiting", "refused"]),
  /** The operator's words; empty while it waits. */
  why: z.string(),
});
export type PlanRequestRecord = z.infer<typeof PlanRequestRecord>;

export const PlanRequest = z
  .object({
    tier: Tier,
    state: PlanRequestRecord.shape.state.meta({
      description: "waiting: for the operator's approval; refused: `why` says the operator's reason",
    }),
    note: z.string().meta({ description: "The account holder's words" }),
    at: z.iso.datetime(),
    why: z.string().meta({ description: "The operator's words" }),
  })
  .meta({ id: "PlanRequest", description: "A plan that an account asked for and does not have" });
export type PlanRequest = z.infer<typeof PlanRequest>;

/** Of what is said about a plan that is asked for. */
export const MAX_PLAN_NOTE_CHARS = 300;
