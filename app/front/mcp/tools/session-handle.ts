/** A session as an argument of tools. */
import { z } from "zod";

export const SessionHandle = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\w.~+/=-]+$/, { error: "must be the session of open_session" })
  .meta({ description: "The session of open_session's result" });
