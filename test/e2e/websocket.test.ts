import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Agent, enter } from "../support/agent.ts";
import { createOwner, type Owner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let owner: Owner;
let shop: string;
let agent: Agent;

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 3, soundShare: 0, kinds: { shop: 1 }, seed: 11 } });
  await registry.crawl();
  owner = createOwner(registry);
  shop = registry.world.hosts[0]!.host;
  agent = await enter(registry.url, (await owner.license(shop)).key);
});
afterAll(() => registry?.stop());

interface Peer {
  send(message: object | string): void;
  /** The next message. */
  next(): Promise<any>;
  closed: Promise<{ code: number }>;
  close(): void;
}

async function open(headers: Record<string, string> = {}): Promise<Peer> {
  const socket = new WebSocket(`${registry.url.replace("http", "ws")}/ws`, { headers });
  const queue: any[] = [];
  const waiting: ((message: any) => void)[] = [];
  socket.on("message", (data) => {
    const message = JSON.parse(data.toString());
    const taker = waiting.shift();
    if (taker) taker(message);
    else queue.push(message);
  });
  const closed = new Promise<{ code: number }>((resolve) => socket.on("close", (code) => resolve({ code })));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return {
    send: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    next: () =>
      queue.length > 0 ? Promise.resolve(queue.shift()) : new Promise((resolve) => waiting.push(resolve)),
    closed,
    close: () => socket.close(),
  };
}

async function joined(token: string, headers?: Record<string, string>): Promise<Peer> {
  const peer = await open(headers);
  peer.send({ type: "auth", token });
  expect(await peer.next()).toMatchObject({ type: "auth_success" });
  return peer;
}

async function siteToken(): Promise<string> {
  const { status, body } = await owner.send("POST", "/api/bridge/site-token", { siteId: shop });
  expect(status).toBe(200);
  return body.token;
}

describe("an agent on the websocket", () => {
  it("lists actions and executes them as over HTTP, each answer with the id of its message", async () => {
    const peer = await joined(agent.token);
    peer.send({ type: "execute", id: "1", action: "navigate", target: "/" });
    expect(await peer.next()).toMatchObject({
      type: "action_result",
      id: "1",
      success: true,
      result: { status: 200 },
    });
    peer.send({ type: "actions_list", id: "2" });
    expect(await peer.next()).toMatchObject({ type: "actions_list", id: "2", siteId: shop });
    peer.send({ type: "ping", id: "3" });
    expect(await peer.next()).toMatchObject({ type: "ping", id: "3" });
    peer.close();
  });

  it("has a command done once that it repeats with its key, over HTTP too", async () => {
    const peer = await joined(agent.token);
    const command = { action: "navigate", target: "/" };
    const idempotency_key = randomUUID();
    peer.send({ type: "execute", id: "1", ...command, idempotency_key });
    const first = await peer.next();
    expect(first).not.toHaveProperty("idempotency_replayed");
    peer.send({ type: "execute", id: "2", ...command, idempotency_key });
    expect(await peer.next()).toEqual({ ...first, id: "2", idempotency_replayed: true });
    const again = await agent.execute("navigate", "/", undefined, undefined, {}, idempotency_key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    peer.send({ type: "execute", id: "3", action: "navigate", target: "/x", idempotency_key });
    expect(await peer.next()).toMatchObject({ type: "error", code: "idempotency_conflict" });
    peer.close();
  });

  it("is told what is wrong with a message, and goes on", async () => {
    const peer = await joined(agent.token);
    for (const wrong of [
      "no json",
      "{}",
      '{"type":"nothing"}',
      { type: "execute", id: "x" },
      { type: "action_result" },
    ]) {
      peer.send(wrong);
      expect(await peer.next()).toMatchObject({ type: "error", code: "invalid_request", status: 400 });
    }
    peer.send({ type: "execute", id: "5", action: "fill", target: "input", value: "x" });
    expect(await peer.next()).toMatchObject({
      type: "error",
      id: "5",
      code: "permission_denied",
      status: 403,
    });
    peer.close();
  });

  it("does nothing before it has authenticated, and is sent away with a token of another kind", async () => {
    const stranger = await open();
    stranger.send({ type: "execute", action: "navigate", target: "/" });
    expect(await stranger.next()).toMatchObject({ type: "error", code: "authentication_required" });
    stranger.send({ type: "auth", token: await owner.token() });
    expect(await stranger.next()).toMatchObject({ type: "error", code: "authentication_required" });
    expect(await stranger.closed).toEqual({ code: 4401 });
  });
});

describe("a site on the websocket", () => {
  it("does for sessions what takes a script engine, and offers actions of its own", async () => {
    const without = await agent.execute("click", "nav a[onclick], #nothing");
    expect(without.result.error.code).toBe("target_not_found");
    await agent.execute("navigate", "/");
    await agent.execute("click", ".products a");
    expect((await agent.execute("click", "#wish")).result.error.code).toBe("requires_script");

    const site = await joined(await siteToken());
    const clicking = agent.execute("click", "#wish");
    const asked = await site.next();
    expect(asked).toMatchObject({
      type: "execute",
      action: "click",
      target: "#wish",
      url: expect.stringContaining("/product/"),
    });
    site.send({ type: "action_result", id: asked.id, success: true, result: { remembered: 1 } });
    expect(await clicking).toMatchObject({ success: true, result: { remembered: 1, by: "script" } });

    const wishing = agent.execute("count-wishes", undefined, undefined, { of: "today" });
    const listing = await site.next();
    expect(listing.type).toBe("actions_list");
    const action = {
      name: "count-wishes",
      description: "",
      category: "custom",
      parameters: [],
      permissions_required: [],
    };
    site.send({ type: "actions_list", id: listing.id, actions: [action] });
    const second = await site.next();
    expect(second).toMatchObject({ type: "execute", action: "count-wishes", context: { of: "today" } });
    site.send({ type: "action_result", id: second.id, success: true, result: { count: 3 } });
    expect(await wishing).toMatchObject({ success: true, result: { count: 3 } });

    const broken = agent.execute("click", "#wish");
    await site.next();
    site.close();
    expect((await broken).result.error.code).toBe("script_failed");
  });

  it("joins from its own pages alone", async () => {
    const token = await siteToken();
    const own = await joined(token, { origin: `https://www.${shop}` });
    own.close();
    const foreign = await open({ origin: "https://elsewhere.test" });
    foreign.send({ type: "auth", token });
    expect(await foreign.closed).toEqual({ code: 4401 });
  });

  it("gets a token for a site of its owner's account alone", async () => {
    const { status, body } = await owner.send("POST", "/api/bridge/site-token", {
      siteId: registry.world.hosts[1]!.host,
    });
    expect([status, body.code]).toEqual([403, "permission_denied"]);
  });
});

describe("other requests", () => {
  it("are answered as if they asked for no websocket", async () => {
    const socket = new WebSocket(`${registry.url.replace("http", "ws")}/api/bridge/ping`);
    const answer = await new Promise<number>((resolve) => {
      socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
      socket.on("error", () => undefined);
    });
    expect(answer).toBe(200);
  });
});
