/**
 * NATS micro-service discovery (ADR-32): every role of every process answers PING, INFO and STATS, so that the usual
 * tools and `bridge status` see it. The published client library for this is of an older generation than the rest of
 * the client and must not be mixed with it (docs/decisions/0003).
 */
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
}

export interface ServiceStats {
  name: string;
  id: string;
  version: string;
  started: string;
  endpoints: EndpointStats[];
  metadata: Record<string, string>;
  data: Record<string, number>;
}

const VERBS = ["PING", "INFO", "STATS"] as const;

/** Announces a role. @returns a function that ends the announcement */
export const announce = (
  connection: NatsConnection,
  prefix: string,
  id: string,
  role: RoleDescription,
): (() => void) => {
  const name = `bridge-${role.role}`;
  const started = new Date().toISOString();
  const base = { name, id, version: role.version, metadata: { prefix, pid: String(process.pid) } };
  const reply = {
    PING: async () => ({ ...base, type: "io.nats.micro.v1.ping_response" }),
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
};

/** Asks every role of every process on this prefix for its counts; waits `waitMs` for answers. */
export const gatherStats = async (
  connection: NatsConnection,
  prefix: string,
  waitMs = 500,
): Promise<ServiceStats[]> => {
  const answers: ServiceStats[] = [];
  try {
    const replies = await connection.requestMany("$SRV.STATS", "", {
      maxWait: waitMs,
      strategy: "stall",
      stall: waitMs / 2,
    } as never);
    for await (const message of replies) {
      const stats = message.json<ServiceStats>();
      if (stats.metadata?.prefix === prefix) answers.push(stats);
    }
  } catch (error) {
    // Nothing runs.
    if (!isNoResponders(error)) throw error;
  }
  return answers.sort((a, b) => (a.name < b.name ? -1 : 1));
};
