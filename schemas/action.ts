/** Action (specification 2.2). */
import { z } from "zod";

export const ActionParameter = z.looseObject({
  name: z.string().max(64),
  type: z.string().max(32),
  required: z.boolean(),
  description: z.string().max(512),
});

/** What an action does on its site: it only reads, it changes something, or it spends money. The stronger comes later. */
export const EFFECTS = ["read", "write", "purchase"] as const;
export const Effect = z.enum(EFFECTS).meta({
  id: "Effect",
  description:
    "What it does on the site: `read` changes nothing, `write` changes something, `purchase` spends or promises money",
});
export type Effect = z.infer<typeof Effect>;

export const Action = z
  .looseObject({
    name: z.string().min(1).max(64).meta({ description: "Action identifier", example: "add-to-basket" }),
    description: z.string().max(512),
    category: z.enum(["navigation", "form", "commerce", "content", "custom"]),
    parameters: z.array(ActionParameter),
    permissions_required: z.array(z.string().max(64)),
    // A document that says something else by this name says nothing of the effect.
    effect: Effect.optional().catch(undefined),
  })
  .meta({ id: "Action" });
export type Action = z.infer<typeof Action>;

/** What protects an agent is not switched off by whom it protects from: of what is said and what is inferred, the stronger. */
export const stronger = (said: Effect | undefined, inferred: Effect): Effect =>
  said !== undefined && EFFECTS.indexOf(said) > EFFECTS.indexOf(inferred) ? said : inferred;
