/** `meta` of every reply of the gateway: who answered, by which key, and what it has used. */
import { PLAN_QUOTAS } from "../../../schemas/api-key.ts";
import { type Counters, periodEnd } from "../../../src/adapters/nats/counters.ts";
import type { Principals, RequestContext } from "../../../src/contract.ts";
import { usageKey } from "../../keys/rules.ts";
import { type Meta, round } from "./finding.ts";

/** @param startedMs `performance.now()` when the handler began */
export type MetaOf = (context: RequestContext<Principals["key"]>, startedMs: number) => Promise<Meta>;

/** @param now milliseconds, the clock that the counters go by */
export const createMeta = (module: string, counters: Counters, now: () => number): MetaOf => {
  const used = async (window: "minute" | "day", usageId: string, quota: number) => {
    const total = await counters.read(window, usageKey(usageId));
    return { used: Math.min(total, quota), resets: new Date(periodEnd(window, now())).toISOString() };
  };
  return async ({ principal: { plan, usageId }, requestId }, startedMs) => {
    const { perDay, perMinute } = PLAN_QUOTAS[plan];
    const [day, minute] = await Promise.all([
      used("day", usageId, perDay),
      used("minute", usageId, perMinute),
    ]);
    return {
      module,
      plan,
      usage: {
        day_used: day.used,
        day_quota: perDay,
        day_resets_at: day.resets,
        minute_used: minute.used,
        minute_quota: perMinute,
        minute_resets_at: minute.resets,
      },
      request_id: requestId,
      took_ms: round(performance.now() - startedMs),
    };
  };
};
