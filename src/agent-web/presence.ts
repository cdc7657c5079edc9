/**
 * What is known of a host's presence in the agent-ready web, from one look to the next: whether it was found, at which level, and
 * what its record keeps within its bounds. Pure.
 */
import {
  type AgentPresence,
  type AgentService,
  type Answer,
  type Claim,
  type Descriptor,
  LEVELS,
  type Level,
  MAX_DESCRIPTORS,
  MAX_SERVICES,
  MAX_TOOLS,
  type Protocol,
} from "../../schemas/agent-web.ts";
import { DAY_MS, iso } from "../ports/time.ts";

/** A record of a host in the store. */
export const MAX_PRESENCE_BYTES = 64 << 10;
/** An absent path is asked for again after this long. */
const ABSENT_MS = 30 * DAY_MS;
/** Bounds of the time between two looks at a host: halved on a change, half as long again on none. */
const MIN_INTERVAL_MS = DAY_MS;
const MAX_INTERVAL_MS = 14 * DAY_MS;
const FIRST_INTERVAL_MS = 2 * DAY_MS;

/** What one look saw of a host. */
export interface PresenceLook {
  platform: string | null;
  /** Of every address that was asked for, in the order of their worth. */
  descriptors: Omit<Descriptor, "first_seen_at" | "changed_at">[];
  services: Omit<AgentService, "level">[];
  /** Descriptors and tools that were left out before. */
  cut: { descriptors: number; tools: number };
}

/** Whether a host offers agents something that can be used: a usable descriptor, or a service that answers. */
export const isFound = (presence: AgentPresence | undefined): presence is AgentPresence =>
  presence !== undefined && (presence.descriptors.some(isUsable) || hasAnswering(presence));

export const hasAnswering = ({ services }: Pick<AgentPresence, "services">): boolean =>
  services.some(isAnswering);

/** Whether there is a reason to look at the host again, although nothing was found. */
export const isWaitedFor = ({ services }: AgentPresence): boolean =>
  services.some(({ observation }) => observation?.class !== "dead" && observation?.class !== "template_url");

/** Whether its owner has to know of what it publishes, although nothing of it can be used. */
export const hasFaults = ({ descriptors }: Pick<AgentPresence, "descriptors">): boolean =>
  descriptors.some(({ answer, findings }) => answer === "present" && findings.length > 0);

const isUsable = ({ answer, usable }: Descriptor): boolean => answer === "present" && usable;

/** Whether a service answered as it says, were it by asking for authorization. */
export const isAnswering = ({ observation }: Pick<AgentService, "observation">): boolean =>
  observation?.class === "open" || observation?.class === "auth";

/** A service as every door shows it: words that the firewall blocks are not shown. */
export const shownService = (service: AgentService): AgentService =>
  service.screened === "withheld" ? { ...service, name: "", description: "" } : service;

/** How well a service is known by itself. */
export function levelOfService(service: Pick<AgentService, "observation" | "described_by">): Level {
  if (isAnswering(service)) return "answers";
  return service.described_by.length > 0 ? "published" : "claimed";
}

/** Protocols of the services that a host itself publishes, or that answered there; what others alone say is none of them. */
export const protocolsOf = (presence: AgentPresence | undefined): Protocol[] => [
  ...new Set(
    (presence?.services ?? []).flatMap(({ level, protocol }) => (level === "claimed" ? [] : [protocol])),
  ),
];

/** How well a host is known: the best of its services and descriptors, and of its identity. @returns null: nothing is known */
export function levelOf(presence: AgentPresence | undefined, isVerified: boolean): Level | null {
  const known: Level[] = [
    ...(isVerified ? (["verified"] as const) : []),
    ...(presence?.services ?? []).map(({ level }) => level),
    ...(presence?.descriptors.some(isUsable) ? (["published"] as const) : []),
  ];
  return known.sort((a, b) => LEVELS.indexOf(b) - LEVELS.indexOf(a))[0] ?? null;
}

/** The record after a look. @param now broker milliseconds */
export function presenceAfter(
  previous: AgentPresence | undefined,
  host: string,
  look: PresenceLook,
  now: number,
): AgentPresence {
  const seen = look.descriptors.filter(({ answer }) => isKept(answer));
  const descriptors = seen.map((each) => withTimes(each, previous, now));
  const services = look.services.map((each) => ({ ...each, level: levelOfService(each) }));
  const changed =
    !previous || stateOf(descriptors, services) !== stateOf(previous.descriptors, previous.services);
  return fitted({
    v: 1,
    host,
    platform: look.platform ?? previous?.platform ?? null,
    descriptors: descriptors.slice(0, MAX_DESCRIPTORS),
    services: services.slice(0, MAX_SERVICES),
    cut: {
      descriptors: look.cut.descriptors + Math.max(0, descriptors.length - MAX_DESCRIPTORS),
      services: Math.max(0, services.length - MAX_SERVICES),
      tools: look.cut.tools,
    },
    first_seen_at: previous?.first_seen_at ?? iso(now),
    seen_at: iso(now),
    changed_at: changed ? iso(now) : previous.changed_at,
    absent: absentAfter(previous, look, now),
  });
}

/** Of what is absent, redirected or not known the record keeps no document, only when it may be asked for again. */
const isKept = (answer: Answer): boolean => answer === "present" || answer === "auth" || answer === "error";

function withTimes(
  seen: PresenceLook["descriptors"][number],
  previous: AgentPresence | undefined,
  now: number,
) {
  const before = previous?.descriptors.find(({ url }) => url === seen.url);
  const same = before !== undefined && before.sha256 === seen.sha256 && before.answer === seen.answer;
  return {
    ...seen,
    first_seen_at: before?.first_seen_at ?? iso(now),
    changed_at: same ? before.changed_at : iso(now),
  };
}

/** What a change is a change of. */
const stateOf = (descriptors: readonly Descriptor[], services: readonly AgentService[]): string =>
  JSON.stringify([
    descriptors.map(({ url, answer, sha256 }) => [url, answer, sha256]),
    services.map(({ protocol, endpoint, observation }) => [
      protocol,
      endpoint,
      observation?.class,
      observation?.tools_sha256,
    ]),
  ]);

function absentAfter(
  previous: AgentPresence | undefined,
  look: PresenceLook,
  now: number,
): AgentPresence["absent"] {
  const stillAbsent = Object.entries(previous?.absent ?? {}).filter(([, until]) => Date.parse(until) > now);
  const gone = look.descriptors
    .filter(({ answer, url }) => !isKept(answer) && answer !== "unknown" && URL.canParse(url))
    .map(({ url }) => [pathOf(url), iso(now + ABSENT_MS)] as const);
  return Object.fromEntries([...stillAbsent, ...gone].slice(-MAX_DESCRIPTORS));
}

export const pathOf = (url: string): string => new URL(url).pathname.slice(0, 200);

/** Within the bytes of a record: tools of the last services go first, then what describes them, then services. */
function fitted(presence: AgentPresence): AgentPresence {
  let tools = 0;
  const services = presence.services.map((service) => {
    const kept = service.tools.slice(0, Math.max(0, MAX_TOOLS - tools));
    tools += kept.length;
    return { ...service, tools: kept };
  });
  let fit = { ...presence, services, cut: { ...presence.cut } };
  fit.cut.tools += countTools(presence.services) - tools;
  while (Buffer.byteLength(JSON.stringify(fit)) > MAX_PRESENCE_BYTES) fit = lessened(fit);
  return fit;
}

/** The record with about half of the tools, descriptors or services of one that is too large. */
function lessened(presence: AgentPresence): AgentPresence {
  const { services, descriptors, cut } = presence;
  const tools = countTools(services);
  if (tools > 0) {
    const fewer = services.map((each) => ({ ...each, tools: each.tools.slice(0, each.tools.length >> 1) }));
    return {
      ...presence,
      services: fewer,
      cut: { ...cut, tools: cut.tools + tools - countTools(fewer) },
    };
  }
  const half = { descriptors: descriptors.length >> 1, services: services.length >> 1 };
  return {
    ...presence,
    descriptors: descriptors.slice(0, half.descriptors),
    services: services.slice(0, half.services),
    absent: {},
    cut: {
      ...cut,
      descriptors: cut.descriptors + descriptors.length - half.descriptors,
      services: cut.services + services.length - half.services,
    },
  };
}

const countTools = (services: readonly Pick<AgentService, "tools">[]): number =>
  services.reduce((sum, { tools }) => sum + tools.length, 0);

/** When to look again. @param now broker milliseconds */
export function nextLookAt(
  previous: AgentPresence | undefined,
  presence: AgentPresence,
  claims: readonly Claim[],
  now: number,
): number {
  // A claimed endpoint that did not answer is asked a day later, until it is known to be dead.
  const isOpen =
    presence.services.some(({ failing }) => failing !== null) || (!previous && claims.length > 0);
  if (isOpen) return now + DAY_MS;
  const last = previous
    ? Date.parse(presence.seen_at) - Date.parse(previous.seen_at)
    : FIRST_INTERVAL_MS / 1.5;
  const changed = previous !== undefined && presence.changed_at !== previous.changed_at;
  return now + Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, last * (changed ? 0.5 : 1.5)));
}
