/** The search actor on an index of made up vectors, as its role serves it. */
import type { NatsConnection } from "@nats-io/nats-core";
import pino from "pino";
import type { SiteIndex } from "../../src/ports/index.ts";
import { type Serving, serve } from "../../src/transport/serve.ts";
import { search } from "../../workers/search/contract.ts";
import { searchHandlers } from "../../workers/search/handlers.ts";
import type { Asked } from "./market.ts";

export const SEARCH_PREFIX = "bench";

export const serveSearch = (
  connection: NatsConnection,
  index: SiteIndex,
  queries: readonly Asked[],
): Serving => {
  const vectors = new Map(queries.map(({ words, vector }) => [words, vector]));
  const handlers = searchHandlers({
    index,
    meaningOf: async (words) => vectors.get(words),
    now: Date.now,
    publicUrl: "http://127.0.0.1",
    secret: "bench",
    ownRing: async () => 1,
  });
  return serve(connection, SEARCH_PREFIX, search, handlers, pino({ level: "silent" }));
};
