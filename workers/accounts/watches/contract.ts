/** Operations on watches: who is told when what the registry says of a site changes. */
import { z } from "zod";
import { Host, Timestamp } from "../../../schemas/common.ts";
import { MOST_WATCHES, Watched } from "../../../schemas/watch.ts";
import type { Operations } from "../../../src/rpc/contract.ts";
import { pastedHostText } from "../../../src/rpc/validation.ts";

/** Watches for each site that a plan allows. */
export const WATCHES_A_SITE = 10;

const Watch = z
  .object({
    watch_id: z.uuid(),
    domain: Host,
    service: z.string().nullable(),
    webhook: z.string().nullable().meta({ description: "null: told by mail" }),
    created_at: Timestamp,
    seen: Watched.meta({ description: "As it was last told, or when the watch began" }),
    told_at: Timestamp.nullable(),
  })
  .meta({ id: "Watch" });

const MadeWatch = Watch.extend({
  secret: z.string().nullable().meta({
    description: "Signs its webhooks (Standard Webhooks); the same as long as the watch is. null: by mail",
    example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  }),
}).meta({ id: "MadeWatch" });

export const watchOperations = {
  createWatch: {
    method: "POST",
    makes: true,
    waitsForSites: true,
    paths: ["/api/registry/watches"],
    summary: "Be told when a site's verdict, level, tools or way in changes",
    description: `By a signed webhook (\`watchChanged\`), or by mail to the account's proved address. The registry looks once an hour at what its visits found; what one look could not tell is no change. A webhook is sent again, and given up, as those of batches are. ${WATCHES_A_SITE} for each site that the plan allows, ${MOST_WATCHES} at most. The same watch again is that one.`,
    auth: "account",
    charges: { account_changes: 1, dns_names: 1 },
    body: z.object({
      domain: pastedHostText(2_048).meta({ description: "The site", example: "shop.example" }),
      service: z
        .url({ protocol: /^https?$/ })
        .max(2_048)
        .optional()
        .meta({ description: "Endpoint of one of its services; without it, the whole site" }),
      webhook: z
        .string()
        .max(2_048)
        .optional()
        .meta({ description: "Where it is told", example: "https://hooks.example/bridge" }),
      mail: z.literal(true).optional().meta({ description: "Told by mail: instead of `webhook`" }),
    }),
    status: 201,
    reply: MadeWatch,
    errors: ["invalid_domain", "invalid_callback", "plan_limit", "authentication_required", "rate_limited"],
    example: '/api/registry/watches {"domain":"shop.example","mail":true}',
  },
  listWatches: {
    method: "GET",
    paths: ["/api/registry/watches"],
    summary: "Watches of the account",
    auth: "account",
    reply: z
      .object({ watches: z.array(MadeWatch).max(MOST_WATCHES), most: z.int().min(0) })
      .meta({ id: "Watches" }),
    errors: ["authentication_required"],
    example: "/api/registry/watches",
  },
  deleteWatch: {
    method: "DELETE",
    paths: ["/api/registry/watches/{watchId}"],
    summary: "End a watch",
    auth: "account",
    params: z.object({ watchId: z.uuid() }),
    reply: z.object({ watch_id: z.uuid(), ended: z.literal(true) }).meta({ id: "EndedWatch" }),
    errors: ["not_found", "authentication_required"],
    example: "/api/registry/watches/{{watchId}}",
  },
} as const satisfies Operations;
