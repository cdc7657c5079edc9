/** Action (specification 2.2). */
import { z } from "zod";

export const ActionParameter = z.looseObject({
  name: z.string().max(64),
  type: z.string().max(32),
  required: z.boolean(),
  description: z.string().max(512),
});

export const Action = z
  .looseObject({
    name: z.string().min(1).max(64).meta({ description: "Action identifier", example: "add-to-basket" }),
    description: z.string().max(512),
    category: z.enum(["navigation", "form", "commerce", "content", "custom"]),
    parameters: z.array(ActionParameter),
    permissions_required: z.array(z.string().max(64)),
  })
  .meta({ id: "Action" });
export type Action = z.infer<typeof Action>;
