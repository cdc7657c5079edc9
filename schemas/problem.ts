/** Error body: RFC 9457 problem details with a stable code. */
import { z } from "zod";

export const Problem = z
  .object({
    type: z.string().meta({ description: "A URI naming the kind of problem" }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: "What went wrong, and what to do next" }),
    instance: z.string().meta({ description: "The request's id, as a URI reference" }),
    request_id: z.string().optional().meta({ description: "The request's id, as in `X-Request-Id`" }),
    code: z.string().meta({ description: "Stable; match on this" }),
    errors: z
      .array(z.object({ pointer: z.string(), code: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "Every invalid member, with its JSON Pointer (RFC 6901)" }),
    error: z.string().optional().meta({
      description: "The detail once more, where clients of the MCP Registry's API look for it",
    }),
    errorCode: z.string().optional().meta({
      description: "Where clients of Agentic Resource Discovery look for it: a code of its appendix B",
    }),
    message: z.string().optional().meta({ description: "The detail once more, beside `errorCode`" }),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;
