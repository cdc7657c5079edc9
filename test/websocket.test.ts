import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openAccountStore } from "../src/accounts.ts";
import { sessionAuthenticator, sessionTokens } from "../src/auth/session.ts";
import { siteOfToken, siteTokens } from "../src/auth/site.ts";
import { createDoor } from "../src/auth.ts";
import { openPlans } from "../src/plans.ts";
import { serveWebsocket, type WebsocketFront, wantsWebsocket } from "../src/websocket.ts";
import { session } from "../workers/session/contract.ts";
import { scriptSubject } from "../workers/session/script-wire.ts";
import { enter } from "./support/agent.ts";
import { makeLicence, type TestLicence } from "./support/licence.ts";
import { startRegistry, type TestRegistry } from "./support/registry.ts";

const SHORT = {
  authTimeoutMs: 150,
  silenceMs: 200,
  pingEveryMs: 50,
  scriptTimeoutMs: 150,
  connections: 3,
  inFlight: 2,
  asked: 1,
};

let registry: TestRegistry;
let server: Server;
let front: WebsocketFront;
let site: string;
let licence: TestLicence;
let token: string;

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1, soundShare: 1 }, roles: ["session"] });
  const { runtime } = registry;
  const { broker } = runtime;
  const store = openAccountStore(broker);
  site = registry.world.hosts[0]!.host;
  licence = await makeLicence(broker, site);
  token = (await enter(registry.url, licence.key)).token;
  const authenticators = {
    session: sessionAuthenticator(sessionTokens(runtime), store, openPlans(broker.buckets.plans, broker.now)),
  };
  server = createServer({ shouldUpgradeCallback: wantsWebsocket } as object, (_, response) =>
    response.end("no websocket"),
  );
  front = serveWebsocket(server, {
    connection: broker.connection,
    prefix: broker.prefix,
    session,
    door: createDoor(authenticators, broker.counters, broker.now, "secret"),
    siteOf: (given) => siteOfToken(siteTokens(runtime), store, given),
    limits: SHORT,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  front?.close();
  server?.close();
  await registry?.stop();
});

const connect = (options: { autoPong?: boolean } = {}): WebSocket =>
  new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, options);
const closeOf = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once("close", resolve));
const nextOf = (socket: WebSocket): Promise<any> =>
  new Promise((resolve) => socket.once("message", (data) => resolve(JSON.parse(data.toString()))));
const joined = async (given: string, options?: { autoPong?: boolean }): Promise<WebSocket> => {
  const socket = connect(options);
  await new Promise((resolve) => socket.once("open", resolve));
  const welcome = nextOf(socket);
  socket.send(JSON.stringify({ type: "auth", token: given }));
  expect((await welcome).type).toBe("auth_success");
  return socket;
};
const left = async (...sockets: WebSocket[]): Promise<void> => {
  await Promise.all(sockets.map((socket) => [closeOf(socket), socket.close()][0]));
};

describe("the websocket's limits", () => {
  it("end a connection that does not authenticate in time, and one that is silent", async () => {
    expect(await closeOf(connect())).toBe(4401);
    const silent = await joined(token, { autoPong: false });
    expect(await closeOf(silent)).toBe(1006);
  });

  it("keep a quiet connection that answers pings", async () => {
    const quiet = await joined(token);
    await new Promise((resolve) => setTimeout(resolve, 2 * SHORT.silenceMs));
    expect(quiet.readyState).toBe(WebSocket.OPEN);
    await left(quiet);
  });

  it("turn away what is one connection too many", async () => {
    const inside = await Promise.all([joined(token), joined(token), joined(token)]);
    expect(front.connections).toBe(3);
    expect(await closeOf(connect())).toBe(1013);
    await left(...inside);
  });

  it("refuse a message beyond those that may be unanswered", async () => {
    const socket = await joined(token);
    const answers: any[] = [];
    const all = new Promise<void>((resolve) =>
      socket.on("message", (data) => {
        answers.push(JSON.parse(data.toString()));
        if (answers.length === 3) resolve();
      }),
    );
    for (const id of ["a", "b", "c"])
      socket.send(JSON.stringify({ type: "execute", id, action: "wait", value: "100" }));
    await all;
    expect(answers.find(({ id }) => id === "c")).toMatchObject({
      type: "error",
      code: "rate_limited",
      status: 429,
    });
    expect(answers.filter(({ type }) => type === "action_result")).toHaveLength(2);
    await left(socket);
  });

  it("answer for a site's script that is slow, busy or gone", async () => {
    const { connection, prefix } = registry.runtime.broker;
    const tokens = siteTokens(registry.runtime);
    const script = await joined(await tokens.issue(site, { account: licence.accountId }));
    const ask = async () =>
      (
        await connection.request(scriptSubject(prefix, site), '{"type":"execute","action":"x","url":null}', {
          timeout: 2_000,
        })
      ).json<any>();
    const [slow, busy] = await Promise.all([ask(), ask()]);
    expect([slow, busy].map(({ result }) => result.error.message).sort()).toEqual([
      "The site's script did not answer in time.",
      "The site's script is at its limit.",
    ]);
    script.once("message", () => script.close());
    expect((await ask()).result.error).toMatchObject({
      code: "script_failed",
      message: "The site's script has left.",
    });
  });

  it("end a session's connection once its licence is revoked, and a site's once it changes hands", async () => {
    const tokens = siteTokens(registry.runtime);
    const script = await joined(await tokens.issue(site, { account: licence.accountId }));
    const agent = await joined(token);
    await makeLicence(registry.runtime.broker, site);
    agent.send(JSON.stringify({ type: "execute", action: "read" }));
    expect(await Promise.all([closeOf(script), closeOf(agent)])).toEqual([4401, 4401]);
  });
});
