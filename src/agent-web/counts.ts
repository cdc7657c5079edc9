/** What looks at hosts saw on one day (UTC), counted by all crawlers together. */
import type { AgentPresence, AgentWebToday } from "../../schemas/agent-web.ts";
import { LEVELS, OBSERVED_CLASSES, PROTOCOLS } from "../../schemas/agent-web.ts";
import { type Counters, periodOf } from "../ports/counters.ts";
import { isFound } from "./presence.ts";

const PREFIX = "agent-web";

/** Counts a look. */
export async function countLook(
  counters: Pick<Counters, "add">,
  before: AgentPresence | undefined,
  presence: AgentPresence,
): Promise<void> {
  const { services } = presence;
  const known = new Set(before?.services.map(({ observation }) => observation?.seen_at));
  const probed = services.filter(
    ({ observation }) => observation !== null && !known.has(observation.seen_at),
  );
  await Promise.all(
    [
      "looks.all",
      ...(isFound(presence) ? ["looks.found"] : []),
      ...services.map(({ protocol, level }) => `services.${protocol}-${level}`),
      ...probed.map(({ observation }) => `probes.${observation?.class}`),
    ].map((key) => counters.add("day", `${PREFIX}.${key}`)),
  );
}

/** @param now broker milliseconds */
export async function agentWebToday(counters: Pick<Counters, "list">, now: number): Promise<AgentWebToday> {
  const today = periodOf("day", now);
  const counts = await counters.list("day", `${PREFIX}.*.*`);
  const of = (key: string): number =>
    counts.find((each) => each.period === today && each.key === `${PREFIX}.${key}`)?.total ?? 0;
  return {
    looks: of("looks.all"),
    found: of("looks.found"),
    services: PROTOCOLS.flatMap((protocol) =>
      LEVELS.map((level) => ({ protocol, level, services: of(`services.${protocol}-${level}`) })),
    ).filter(({ services }) => services > 0),
    probes: OBSERVED_CLASSES.map((name) => ({ class: name, endpoints: of(`probes.${name}`) })).filter(
      ({ endpoints }) => endpoints > 0,
    ),
  };
}
