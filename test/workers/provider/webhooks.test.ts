import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMetrics } from "../../../app/processes/metrics.ts";
import { startRoles } from "../../../app/processes/start-roles.ts";
import type { BatchStatus } from "../../../schemas/provider.ts";
import { streamConfigs } from "../../../src/adapters/nats/topology.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { type Delivered, type Receiver, startReceiver, until } from "./receiver.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const API = "/api/discovery/provider";

/** As a receiver that follows Standard Webhooks 1.0.0 checks it, from its text alone. */
function isSigned({ headers, body }: Delivered, key: Buffer): boolean {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const wanted = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(wanted);
}

let registry: TestRegistry;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  registry = await startRegistry({
    world: { sites: 4 },
    roles: ["provider"],
    config: {
      leaseMs: 2_000,
      webhookRetryMs: Array(10)
        .fill(0)
        .map((_, i) => (i === 0 ? 0 : 40)),
    },
    alsoAllow: `127.0.0.1/32:${receiver.port}`,
  });
});
afterAll(async () => {
  await registry?.stop();
  await receiver?.close();
});

async function verify(more: object) {
  const domains = [registry.world.hosts[0]!.host];
  return registry.postJson(`${API}/verify-batch`, { domains, ...more });
}
const stateOf = async (id: string): Promise<BatchStatus> =>
  (await registry.getJson(`${API}/batches/${id}`)).body;
const ended = (id: string): Promise<NonNullable<BatchStatus["delivery"]>> =>
  until(async () => {
    const { delivery } = await stateOf(id);
    return delivery && delivery.state !== "pending" ? delivery : undefined;
  });
const sentOf = (id: string): Delivered[] =>
  receiver.got.filter(({ headers }) => headers["webhook-id"] === id);
function answering(statuses: (count: number) => number): void {
  const before = receiver.got.length;
  receiver.answer = (count) => ({ status: statuses(count - before), headers: { location: "/elsewhere" } });
}

describe("a webhook", () => {
  it("brings the very bytes of the reply, signed", async () => {
    answering(() => 204);
    const reply = await fetch(`${registry.url}${API}/verify-batch`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        domains: [registry.world.hosts[0]!.host, "no domain"],
        callback_url: receiver.url,
        callback_secret: SECRET,
      }),
    });
    const text = await reply.text();
    const { request_id: id, callback } = JSON.parse(text);
    expect(callback).toEqual({
      accepted: true,
      url: receiver.url,
      status_url: `${registry.url}${API}/batches/${id}`,
      reason: null,
    });
    const delivery = await ended(id);
    expect(delivery).toMatchObject({
      state: "delivered",
      reason: "delivered",
      signed: true,
      attempts_left: 9,
    });
    const [sent] = sentOf(id);
    expect(sent!.body).toBe(text);
    expect(isSigned(sent!, Buffer.from("a secret of thirty-two bytes, ok"))).toBe(true);
    expect(Math.abs(Number(sent!.headers["webhook-timestamp"]) - Date.now() / 1_000)).toBeLessThan(60);
  });

  it("is signed by a plain secret's UTF-8, and not at all without one", async () => {
    answering(() => 200);
    const plain = (await verify({ callback_url: receiver.url, callback_secret: "geheim ☃" })).body.request_id;
    const bare = (await verify({ callback_url: receiver.url })).body.request_id;
    await Promise.all([ended(plain), ended(bare)]);
    expect(isSigned(sentOf(plain)[0]!, Buffer.from("geheim ☃"))).toBe(true);
    expect(sentOf(bare)[0]!.headers["webhook-signature"]).toBeUndefined();
  });

  it("that fails nine times gets its tenth attempt, each signed anew over the same bytes and id", async () => {
    answering((count) => [500, 404, 302, 503, 429][count % 5]! * (count < 10 ? 1 : 0) || 200);
    const { request_id: id } = (await verify({ callback_url: receiver.url, callback_secret: SECRET })).body;
    const delivery = await ended(id);
    expect(delivery).toMatchObject({ state: "delivered", attempts_left: 0, next_attempt_at: null });
    expect(delivery.attempts).toHaveLength(10);
    expect(delivery.attempts.filter(({ failure }) => failure === "redirect_refused").length).toBeGreaterThan(
      0,
    );
    const sent = sentOf(id);
    expect(sent).toHaveLength(10);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(sent.every((each) => isSigned(each, Buffer.from("a secret of thirty-two bytes, ok")))).toBe(true);
  });

  it("that fails ten times has failed, and its secret is nowhere any more", async () => {
    answering(() => 500);
    const { request_id: id } = (await verify({ callback_url: receiver.url, callback_secret: SECRET })).body;
    expect(await ended(id)).toMatchObject({ state: "failed", reason: "attempts_exhausted" });
    expect(sentOf(id)).toHaveLength(10);
    const { broker } = registry.runtime;
    const left = await until(async () => {
      const info = await broker.jsm.streams.info(streamConfigs(broker.prefix).webhooks.name);
      return info.state.messages === 0 ? info.state : undefined;
    });
    expect(left.messages).toBe(0);
  });

  it("ends at a 410", async () => {
    answering(() => 410);
    const { request_id: id } = (await verify({ callback_url: receiver.url })).body;
    expect(await ended(id)).toMatchObject({ state: "failed", reason: "gone" });
    expect(sentOf(id)).toHaveLength(1);
  });

  it("is delivered once its status says so, though the receipt's body cannot be decoded", async () => {
    for (const coding of ["gzip", "zstd"]) {
      receiver.answer = () => ({ status: 200, headers: { "content-encoding": coding }, body: "received" });
      const { request_id: id } = (await verify({ callback_url: receiver.url })).body;
      expect(await ended(id)).toMatchObject({ state: "delivered" });
      expect(sentOf(id)).toHaveLength(1);
    }
  });

  it("follows no redirect", async () => {
    answering((count) => (count === 1 ? 307 : 204));
    const { request_id: id } = (await verify({ callback_url: receiver.url })).body;
    await ended(id);
    expect(sentOf(id)).toHaveLength(2);
    expect((await stateOf(id)).delivery!.attempts.map(({ status }) => status)).toEqual([307, 204]);
  });

  it("is sent by another worker when its own has gone", async () => {
    answering((count) => (count < 3 ? 500 : 204));
    const { request_id: id } = (await verify({ callback_url: receiver.url })).body;
    await Promise.all(registry.roles.map((role) => role.drain()));
    const others = await startRoles(registry.runtime, ["provider"], createMetrics());
    registry.roles.splice(0, registry.roles.length, ...others);
    expect(await ended(id)).toMatchObject({ state: "delivered" });
    expect(sentOf(id).length).toBeGreaterThanOrEqual(3);
  });
});

describe("a receiver that must not be one", () => {
  it.each([
    "http://127.0.0.1:1/",
    "http://10.0.0.1/",
    "http://[::1]/",
    "http://169.254.169.254/latest",
    "http://2130706433/",
    "https://localhost/",
    "file:///etc/passwd",
    "https://user:word@dns.example/",
    "https://dns.example:8443/",
  ])("is refused with a reason when it is named: %s", async (callback_url) => {
    const { status, body } = await verify({ callback_url });
    expect({ status, code: body.code, pointer: body.errors[0].pointer }).toEqual({
      status: 400,
      code: "invalid_callback",
      pointer: "/body/callback_url",
    });
  });

  it("is refused when its name leads to a private address", async () => {
    const { host } = await registry.world.add("private_address");
    const { status, body } = await verify({ callback_url: `https://${host}/hook` });
    expect({ status, code: body.code }).toEqual({ status: 400, code: "invalid_callback" });
  });

  it("is refused in the same words whether its name leads inside or nowhere: nothing is learned of either", async () => {
    const { host } = await registry.world.add("private_address");
    await registry.world.set(host, { addresses: ["10.20.30.40"] });
    const replies = [];
    for (const name of [host, `nowhere.${host}`, "nobody-has-this.test", "10.20.30.40"]) {
      const { status, body } = await verify({ callback_url: `https://${name}/hook` });
      replies.push([status, body.code, body.detail]);
      expect(JSON.stringify({ ...body, instance: "" })).not.toContain("10.20.30.40");
    }
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(replies[0]).toEqual([
      400,
      "invalid_callback",
      "callback_url cannot be sent to: the address is not public.",
    ]);
  });

  it("never gets anything, and that is recorded, when its name only later leads to one", async () => {
    const { host } = await registry.world.add("dns_servfail");
    const { body } = await verify({ callback_url: `https://${host}/hook` });
    expect(body.callback.accepted).toBe(true);
    await registry.world.set(host, { dns: "insecure", addresses: ["10.0.0.1"] });
    expect(await ended(body.request_id)).toMatchObject({ state: "failed" });
  });

  it("needs a secret that can be read, and an address beside it", async () => {
    const bad = await verify({ callback_url: receiver.url, callback_secret: "whsec_%%%" });
    const alone = await verify({ callback_secret: "x" });
    expect([bad.body.errors[0].pointer, alone.body.errors[0].pointer]).toEqual([
      "/body/callback_secret",
      "/body/callback_secret",
    ]);
  });
});
