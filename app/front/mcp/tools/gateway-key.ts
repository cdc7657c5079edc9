/** Tools over the module gateway: they need a key of it, and say so. */
import { Failure, fail } from "../../../../src/rpc/errors.ts";
import { ToolFailure } from "./tool.ts";

const NEXT =
  "Ask the user for a key of the module gateway with that plan (POST /api/v1/keys/generate): kept for the account's agents (PUT /api/account/wallet/gateway), or sent as X-BRIDGE-Key of this server's connection. A call cannot carry it.";

/** What a caller without a fitting key is told: a plan that does not include the tool, and how to get one. */
export async function withKey<Reply>(reply: Promise<Reply | Failure>): Promise<Reply | Failure> {
  const answered = await reply;
  if (!(answered instanceof Failure)) return answered;
  const { code } = answered;
  if (code === "authentication_required")
    return new ToolFailure(fail("insufficient_plan", "This tool needs a key of the module gateway."), NEXT);
  return code === "insufficient_plan" ? new ToolFailure(answered, NEXT) : answered;
}
