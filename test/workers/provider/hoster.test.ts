import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BatchReply, BatchStatus } from "../../../schemas/provider.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { type Receiver, startReceiver, until } from "./receiver.ts";

const API = "/api/discovery/provider";
const PAUSES = { hostDelayMs: 600, ipDelayMs: 200 };
const SITES = 24;
/** One address of a hoster, which the synthetic web gives to no site of its own. */
const SHARED = "127.200.9.9";

let registry: TestRegistry;
let receiver: Receiver;
let hosts: string[];
beforeAll(async () => {
  receiver = await startReceiver();
  registry = await startRegistry({
    world: { sites: SITES + 4, soundShare: 1, seed: 31 },
    roles: ["provider"],
    config: {
      BRIDGE_HOST_DELAY_MS: PAUSES.hostDelayMs,
      BRIDGE_IP_DELAY_MS: PAUSES.ipDelayMs,
      batchDeadlineMs: 2_500,
    },
    alsoAllow: `127.0.0.1/32:${receiver.port}`,
  });
  hosts = registry.world.hosts.slice(0, SITES).map(({ host }) => host);
  for (const { host } of registry.world.hosts) await registry.world.set(host, { addresses: [SHARED] });
});
afterAll(async () => {
  await registry?.stop();
  await receiver?.close();
});

const verify = async (more: object = {}): Promise<BatchReply> =>
  (await registry.postJson(`${API}/verify-batch`, { domains: hosts, ...more })).body;
const enabledOf = ({ results }: BatchReply): string[] =>
  results.filter(({ state }) => state === "enabled").map(({ domain }) => domain!);

describe("a hoster's batch of sites on one address", () => {
  it("is answered, told when to ask for the rest, and told of the rest by a second webhook", async () => {
    const first = await verify({ callback_url: receiver.url });
    const { enabled, pending, total } = first.summary;
    expect(enabled).toBeGreaterThan(0);
    expect(pending).toBeGreaterThan(0);
    expect(enabled + pending).toBe(total);
    for (const { state, checks, ask_again_at } of first.results.filter(({ state: is }) => is === "pending")) {
      expect({ state, txt: checks!.txt.state, signature: checks!.signature.state }).toEqual({
        state: "pending",
        txt: "pass",
        signature: "unknown",
      });
      expect(Date.parse(ask_again_at!)).toBeGreaterThan(Date.parse(first.checked_at));
    }
    const running: BatchStatus = (await registry.getJson(`${API}/batches/${first.request_id}`)).body;
    expect(running.verification.state).toBe("running");

    // What was answered is remembered by each door, at once, and the rest goes on meanwhile.
    const known = enabledOf(first);
    const startedMs = performance.now();
    const said = await Promise.all(known.map((host) => registry.getJson(`${API}/status?domain=${host}`)));
    expect(said.map(({ status, body }) => [status, body.state])).toEqual(known.map(() => [200, "enabled"]));
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    const second = await verify();
    expect(enabledOf(second)).toEqual(expect.arrayContaining(known));

    const whole = await until(() => receiver.got[1]);
    expect(receiver.got[0]!.headers["webhook-id"]).toBe(first.request_id);
    expect(whole.headers["webhook-id"]).toBe(`${first.request_id}-2`);
    const told: BatchReply = JSON.parse(whole.body);
    expect(told.request_id).toBe(first.request_id);
    expect(told.summary).toMatchObject({ total: SITES, enabled: SITES, pending: 0 });
    const done = await until(async () => {
      const { verification } = (await registry.getJson(`${API}/batches/${first.request_id}`)).body;
      return verification.state === "done" ? verification : undefined;
    });
    expect(done.summary).toMatchObject({ enabled: SITES, pending: 0 });
    expect((await verify()).summary).toMatchObject({ enabled: SITES, pending: 0 });

    const judgement = await registry.world.log(PAUSES);
    expect(judgement.worst).toEqual([]);
    const asked = await registry.world.requests();
    const documents = asked.filter(({ path, host }) => path.endsWith("bridge.json") && hosts.includes(host));
    expect(documents).toHaveLength(SITES);
  }, 60_000);

  it("says what DNS alone decides where the host cannot be asked", async () => {
    const [unpublished, published] = registry.world.hosts.slice(SITES).map(({ host }) => host);
    for (const host of [unpublished!, published!])
      await registry.world.set(host, { latencyMs: 30_000, ...(host === unpublished && { txt: "none" }) });
    const { body } = await registry.postJson(`${API}/verify-batch`, { domains: [unpublished, published] });
    const [none, some] = (body as BatchReply).results;
    expect(none).toMatchObject({ state: "disabled", reason: "no_txt", source: "dns" });
    expect(none!.checks!.manifest).toMatchObject({ state: "unknown", reason: "not_read" });
    expect(some).toMatchObject({ state: "pending", checks: { txt: { state: "pass" } } });
    const status = await registry.getJson(`${API}/status?domain=${unpublished}`);
    expect([status.status, status.body.state, status.body.source]).toEqual([200, "disabled", "dns"]);
  }, 30_000);
});
