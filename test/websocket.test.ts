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

/** Their real values are measured in websocket-limits.test.ts. */
const SHORT = { pingEveryMs: 50, scriptTimeoutMs: 150, asked: 1 };

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
    clock: runtime.clock,
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

const closeOf = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once("close", resolve));
const nextOf = (socket: WebSocket): Promise<any> =>
  new Promise((resolve) => socket.once("message", (data) => resolve(JSON.parse(data.toString()))));
const joined = async (given: string): Promise<WebSocket> => {
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`);
  await new Promise((resolve) => socket.once("open", resolve));
  const welcome = nextOf(socket);
  socket.send(JSON.stringify({ type: "auth", token: given }));
  expect((await welcome).type).toBe("auth_success");
  return socket;
};
describe("the websocket's limits", () => {
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
