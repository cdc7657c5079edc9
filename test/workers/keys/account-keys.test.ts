/** Keys of an account, by id: a key whose text is lost can still be seen and revoked. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MOST_KEYS } from "../../../schemas/key.ts";
import { createOwner, type Owner } from "../../support/owner.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

let registry: TestRegistry;
let owner: Owner;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1 },
    roles: ["accounts"],
    // As many keys in a day as an account may have are more than an address may make.
    config: { BRIDGE_LIMITS_PERCENT: 1_000 },
  });
  owner = createOwner(registry);
});
afterAll(() => registry?.stop());

const create = async (name: string) =>
  (await owner.send("POST", "/api/v1/keys/generate", { owner: name, email: "ada@example.com" })).body;
const listed = async () =>
  (await owner.send("GET", "/api/account/keys")).body.gateway_keys as { key_id: string; owner: string }[];
const names = async () => (await listed()).map(({ owner: name }) => name);
const validate = async (key: string) =>
  (await fetch(`${registry.url}/api/v1/keys/validate`, { method: "POST", headers: { "x-bridge-key": key } }))
    .status;

describe("the keys of an account", () => {
  it("are listed by the names that they were created with, the newest first, without the keys themselves", async () => {
    const first = await create("watch");
    const second = await create("scan");
    expect(await names()).toEqual(["scan", "watch"]);
    const text = JSON.stringify(await listed());
    for (const { key } of [first, second]) expect(text).not.toContain(key.slice(20));
  });

  it("are revoked by their ids, at once, by their account alone", async () => {
    const lost = await create("lost");
    expect(await validate(lost.key)).toBe(200);
    const path = `/api/account/keys/${lost.key_id}/revoke`;
    const foreign = await createOwner(registry).send("POST", path);
    expect([foreign.status, foreign.body.code]).toEqual([404, "not_found"]);
    expect(await validate(lost.key)).toBe(200);
    const revoked = await owner.send("POST", path);
    expect([revoked.status, revoked.body.revoked]).toEqual([200, true]);
    expect(await validate(lost.key)).toBe(401);
    expect(await names()).not.toContain("lost");
    expect((await owner.send("POST", path)).status).toBe(404);
  });

  it("are those that a rotation leaves in force", async () => {
    const old = await create("rotated");
    const reply = await fetch(`${registry.url}/api/v1/keys/rotate`, {
      method: "POST",
      headers: { "x-bridge-key": old.key },
    });
    const next = (await reply.json()) as { key_id: string };
    const ids = (await listed()).map(({ key_id }) => key_id);
    expect([ids.includes(next.key_id), ids.includes(old.key_id)]).toEqual([true, false]);
  });

  it("are listed for as long as the grace of a rotation lets them be used", async () => {
    const old = await create("in grace");
    const rotate = (grace_seconds: number) =>
      fetch(`${registry.url}/api/v1/keys/rotate`, {
        method: "POST",
        headers: { "x-bridge-key": old.key, "content-type": "application/json" },
        body: JSON.stringify({ grace_seconds }),
      });
    await rotate(60);
    expect((await names()).filter((name) => name === "in grace")).toHaveLength(2);
    await owner.send("POST", `/api/account/keys/${old.key_id}/revoke`);
    expect(await validate(old.key)).toBe(401);
    expect((await names()).filter((name) => name === "in grace")).toHaveLength(1);
  });

  it("are no more, by their ids, once the grace of a rotation is over", async () => {
    const old = await create("past its grace");
    await fetch(`${registry.url}/api/v1/keys/rotate`, {
      method: "POST",
      headers: { "x-bridge-key": old.key, "content-type": "application/json" },
      body: JSON.stringify({ grace_seconds: 1 }),
    });
    await expect.poll(() => validate(old.key), { timeout: 10_000 }).toBe(401);
    for (const what of ["rotate", "revoke"])
      expect((await owner.send("POST", `/api/account/keys/${old.key_id}/${what}`)).status).toBe(404);
    expect((await names()).filter((name) => name === "past its grace")).toHaveLength(1);
  });

  it("are replaced by their ids: the old one ends, and the new one has its plan and usage", async () => {
    const old = await create("replaced");
    expect(await validate(old.key)).toBe(200);
    const path = `/api/account/keys/${old.key_id}/rotate`;
    expect((await createOwner(registry).send("POST", path)).status).toBe(404);
    const { status, body } = await owner.send("POST", path);
    expect([status, body.kind]).toEqual([200, "gateway"]);
    expect(await validate(old.key)).toBe(401);
    expect(await validate(body.key)).toBe(200);
    const ids = (await listed()).map(({ key_id }) => key_id);
    expect([ids.includes(body.key_id), ids.includes(old.key_id)]).toEqual([true, false]);
  });

  it("are so many, and one more when one of them was revoked", async () => {
    const other = createOwner(registry);
    const make = () =>
      other.send("POST", "/api/v1/keys/generate", { owner: "one", email: "ada@example.com" });
    const ids: string[] = [];
    for (let i = 0; i < MOST_KEYS.gateway - 1; i++) ids.push((await make()).body.key_id);
    const [last, over] = [await make(), await make()];
    expect([last.status, over.status, over.body.code]).toEqual([200, 403, "plan_limit"]);
    await other.send("POST", `/api/account/keys/${ids[0]}/revoke`);
    expect((await make()).status).toBe(200);
  });
});
