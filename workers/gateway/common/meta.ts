/** `meta` of every reply of the gateway: who answered, by which key, and what is left of its limits. */

import type { Meta } from "../../../schemas/finding.ts";
import { round } from "../../../src/detectors/risk.ts";
import type { Principals, RequestContext } from "../../../src/rpc/contract.ts";

/** @param startedMs `performance.now()` when the handler began */
export const moduleMeta = (
  module: string,
  { principal, allowances, requestId }: RequestContext<Principals["key"]>,
  startedMs: number,
): Meta => ({
  module,
  plan: principal.plan,
  usage: Object.fromEntries(
    allowances.map(({ name, quota, remaining, resetSeconds }) => [
      name,
      { quota, used: quota - remaining, remaining, reset_seconds: resetSeconds },
    ]),
  ),
  request_id: requestId,
  took_ms: round(performance.now() - startedMs),
});
