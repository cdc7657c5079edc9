/** Mail that comes back. */
import { z } from "zod";

/** What is read of a message: the report stands before the returned mail. */
export const MAX_REPORT_CHARS = 128 * 1024;

export const Bounce = z
  .object({
    outcome: z.enum(["marked", "not_ours", "no_failure"]).meta({
      description:
        "marked: no mail arrives at the account's address; not_ours: no return path of a mail to an account's present address, or one that has ended; no_failure: no report of a permanent failure",
    }),
  })
  .meta({ id: "Bounce" });
export type Bounce = z.infer<typeof Bounce>;
