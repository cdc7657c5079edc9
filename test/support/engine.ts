/** A front and workers of small contracts, on the run's broker or another, without a registry around them. */
import { randomBytes } from "node:crypto";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { FastifyInstance } from "fastify";
import { inject } from "vitest";
import { createFront, listen } from "../../app/front/http.ts";
import type { FrontOptions } from "../../app/front/routes.ts";
import { createLogger } from "../../app/processes/process-identity.ts";
import { watchConnection } from "../../src/adapters/nats/requests.ts";
import type { Handlers, Service } from "../../src/rpc/contract.ts";
import type { RunningService } from "../../src/rpc/serving.ts";
import { type SharedClock, serve } from "../../src/transport/serve.ts";

export function connectTo(url: string): Promise<NatsConnection> {
  const { username, password, host } = new URL(url);
  return connect({
    servers: host,
    user: username,
    pass: password,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    reconnectJitter: 10,
  });
}

export interface TestWorker extends RunningService {
  connection: NatsConnection;
  /** Drains, then leaves the broker: what a worker process does when it is told to end. */
  leave(): Promise<void>;
}

export interface Engine {
  url: string;
  app: FastifyInstance;
  prefix: string;
  /** Log lines of every worker and the front. */
  logged: string[];
  /** One more worker, on a connection of its own. @param clock the broker's, as the worker knows it */
  work<S extends Service>(service: S, handlers: Handlers<S>, clock?: SharedClock): Promise<TestWorker>;
  stop(): Promise<void>;
}

export async function startEngine(
  services: readonly Service[],
  options: Partial<FrontOptions> & { natsUrl?: string } = {},
): Promise<Engine> {
  const natsUrl = options.natsUrl ?? inject("natsUrl");
  const prefix = `e${randomBytes(6).toString("hex")}`;
  const logged: string[] = [];
  const log = createLogger({ BRIDGE_LOG_LEVEL: "info" }, { write: (line) => void logged.push(line) });
  const connections = [await connectTo(natsUrl)];
  const workers = new Set<TestWorker>();
  // As a front that has started does.
  watchConnection(connections[0]!).failFast();
  const app = createFront({
    connection: connections[0]!,
    prefix,
    services,
    log,
    trustedProxies: [],
    ...options,
  });
  const url = await listen(app, { host: "127.0.0.1", port: 0 });
  return {
    url,
    app,
    prefix,
    logged,
    work: async (service, handlers, clock) => {
      const connection = await connectTo(natsUrl);
      const serving = serve(connection, prefix, service, handlers, log, clock);
      await connection.flush();
      const worker: TestWorker = {
        ...serving,
        connection,
        leave: async () => {
          workers.delete(worker);
          await serving.drain();
          await connection.drain();
        },
      };
      workers.add(worker);
      return worker;
    },
    stop: async () => {
      await app.close();
      await Promise.all([...workers].map(({ connection }) => connection.close()));
      await connections[0]!.close();
    },
  };
}
