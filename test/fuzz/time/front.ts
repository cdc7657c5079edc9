/** A front with one operation of each kind of reply, asked without a socket: its own cost, not the client's. */
import { threadId } from "node:worker_threads";
import { connect } from "@nats-io/transport-node";
import pino from "pino";
import { z } from "zod";
import { createFront } from "../../../app/front/http.ts";
import { watchConnection } from "../../../src/adapters/nats/requests.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { serve } from "../../../src/transport/serve.ts";

const reply = z.object({ ok: z.boolean() });
const fields = defineService({
  name: "fields",
  description: "",
  operations: {
    get: { method: "GET", paths: ["/get"], summary: "", auth: "none", reply, errors: [], example: "" },
    post: {
      method: "POST",
      paths: ["/post"],
      summary: "",
      auth: "none",
      bodyOptional: true,
      body: z.object({}),
      reply,
      errors: [],
      example: "",
    },
  },
});

/** @returns asks both operations with one header field */
export async function startFieldFront(
  natsUrl: string,
): Promise<(name: string, value: string) => Promise<void>> {
  const { username, password, host } = new URL(natsUrl);
  const connection = await connect({ servers: host, user: username, pass: password });
  const log = pino({ level: "silent" });
  // Of this thread alone: another one would answer, and its time would not be seen.
  const prefix = `fuzz${process.pid}t${threadId}`;
  watchConnection(connection).failFast();
  const answer = async () => ({ ok: true });
  serve(connection, prefix, fields, { get: answer, post: answer }, log);
  await connection.flush();
  const app = createFront({ connection, prefix, services: [fields], log, trustedProxies: ["127.0.0.1"] });
  await app.ready();
  return async (name, value) => {
    const headers = { host: "a.example", [name]: value };
    await app.inject({ method: "GET", url: "/get", headers });
    await app.inject({ method: "POST", url: "/post", headers, payload: "{}" });
  };
}
