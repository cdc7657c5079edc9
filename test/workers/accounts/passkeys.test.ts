/** Passkeys by the operations: added with a proof of who asks, used once a challenge, for this registry alone. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuthenticator } from "../../support/authenticator.ts";
import { createOwner, type Owner, PASSWORD } from "../../support/owner.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

let registry: TestRegistry;
let origin: string;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["accounts", "protocol"] });
  origin = new URL(registry.runtime.publicUrl).origin;
});
afterAll(() => registry?.stop());

async function add(owner: Owner, device = createAuthenticator(origin), name = "my phone") {
  const { body: options } = await owner.send("GET", "/api/account/passkeys/options");
  const credential = device.create(options);
  const reply = await owner.send("POST", "/api/account/passkeys", { name, password: PASSWORD, credential });
  return { device, credential, ...reply };
}
const options = async () => (await registry.getJson("/api/auth/passkeys/options")).body;
const logIn = (credential: object) => registry.postJson("/api/auth/passkeys/log-in", { credential });

describe("a passkey", () => {
  it.concurrent("logs in, is named, and is removed", async () => {
    const owner = createOwner(registry);
    const { device, status, body } = await add(owner);
    expect([status, body.name, body.last_used_at]).toEqual([200, "my phone", null]);
    const loggedIn = await logIn(device.get(await options()));
    expect([loggedIn.status, loggedIn.body.user.email]).toEqual([200, await owner.email()]);
    const headers = { authorization: `Bearer ${loggedIn.body.token}` };
    expect((await fetch(`${registry.url}/api/auth/me`, { headers })).status).toBe(200);
    const path = `/api/account/passkeys/${body.passkey_id}`;
    await owner.send("PATCH", path, { name: "old phone" });
    const { passkeys } = (await owner.send("GET", "/api/account/passkeys")).body;
    expect([passkeys[0].name, passkeys[0].last_used_at === null]).toEqual(["old phone", false]);
    expect((await owner.send("DELETE", path)).status).toBe(200);
    expect((await logIn(device.get(await options()))).status).toBe(401);
    expect((await owner.send("DELETE", path)).status).toBe(404);
  });

  it.concurrent("logs in once a challenge, and never by one of another use, another registry or nobody", async () => {
    const owner = createOwner(registry);
    const { device } = await add(owner);
    const used = device.get(await options());
    expect((await logIn(used)).status).toBe(200);
    const { body: adding } = await owner.send("GET", "/api/account/passkeys/options");
    const fresh = await options();
    const signed = device.get(fresh);
    const other = createAuthenticator(origin);
    other.create({ ...adding });
    for (const [why, credential] of [
      ["used", used],
      ["of another use", device.get(adding)],
      ["made up", device.get({ ...fresh, challenge: Buffer.from("9999999999.x.y").toString("base64url") })],
      ["of another host", device.get({ ...fresh, rp_id: "evil.example" })],
      ["not signed", { ...signed, signature: `${signed.signature.slice(0, -4)}AAAA` }],
      ["of another key", { ...other.get(await options()), id: signed.id }],
      ["of another account", { ...signed, user_handle: Buffer.from("nobody").toString("base64url") }],
    ] as const) {
      const refused = await logIn(credential);
      expect([refused.status, refused.body.detail], why).toEqual([401, "This passkey does not log in here."]);
    }
  });

  it.concurrent("is added only with the password or a new log-in, once, for its account, and without a maker's statement", async () => {
    const owner = createOwner(registry);
    const { credential } = await add(owner);
    const post = (body: object) => owner.send("POST", "/api/account/passkeys", { name: "x", ...body });
    const fresh = async (account = owner) =>
      createAuthenticator(origin).create((await account.send("GET", "/api/account/passkeys/options")).body);
    expect((await post({ credential: await fresh() })).status).toBe(401);
    expect((await post({ credential: await fresh(), password: "guess" })).status).toBe(401);
    expect((await post({ credential, password: PASSWORD })).body.detail).toContain("has it already");
    expect((await post({ credential: await fresh(createOwner(registry)), password: PASSWORD })).status).toBe(
      401,
    );
    const packed = await fresh();
    const object = Buffer.from(packed.attestation_object, "base64url")
      .toString("latin1")
      .replace("dnone", "dfido");
    packed.attestation_object = Buffer.from(object, "latin1").toString("base64url");
    expect((await post({ credential: packed, password: PASSWORD })).status).toBe(401);
    expect((await owner.send("GET", "/api/account/passkeys")).body.passkeys).toHaveLength(1);
  });
});
