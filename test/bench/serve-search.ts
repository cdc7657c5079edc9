/** The search actor on an index of made up vectors, as its role serves it. */
import { setTimeout as delay } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/nats-core";
import pino from "pino";
import { ensureEncoder } from "../../deploy/encoder.ts";
import { EncoderProcess } from "../../src/adapters/encoder/encoder-process.ts";
import type { Encoder } from "../../src/ports/encoder.ts";
import type { SiteIndex } from "../../src/ports/index.ts";
import type { RunningService } from "../../src/rpc/serving.ts";
import { serve } from "../../src/transport/serve.ts";
import { search } from "../../workers/search/contract.ts";
import { searchHandlers } from "../../workers/search/handlers.ts";
import type { SearchDeps } from "../../workers/search/parts.ts";
import { toolHandlers } from "../../workers/search/tool-handlers.ts";
import type { Asked } from "./market.ts";

export const SEARCH_PREFIX = "bench";

const START_POLL_MS = 50;
const QUERY_WAIT_MS = 40;

/** The sentence encoder, where BRIDGE_SEARCH_MEANING=encoder: each query then waits for it, though the vectors are made up. */
export async function benchEncoder(): Promise<Encoder | undefined> {
  if (process.env.BRIDGE_SEARCH_MEANING !== "encoder") return undefined;
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const encoder = new EncoderProcess({ ...(await ensureEncoder(say)), onFailure: say });
  while (encoder.state !== "running") await delay(START_POLL_MS);
  return encoder;
}

export function serveSearch(
  connection: NatsConnection,
  index: SiteIndex,
  queries: readonly Asked[],
  encoder?: Encoder,
): RunningService {
  const vectors = new Map(queries.map(({ words, vector }) => [words, vector]));
  const deps: SearchDeps = {
    index,
    meaningOf: async (words) => {
      await encoder?.encode(words, { for: "query", waitMs: QUERY_WAIT_MS });
      const vector = vectors.get(words);
      return vector && { vector, by: "static" };
    },
    now: Date.now,
    publicUrl: "http://127.0.0.1",
    secret: "bench",
    ownRing: async () => 1,
  };
  const handlers = {
    ...searchHandlers(deps),
    ...toolHandlers({ ...deps, tools: index, referrals: async () => [] }),
  };
  return serve(connection, SEARCH_PREFIX, search, handlers, pino({ level: "silent" }));
}
