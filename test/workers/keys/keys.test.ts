import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeyRecord } from "../../../schemas/key.ts";
import { hashOfKey, isKeyForm, makeKey } from "../../../src/stores/api-keys.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { ask as askFrom } from "../../limits/stranger.ts";
import { askJson } from "../../support/json.ts";
import { createOwner } from "../../support/owner.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { givenKey } from "../../support/visitor.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["accounts"] });
});
afterAll(() => registry?.stop());

const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
  askJson(`${registry.url}/api/v1/keys/${path}`, { method, body, headers });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
let addresses = 0;
const generate = async (email = `person${addresses++}@example.com`) =>
  (await ask("POST", "generate", {}, { plan: "FREE", owner: "a test", email })).body.key as string;

describe("a key", () => {
  it("is made for everyone on the FREE plan, shown once and kept as a hash alone", async () => {
    const body = { owner: "Ada", email: "ada@example.com" };
    const made = await ask("POST", "generate", {}, body);
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      plan: "FREE",
      state: "issued",
      quota: { per_day: 100, per_minute: 10 },
    });
    expect(isKeyForm("bridge_live_fre_", made.body.key)).toBe(true);
    const records = openRecords(registry.runtime.broker.buckets.keys, KeyRecord);
    const stored = await records.get(hashOfKey(made.body.key));
    expect(JSON.stringify(stored)).not.toContain(made.body.key.slice(20));
  });

  it.each(["PRO", "BUSINESS"])("of the %s plan is not given for asking", async (plan) => {
    const reply = await ask("POST", "generate", {}, { plan, owner: "x", email: "x@example.com" });
    expect([reply.status, reply.body.code]).toEqual([401, "authentication_required"]);
  });

  it("is taken in each of the three ways, and in one of them only", async () => {
    const key = await generate();
    expect((await ask("POST", "validate", bearer(key))).body.valid).toBe(true);
    expect((await ask("POST", "validate", { "x-bridge-key": key })).body.valid).toBe(true);
    expect((await ask("POST", `validate?api_key=${key}`)).body.valid).toBe(true);
    const two = await ask("POST", `validate?api_key=${await generate()}`, bearer(key));
    expect([two.status, two.body.code]).toEqual([401, "authentication_required"]);
  });

  it("is validated by its first use", async () => {
    const key = await generate();
    const { body } = await ask("POST", "validate", bearer(key));
    expect([body.state, typeof body.validated_at]).toEqual(["validated", "string"]);
    expect((await ask("POST", "validate", bearer(key))).body.validated_at).toBe(body.validated_at);
  });

  it("that is wrong, missing or revoked is told apart, and each says what to do", async () => {
    const key = await generate();
    expect((await ask("POST", "revoke", bearer(key))).body.state).toBe("revoked");
    const revoked = await ask("POST", "validate", bearer(key));
    expect([revoked.status, revoked.body.code]).toEqual([401, "key_revoked"]);
    const missing = await ask("POST", "validate");
    expect([missing.status, missing.body.code]).toEqual([401, "authentication_required"]);
    expect(missing.headers.get("www-authenticate")).toMatch(/^Bearer/);
    for (const wrong of [makeKey("bridge_live_fre_"), `${key}x`, "x", key.replace(/.$/, "!")])
      expect((await ask("POST", "validate", bearer(wrong))).status).toBe(401);
  });

  it("gives way to a new one when it is rotated, at once or after a grace, with the same usage", async () => {
    const key = await generate();
    const first = await ask("POST", "rotate", bearer(key));
    expect((await ask("GET", "usage", bearer(key))).body.code).toBe("key_revoked");
    const second = await ask("POST", "rotate", bearer(first.body.key), { grace_seconds: 60 });
    expect((await ask("GET", "usage", bearer(first.body.key))).status).toBe(200);
    expect((await ask("GET", "usage", bearer(second.body.key))).status).toBe(200);
    expect(Date.parse(second.body.replaced.revoked_at) - registry.runtime.broker.now()).toBeGreaterThan(
      50_000,
    );
  });

  it("that was rotated with a grace can still be revoked at once", async () => {
    const key = await generate();
    await ask("POST", "rotate", bearer(key), { grace_seconds: 3_600 });
    await ask("POST", "revoke", bearer(key));
    expect((await ask("POST", "validate", bearer(key))).body.code).toBe("key_revoked");
  });

  it("is charged to who makes it, and not to the address that it names", async () => {
    const victim = createOwner(registry);
    const body = { owner: "x", email: await victim.email() };
    const statuses = [];
    const others = createOwner(registry);
    for (let i = 0; i < 51; i++)
      statuses.push((await others.send("POST", "/api/v1/keys/generate", body)).status);
    expect(statuses.at(-1)).not.toBe(200);
    const named = { ...body, owner: "y" };
    const headers = { authorization: `Bearer ${await victim.token()}` };
    const { status } = await askFrom(registry, "127.77.0.1", "POST /api/v1/keys/generate", named, headers);
    expect(status).toBe(200);
  });

  it.each(["ü@example.com", "a@exämple.com"])("names %s, as an account may", async (email) => {
    const named = { owner: "x", email };
    const reply = await askFrom(registry, "127.78.0.1", "POST /api/v1/keys/generate", named);
    expect([reply.status, reply.body.email]).toEqual([200, email]);
  });

  it("shows its usage by day, and none of its own operations is counted", async () => {
    const key = await givenKey(registry, "PRO");
    const { body } = await ask("GET", "usage?days=3", bearer(key));
    expect(body.day).toMatchObject({ quota: 10_000, used: 0, remaining: 10_000 });
    expect(body.by_day.map(({ calls }: { calls: number }) => calls)).toEqual([0, 0, 0]);
  });
});
