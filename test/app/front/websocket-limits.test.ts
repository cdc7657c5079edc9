import { randomBytes } from "node:crypto";
import { connect as connectTcp } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { WebSocket } from "ws";
import { issueSiteToken, siteTokens } from "../../../src/stores/issued-tokens.ts";
import { scriptSubject } from "../../../workers/session/script-wire.ts";
import { enter } from "../../support/agent.ts";
import { makeLicense } from "../../support/license.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { watchTurns } from "../../support/turns.ts";
import { asked, closeOf, nextOf, startWebsocket, type TestWebsocket } from "../../support/websocket.ts";

let registry: TestRegistry;
let front: TestWebsocket["front"];
let connect: TestWebsocket["connect"];
let joined: TestWebsocket["joined"];
let stop: TestWebsocket["stop"];
let site: string;
let agentToken: string;
let siteToken: string;
let aheadMs = 0;

/** A front with the limits that it has in service, in this process: its timers can be the test's. */
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1, soundShare: 1 }, roles: ["session"] });
  const { runtime } = registry;
  site = registry.world.hosts[0]!.host;
  const license = await makeLicense(runtime.broker, site);
  agentToken = (await enter(registry.url, license.key)).token;
  siteToken = await issueSiteToken(siteTokens(runtime), site, license);
  const clock = { ...runtime.clock, monotonicMs: () => runtime.clock.monotonicMs() + aheadMs };
  ({ front, connect, joined, stop } = await startWebsocket(runtime, { clock }));
});
afterAll(async () => {
  stop?.();
  await registry?.stop();
});
afterEach(() => vi.useRealTimers());

/** From here on the front's timers run by `vi.advanceTimersByTime`; sockets and the broker go on by themselves. */
const holdTime = () =>
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"],
  });
/** Less than any request of the broker may take: none that is under way is late by a jump of the test's. */
const STEP_MS = 400;
async function advance(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    vi.advanceTimersByTime(Math.min(left, STEP_MS));
    await registry.runtime.broker.connection.flush();
  }
}
const isAlive = async (socket: WebSocket): Promise<boolean> =>
  (await asked(socket, { type: "ping" })).type !== undefined;

describe("a front's websocket takes exactly what docs/agents.md says:", () => {
  it("ten seconds to authenticate", async () => {
    holdTime();
    const late = await connect();
    const closed = closeOf(late);
    await advance(9_999);
    expect(await isAlive(late)).toBe(true);
    await advance(1);
    expect(await closed).toBe(4401);
  });

  it("75 seconds of silence, and an answered ping is none", async () => {
    holdTime();
    const silent = await joined(agentToken, { autoPong: false });
    const closed = closeOf(silent);
    await advance(74_999);
    expect(front.connections).toBe(1);
    await advance(1);
    expect(await closed).toBe(1006);

    const pings = await joined(agentToken);
    for (let beats = 0; beats < 4; beats++) {
      const ping = new Promise((resolve) => pings.once("ping", resolve));
      await advance(30_000);
      await ping;
      expect(await isAlive(pings)).toBe(true);
    }
    pings.terminate();
  });

  it("64 KiB a message", async () => {
    const socket = await joined(agentToken);
    const ofLength = (bytes: number) => `{"type":"ping"${" ".repeat(bytes - 15)}}`;
    expect((await asked(socket, ofLength(65_536))).type).toBe("ping");
    const closed = closeOf(socket);
    socket.send(ofLength(65_537));
    expect(await closed).toBe(1009);
  });

  it("600 messages a minute, and as many in the next", async () => {
    const socket = await joined(agentToken);
    for (let sent = 1; sent < 600; sent++) await asked(socket, { type: "ping" });
    aheadMs += 60_000;
    for (let sent = 0; sent < 600; sent++) await asked(socket, { type: "ping" });
    const closed = closeOf(socket);
    socket.send('{"type":"ping"}');
    expect(await closed).toBe(1008);
  });

  it("no more of a flood is read than that, and its connection ends at once", async () => {
    const { hostname, port } = new URL(registry.url);
    const socket = connectTcp(Number(port), hostname);
    const head = `GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`;
    // Masked with zeros (RFC 6455 section 5.3).
    const text = Buffer.from('{"type":"ping"}');
    const frame = Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
    let answers = 0;
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      answers += chunk.toString("latin1").split('"timestamp"').length - 1;
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(head);
    await new Promise((resolve) => socket.once("data", resolve));
    const longest = watchTurns();
    const startedMs = performance.now();
    socket.write(Buffer.alloc(200_000 * frame.length, frame));
    await closed;
    expect(performance.now() - startedMs).toBeLessThan(1_500);
    expect(longest()).toBeLessThan(50);
    expect(answers).toBeLessThanOrEqual(600);
  });

  it("a second for a peer that said goodbye to leave, whatever it sends besides", async () => {
    const { hostname, port } = new URL(registry.url);
    const socket = connectTcp(Number(port), hostname);
    const key = randomBytes(16).toString("base64");
    socket.write(
      `GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
    );
    const ended = new Promise((resolve) => socket.on("close", resolve).on("error", () => undefined));
    const goodbye = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
    const started = performance.now();
    socket.resume().once("data", () => socket.write(goodbye));
    const more = setInterval(() => socket.write(Buffer.alloc(64)), 50);
    await ended;
    clearInterval(more);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("eight unanswered messages at once", async () => {
    const socket = await joined(agentToken);
    const answers: any[] = [];
    const all = new Promise<void>((resolve) =>
      socket.on("message", (data) => {
        if (answers.push(JSON.parse(data.toString())) === 9) resolve();
      }),
    );
    for (let id = 1; id <= 9; id++)
      socket.send(JSON.stringify({ type: "execute", id: String(id), action: "wait", value: "50" }));
    await all;
    expect(answers.filter(({ code }) => code === "rate_limited").map(({ id }) => id)).toEqual(["9"]);
    expect(answers.filter(({ type }) => type === "action_result")).toHaveLength(8);
    socket.terminate();
  });

  it("ten seconds for a site's script to answer", async () => {
    const { connection, prefix } = registry.runtime.broker;
    const script = await joined(siteToken);
    await registry.runtime.broker.connection.flush();
    holdTime();
    const heard = nextOf(script);
    const reply = connection.request(
      `${prefix}.${scriptSubject(site)}`,
      '{"type":"execute","action":"x","url":null}',
      {
        timeout: 60_000,
      },
    );
    await heard;
    await advance(9_999);
    expect(await isAlive(script)).toBe(true);
    await advance(1);
    expect((await reply).json<any>().result.error.message).toBe("The site's script did not answer in time.");
    script.terminate();
  });

  it("so many connections of an account, a network and everybody, of which strangers hold a part", async () => {
    // A fiftieth of the figures: 5 of an account, 10 of a network, 20 in all; of strangers 1, 2 and 4.
    const few = await startWebsocket(registry.runtime, { limitsPercent: 2 });
    const from = (network: number, address = 1) => ({ localAddress: `127.${network}.0.${address}` });
    const refused = async (localAddress: { localAddress: string }) =>
      (await closeOf(await few.connect(localAddress))) === 1013;

    const strangers = [await few.connect(from(1)), await few.connect(from(1, 2))];
    expect(await refused(from(1))).toBe(true);
    expect(await refused(from(1, 3))).toBe(true);
    strangers.push(await few.connect(from(2)), await few.connect(from(3)));
    expect(await refused(from(4))).toBe(true);
    for (const socket of strangers) socket.terminate();
    await vi.waitFor(() => expect(few.front.connections).toBe(0));

    const tokens: string[] = [];
    for (let account = 0; account < 5; account++) {
      const license = await makeLicense(registry.runtime.broker, `shop-${account}.test`);
      tokens.push((await enter(registry.url, license.key)).token);
    }
    const inside: WebSocket[] = [];
    const fill = async (token: string, network: number) => {
      for (let i = 0; i < 5; i++) inside.push(await few.joined(token, from(network)));
    };
    await fill(tokens[0]!, 1);
    const sixth = await few.connect(from(1));
    sixth.send(JSON.stringify({ type: "auth", token: tokens[0] }));
    expect(await closeOf(sixth)).toBe(1013);
    await fill(tokens[1]!, 1);
    expect(await refused(from(1))).toBe(true);
    await fill(tokens[2]!, 2);
    await fill(tokens[3]!, 2);
    expect(few.front.connections).toBe(20);
    expect(await refused(from(3))).toBe(true);
    inside.pop()!.terminate();
    await vi.waitFor(() => expect(few.front.connections).toBe(19));
    inside.push(await few.joined(tokens[4]!, from(3)));
    for (const socket of inside) socket.terminate();
    few.stop();
  });

  it("thirty-two strangers of one address, and still those who have a token", async () => {
    const strangers: WebSocket[] = [];
    while (strangers.length < 32) strangers.push(await connect({ localAddress: "127.9.0.1" }));
    expect(await closeOf(await connect({ localAddress: "127.9.0.1" }))).toBe(1013);
    const agent = await joined(agentToken, { localAddress: "127.9.0.2" });
    expect(await isAlive(agent)).toBe(true);
    for (const socket of [...strangers, agent]) socket.terminate();
  });
});
