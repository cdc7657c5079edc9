/** Creations whose outcome their front never heard: a leader changed, a deadline passed, the front died. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IdempotencyRecord } from "../../schemas/idempotency.ts";
import { openRecords } from "../../src/stores/records.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["keys", "accounts"] });
});
afterAll(() => registry?.stop());

const post = async (path: string, body: unknown, key: string, token?: string) => {
  const reply = await fetch(registry.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "idempotency-key": key,
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as any };
};

/** As if no front had heard what became of any request so far. */
const breakOff = async (): Promise<void> => {
  const { idempotency } = registry.runtime.broker.buckets;
  const records = openRecords(idempotency, IdempotencyRecord);
  for await (const name of idempotency.keys()) {
    const { value } = (await records.get(name))!;
    await records.put(name, { ...value, state: "claimed", until: 0, reply: null });
  }
};

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
    ["a project", "/api/account/projects", { name: "shop" }, true, ({ project_key }) => project_key],
    ["an agent", "/api/account/agents", { name: "helper" }, true, ({ agent_token }) => agent_token],
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
    const ask = async (path: string): Promise<any> =>
      (await fetch(registry.url + path, { headers: { authorization: `Bearer ${token}` } })).json();
    expect((await ask("/api/account/projects")).projects).toHaveLength(1);
    expect((await ask("/api/account/agents")).agents).toHaveLength(1);
  });
});
