/** What looks at hosts saw and what imports read on one day (UTC), counted by all processes together. */
import {
  type AgentPresence,
  type AgentWebToday,
  CONTROL_GROUPS,
  type ControlGroup,
  IMPORT_OUTCOMES,
  type ImportOutcome,
  LEVELS,
  OBSERVED_CLASSES,
  PROTOCOLS,
} from "../../schemas/agent-web.ts";
import { type Counters, periodOf } from "../ports/counters.ts";
import { hasAnswering, isFound } from "./presence.ts";

/** Of counters of looks and imports. */
export const LOOKS_PREFIX = "agent-web";

/**
 * Counts a look.
 * @param control the host's group, where it is known what a look has to see there
 * @returns endpoints that it spoke to
 */
export async function countLook(
  counters: Pick<Counters, "add">,
  before: AgentPresence | undefined,
  presence: AgentPresence,
  control: ControlGroup | undefined,
): Promise<number> {
  const { services } = presence;
  const known = new Set(before?.services.map(({ observation }) => observation?.seen_at));
  const probed = services.filter(
    ({ observation }) => observation !== null && !known.has(observation.seen_at),
  );
  const keys = [
    "looks.all",
    ...(isFound(presence) ? ["looks.found"] : []),
    ...services.map(({ protocol, level }) => `services.${protocol}-${level}`),
    ...probed.map(({ observation }) => `probes.${observation?.class}`),
    ...(control ? [`control.${control}-${isAsKnown(control, presence) ? "right" : "wrong"}`] : []),
  ];
  // Services of one kind are one addition.
  await Promise.all(
    [...Map.groupBy(keys, (key) => key)].map(([key, all]) =>
      counters.add("day", `${LOOKS_PREFIX}.${key}`, all.length),
    ),
  );
  return probed.length;
}

const isAsKnown = (group: ControlGroup, presence: AgentPresence): boolean =>
  group === "soft_404" ? !isFound(presence) : hasAnswering(presence) === (group === "alive");

type Outcomes = Partial<Record<ImportOutcome, number>>;

/** Counts the entries of a page: what a pass had before it, and what it has after it. */
export async function countEntries(
  counters: Pick<Counters, "add">,
  before: Outcomes,
  after: Outcomes,
): Promise<void> {
  const added = IMPORT_OUTCOMES.map((outcome) => ({
    outcome,
    entries: (after[outcome] ?? 0) - (before[outcome] ?? 0),
  }));
  await Promise.all(
    added
      .filter(({ entries }) => entries > 0)
      .map(({ outcome, entries }) => counters.add("day", `${LOOKS_PREFIX}.imports.${outcome}`, entries)),
  );
}

/** @param now broker milliseconds */
export async function agentWebToday(counters: Pick<Counters, "list">, now: number): Promise<AgentWebToday> {
  const today = periodOf("day", now);
  const counts = await counters.list("day", `${LOOKS_PREFIX}.*.*`, today);
  const of = (key: string): number =>
    counts.find((each) => each.key === `${LOOKS_PREFIX}.${key}`)?.total ?? 0;
  return {
    looks: of("looks.all"),
    found: of("looks.found"),
    services: PROTOCOLS.flatMap((protocol) =>
      LEVELS.map((level) => ({ protocol, level, services: of(`services.${protocol}-${level}`) })),
    ).filter(({ services }) => services > 0),
    probes: OBSERVED_CLASSES.map((name) => ({ class: name, endpoints: of(`probes.${name}`) })).filter(
      ({ endpoints }) => endpoints > 0,
    ),
    imports: IMPORT_OUTCOMES.map((outcome) => ({ outcome, entries: of(`imports.${outcome}`) })).filter(
      ({ entries }) => entries > 0,
    ),
    control: CONTROL_GROUPS.map((group) => {
      const wrong = of(`control.${group}-wrong`);
      return { group, looks: of(`control.${group}-right`) + wrong, wrong };
    }).filter(({ looks }) => looks > 0),
  };
}
