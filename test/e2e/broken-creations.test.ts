/** Creations whose outcome their front never heard: a leader changed, a deadline passed, the front died. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IdempotencyRecord } from "../../schemas/idempotency.ts";
import { openRecords } from "../../src/stores/records.ts";
import { askJson } from "../support/json.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["accounts"] });
});
afterAll(() => registry?.stop());

const post = (path: string, body: unknown, key: string, token?: string) =>
  askJson(registry.url + path, { body, token, headers: { "idempotency-key": key } });

/** As if no front had heard what became of any request so far. */
async function breakOff(): Promise<void> {
  const { idempotency } = registry.runtime.broker.buckets;
  const records = openRecords(idempotency, IdempotencyRecord);
  for await (const name of idempotency.keys()) {
    const { value } = (await records.get(name))!;
    await records.put(name, { ...value, state: "claimed", until: 0, reply: null });
  }
}

const account = {
  email: `${randomUUID()}@example.com`,
  password: "correct horse battery staple",
  name: "Ada",
};
const tokenOf = async (): Promise<string> =>
  (await post("/api/auth/login", { email: account.email, password: account.password }, randomUUID())).body
    .token;

describe("a creation whose outcome was not heard", () => {
  it.each<[string, string, unknown, boolean, (body: any) => unknown]>([
    ["an account", "/api/auth/register", account, false, ({ user }) => user.id],
    [
      "an API key",
      "/api/v1/keys/generate",
      { owner: "a test", email: "a@example.com" },
      false,
      ({ key }) => key,
    ],
    ["an agent", "/api/account/keys", { kind: "agent", name: "helper" }, true, ({ key }) => key],
  ])(
    "of %s is found by its repeat, which is answered as the first one was",
    async (_, path, body, signedIn, made) => {
      const token = signedIn ? await tokenOf() : undefined;
      const key = randomUUID();
      const first = await post(path, body, key, token);
      expect([path, first.status < 300]).toEqual([path, true]);
      await breakOff();
      const again = await post(path, body, key, token);
      expect([again.status, made(again.body)]).toEqual([first.status, made(first.body)]);
      expect(made(again.body)).toEqual(expect.any(String));
      // The key stands for that request alone, and another key makes another.
      expect(
        (await post(path, { ...(body as object), name: "other" }, key, token)).status,
      ).toBeGreaterThanOrEqual(400);
    },
  );

  it("leaves one of each, whatever was repeated", async () => {
    const token = await tokenOf();
    expect((await askJson(`${registry.url}/api/account/keys`, { token })).body.agents).toHaveLength(1);
  });
});

describe("what was made by an Idempotency-Key and ended since", () => {
  const call = (method: string, path: string, token: string, body?: unknown) =>
    askJson(registry.url + path, { method, body, token });

  it.each<[string, string]>([
    ["revoked", "revoke"],
    ["replaced", "rotate"],
  ])("does not come back by the repeat: a key of an account that was %s", async (_, end) => {
    const token = await tokenOf();
    const [path, key, body] = ["/api/account/keys", randomUUID(), { kind: "project", name: "ends" }];
    const first = await post(path, body, key, token);
    expect(first.status).toBeLessThan(300);
    const ended = await call("POST", `/api/account/keys/${first.body.key_id}/${end}`, token);
    expect(ended.status).toBeLessThan(300);
    await breakOff();
    // However often it is repeated: a refused repeat does not give the Idempotency-Key back for another creation.
    for (let repeats = 0; repeats < 3; repeats++) {
      const again = await post(path, body, key, token);
      expect([again.status, again.body.code]).toEqual([422, "idempotency_conflict"]);
      expect(JSON.stringify(again.body)).not.toContain("bridge_");
    }
  });

  it("does not come back by the repeat: a gateway key", async () => {
    const [key, body] = [randomUUID(), { owner: "a test", email: "a@example.com" }];
    const first = await post("/api/v1/keys/generate", body, key);
    expect((await call("POST", "/api/v1/keys/revoke", first.body.key)).status).toBe(200);
    await breakOff();
    const again = await post("/api/v1/keys/generate", body, key);
    expect([again.status, again.body.code]).toEqual([422, "idempotency_conflict"]);
    expect(JSON.stringify(again.body)).not.toContain("bridge_live_");
    expect((await call("GET", "/api/v1/keys/usage", first.body.key)).status).toBe(401);
  });

  it("does not come back by the repeat: a log-in of an account that was closed", async () => {
    const [key, own] = [randomUUID(), { ...account, email: `${randomUUID()}@example.com` }];
    await post("/api/auth/register", own, key);
    const { email, password } = own;
    const { token } = (await post("/api/auth/login", { email, password }, randomUUID())).body;
    expect((await call("POST", "/api/account/close", token, { password })).status).toBe(200);
    await breakOff();
    expect((await post("/api/auth/register", own, key)).status).toBeLessThan(300);
    expect((await call("GET", "/api/account/keys", token)).status).toBe(401);
  });

  it("is another's by the same Idempotency-Key: each account has its own", async () => {
    const other = { ...account, email: `${randomUUID()}@example.com` };
    await post("/api/auth/register", other, randomUUID());
    const { email, password } = other;
    const { token } = (await post("/api/auth/login", { email, password }, randomUUID())).body;
    const [key, body] = [randomUUID(), { kind: "project", name: "same" }];
    const mine = await post("/api/account/keys", body, key, await tokenOf());
    const theirs = await post("/api/account/keys", body, key, token);
    expect(theirs.body.key).toMatch(/^bridge_prj_/);
    expect(theirs.body.key).not.toBe(mine.body.key);
  });
});
