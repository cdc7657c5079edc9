/**
 * NATS micro-service discovery (ADR-32): every role of every process answers PING, INFO and STATS, so that the usual
 * tools and `bridge status` see it. Written by hand as long as the published library for this is of an older generation than
 * the rest of the client: the two must not be mixed.
 */
import { hostname } from "node:os";
import type { NatsConnection, Subscription } from "@nats-io/nats-core";
import { isNoResponders } from "./requests.ts";

export interface EndpointStats {
  name: string;
  subject: string;
  num_requests: number;
  num_errors: number;
  processing_time: number;
  average_processing_time: number;
}

export interface RoleDescription {
  /** Role, such as crawler. Announced as `bridge-<role>`. */
  role: string;
  description: string;
  version: string;
  endpoints: () => EndpointStats[];
  /** Anything a role counts, for `bridge status` and STATS. */
  data: () => Promise<Record<string, number>>;
  /** Why it does not do its work now. */
  trouble?: () => string | undefined;
}

/** One role of one process, as it says of itself. */
export interface RoleAnnouncement {
  /** `bridge-<role>`. */
  name: string;
  id: string;
  version: string;
  /** prefix, pid, host, and trouble where it has any. */
  metadata: Record<string, string>;
}

export interface ServiceStats extends RoleAnnouncement {
  started: string;
  endpoints: EndpointStats[];
  /** null: not known now. */
  data: Record<string, number | null>;
}

const VERBS = ["PING", "INFO", "STATS"] as const;

/** Whether somebody listens: nobody, another registry on the same broker, or one who has not said whose. */
type RoleReply = "nobody" | "others" | "asked";

export interface FoundRoles {
  /** Those that answered, by name. */
  running: RoleAnnouncement[];
  /** Roles that some process listens for, and that have not answered. */
  silent: string[];
  /** Roles that no process of this registry answers for. */
  absent: string[];
}

/** Roles answer a ping from their event loop at once: most are here by then. */
const FIRST_WAIT_MS = 300;
const ASK_AGAIN_MS = 400;

/** Announces a role. @returns a function that ends the announcement */
export function announce(
  connection: NatsConnection,
  prefix: string,
  id: string,
  role: RoleDescription,
): () => void {
  const name = `bridge-${role.role}`;
  const started = new Date().toISOString();
  const metadata = { prefix, pid: String(process.pid), host: hostname() };
  const base = { name, id, version: role.version, metadata };
  const withTrouble = (): RoleAnnouncement => {
    const trouble = role.trouble?.();
    return trouble === undefined ? base : { ...base, metadata: { ...metadata, trouble } };
  };
  const reply = {
    PING: async () => ({ ...withTrouble(), type: "io.nats.micro.v1.ping_response" }),
    INFO: async () => ({
      ...base,
      type: "io.nats.micro.v1.info_response",
      description: role.description,
      endpoints: role
        .endpoints()
        .map(({ name: endpoint, subject }) => ({ name: endpoint, subject, queue_group: "bridge" })),
    }),
    STATS: async () => ({
      ...base,
      type: "io.nats.micro.v1.stats_response",
      started,
      endpoints: role.endpoints(),
      data: await role.data(),
    }),
  };
  const subscriptions: Subscription[] = [];
  for (const verb of VERBS)
    for (const subject of [`$SRV.${verb}`, `$SRV.${verb}.${name}`, `$SRV.${verb}.${name}.${id}`])
      subscriptions.push(
        connection.subscribe(subject, {
          callback: (_, message) => {
            reply[verb]().then(
              (body) => message.respond(JSON.stringify(body)),
              () => undefined,
            );
          },
        }),
      );
  return () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
}

/**
 * Finds the roles of every process on this prefix. PING costs them nothing. Those of `roles` that have not answered are
 * asked again until `withinMs` has passed: a process that moves to another broker answers then, and where the broker knows
 * of nobody who listens, nobody does.
 */
export async function findRoles(
  connection: NatsConnection,
  prefix: string,
  roles: readonly string[],
  withinMs: number,
): Promise<FoundRoles> {
  const giveUpAtMs = performance.now() + withinMs;
  const found = new Map<string, RoleAnnouncement>();
  const take = (answer: RoleAnnouncement): "more" => {
    found.set(`${answer.name} ${answer.id}`, answer);
    return "more";
  };
  const missing = (): string[] => {
    const names = new Set([...found.values()].map(({ name }) => name));
    return roles.filter((role) => !names.has(`bridge-${role}`));
  };
  await gather(connection, { subject: "$SRV.PING", prefix, withinMs: FIRST_WAIT_MS }, take);
  const replies = new Map<string, RoleReply>();
  while (missing().length > 0 && performance.now() < giveUpAtMs) {
    const endsAtMs = performance.now() + ASK_AGAIN_MS;
    await Promise.all(
      missing().map(async (role) => {
        const asked = { subject: `$SRV.PING.bridge-${role}`, prefix, withinMs: ASK_AGAIN_MS };
        replies.set(role, await gather(connection, asked, take));
      }),
    );
    const left = endsAtMs - performance.now();
    if (missing().length > 0 && left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }
  const without = missing();
  return {
    running: [...found.values()].sort((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1)),
    silent: without.filter((role) => replies.get(role) === "asked"),
    absent: without.filter((role) => replies.get(role) !== "asked"),
  };
}

/** Asks `subject` and gives each answer of this prefix to `take`, until that says that it was the last, or the time is over. */
async function gather<T extends RoleAnnouncement>(
  connection: NatsConnection,
  { subject, prefix, withinMs }: { subject: string; prefix: string; withinMs: number },
  take: (answer: T) => "last" | "more",
): Promise<RoleReply> {
  let others = false;
  try {
    const replies = await connection.requestMany(subject, "", {
      maxWait: Math.max(1, withinMs),
      strategy: "timer",
      noMux: true,
    } as never);
    for await (const message of replies) {
      const answer = message.json<T>();
      if (answer.metadata?.prefix !== prefix) others = true;
      else if (take(answer) === "last") break;
    }
    return others ? "others" : "asked";
  } catch (error) {
    if (isNoResponders(error)) return "nobody";
    throw error;
  }
}

/** Asks those that were found for their counts. @returns what came within `withinMs`, by name */
export async function gatherStats(
  connection: NatsConnection,
  prefix: string,
  running: readonly RoleAnnouncement[],
  withinMs: number,
): Promise<ServiceStats[]> {
  const wanted = new Set(running.map(({ name, id }) => `${name} ${id}`));
  const answers: ServiceStats[] = [];
  if (wanted.size === 0) return answers;
  await gather<ServiceStats>(connection, { subject: "$SRV.STATS", prefix, withinMs }, (stats) => {
    answers.push(stats);
    wanted.delete(`${stats.name} ${stats.id}`);
    return wanted.size === 0 ? "last" : "more";
  });
  return answers.sort((a, b) => (a.name < b.name ? -1 : 1));
}
