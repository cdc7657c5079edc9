/** The census: hosts by what they publish for agents, each counted once a day, and read as rows of days. */
import {
  type AgentPresence,
  type Answer,
  CONTROL_GROUPS,
  DESCRIPTOR_ANSWERS,
  LEVELS,
  type Level,
  OBSERVED_CLASSES,
  PROTOCOLS,
} from "../../schemas/agent-web.ts";
import { CENSUS_DAYS, CENSUS_SOURCES, type CensusDay, type CensusSource } from "../../schemas/census.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { type Count, type Counters, periodOf } from "../ports/counters.ts";
import { DAY_MS } from "../ports/time.ts";
import { LOOKS_PREFIX } from "./counts.ts";
import type { AskedDocument } from "./look-around.ts";
import { isFound, levelOf } from "./presence.ts";

const PREFIX = "census";
/** What is said of a format's documents beside how the host answers. */
const QUALITIES = ["usable", "conforming"] as const;

/** What the figures are of; who quotes them quotes this. */
export const FRAME =
  "Hosts that this registry looked at on the day (UTC), each counted once. They are no sample of the web: an operator named them, other registries list them, sites link to them, or somebody reported them, and hosts that change are looked at more often. Each is as its first look of the day saw it; hosts that did not answer are not counted. The control group, hosts of which the operator knows what is there, says how often looks err.";

/** One host as a look saw it. */
export interface CountedLook {
  source: CensusSource;
  /** "closed": the host does not let it be kept. */
  presence: AgentPresence | "closed";
  /** Documents that the host was asked for. */
  asked: readonly AskedDocument[];
  /** Its identity is verified, and it is listed. */
  isVerified: boolean;
}

/** What was kept of a host before a look. */
export interface KeptBefore {
  presence: Pick<AgentPresence, "seen_at"> | undefined;
  record: Pick<SiteRecord, "last_visit_at" | "failures" | "visits" | "ring"> | undefined;
  /** When it was last found to be nothing, ISO 8601. */
  lookAt: string | undefined;
}

/**
 * Whether a look is the host's first of the day, by what was kept of it before. A visit that failed, or the first one of a site of our
 * own format, looked at nothing.
 * @param now broker milliseconds
 */
export function isFirstOfDay({ presence, record, lookAt }: KeptBefore, now: number): boolean {
  const hasLooked = record && record.failures === 0 && !(record.visits <= 1 && record.ring > 0);
  const times = [presence?.seen_at, hasLooked ? record.last_visit_at : undefined, lookAt];
  return times.every((time) => time === undefined || dayOf(Date.parse(time)) !== dayOf(now));
}

/** Counts a host, once a day (`isFirstOfDay`). */
export async function countHost(counters: Pick<Counters, "add">, look: CountedLook): Promise<void> {
  await Promise.all([...new Set(keysOf(look))].map((key) => counters.add("day", `${PREFIX}.${key}`)));
}

function keysOf({ source, presence, asked, isVerified }: CountedLook): string[] {
  const keys = ["hosts.all", `source.${source}`];
  if (presence === "closed") return [...keys, "hosts.closed"];
  const level = levelOf(presence, isVerified);
  const answers = Map.groupBy(asked, ({ format }) => format);
  return [
    ...keys,
    ...(isFound(presence) || isVerified ? ["hosts.found"] : []),
    ...(level ? [`level.${level}`] : []),
    ...(presence.platform !== null ? [`platform.${presence.platform}`] : []),
    ...[...Map.groupBy(presence.services, ({ protocol }) => protocol)].map(
      ([protocol, services]) => `protocol.${protocol}-${bestOf(services.map((each) => each.level))}`,
    ),
    ...[...answers].map(([format, all]) => `${bestAnswer(all)}.${format}`),
    ...presence.descriptors.flatMap(({ format, answer, usable, conforms }) => [
      ...(answer === "present" && usable ? [`usable.${format}`] : []),
      ...(answer === "present" && conforms ? [`conforming.${format}`] : []),
    ]),
  ];
}

const bestOf = (levels: readonly Level[]): Level =>
  LEVELS.findLast((level) => levels.includes(level)) ?? "claimed";

/** Answers stand in the order of what they say of a document. */
const bestAnswer = (all: readonly AskedDocument[]): Answer =>
  DESCRIPTOR_ANSWERS.find((answer) => all.some((each) => each.answer === answer)) ?? "unknown";

const dayOf = (time: number): string => periodOf("day", time);

/**
 * Reads the days that are kept, the oldest first. A day that has ended is read once.
 * @param now broker milliseconds
 */
export function openCensus(counters: Pick<Counters, "list">, now: () => number): () => Promise<CensusDay[]> {
  const ended = new Map<string, CensusDay>();
  const read = async (start: number): Promise<CensusDay> => {
    const period = dayOf(start);
    const known = ended.get(period);
    if (known) return known;
    const filters = [`${PREFIX}.*.*`, `${LOOKS_PREFIX}.probes.*`, `${LOOKS_PREFIX}.control.*`];
    const day = rowOf(start, await counters.list("day", filters, period));
    // What a look of its last minute counts may come late.
    if (now() - start > DAY_MS + DAY_MS / 24) ended.set(period, day);
    return day;
  };
  return async () => {
    const today = Math.floor(now() / DAY_MS) * DAY_MS;
    const starts = Array.from({ length: CENSUS_DAYS }, (_, i) => today - (CENSUS_DAYS - 1 - i) * DAY_MS);
    for (const period of ended.keys()) if (period < dayOf(starts[0]!)) ended.delete(period);
    const days = await Promise.all(starts.map(read));
    return days.filter(({ hosts, control }) => hosts > 0 || control.length > 0);
  };
}

function rowOf(start: number, counts: readonly Count[]): CensusDay {
  const totals = new Map(counts.map(({ key, total }) => [key, total]));
  const of = (key: string): number => totals.get(`${PREFIX}.${key}`) ?? 0;
  const ofLooks = (key: string): number => totals.get(`${LOOKS_PREFIX}.${key}`) ?? 0;
  const named = (group: string): string[] =>
    [...totals.keys()]
      .filter((key) => key.startsWith(`${PREFIX}.${group}.`))
      .map((key) => key.slice(PREFIX.length + group.length + 2))
      .sort();
  const formats = [...new Set([...DESCRIPTOR_ANSWERS, ...QUALITIES].flatMap(named))].sort();
  return {
    day: new Date(start).toISOString().slice(0, 10),
    hosts: of("hosts.all"),
    closed: of("hosts.closed"),
    found: of("hosts.found"),
    sources: CENSUS_SOURCES.map((source) => ({ source, hosts: of(`source.${source}`) })).filter(isThere),
    levels: LEVELS.map((level) => ({ level, hosts: of(`level.${level}`) })).filter(isThere),
    platforms: named("platform").map((platform) => ({ platform, hosts: of(`platform.${platform}`) })),
    protocols: PROTOCOLS.flatMap((protocol) =>
      LEVELS.map((level) => ({ protocol, level, hosts: of(`protocol.${protocol}-${level}`) })),
    ).filter(isThere),
    formats: formats.map((format) => ({
      format,
      answers: Object.fromEntries(
        DESCRIPTOR_ANSWERS.map((answer) => [answer, of(`${answer}.${format}`)] as const).filter(
          ([, hosts]) => hosts > 0,
        ),
      ),
      usable: of(`usable.${format}`),
      conforming: of(`conforming.${format}`),
    })),
    endpoints: OBSERVED_CLASSES.map((name) => ({
      class: name,
      endpoints: ofLooks(`probes.${name}`),
    })).filter(({ endpoints }) => endpoints > 0),
    control: CONTROL_GROUPS.map((group) => {
      const wrong = ofLooks(`control.${group}-wrong`);
      return { group, looks: ofLooks(`control.${group}-right`) + wrong, wrong };
    }).filter(({ looks }) => looks > 0),
  };
}

const isThere = ({ hosts }: { hosts: number }): boolean => hosts > 0;
