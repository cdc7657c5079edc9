/** Roles: an account has one by the key alone that was granted on the registry's machine, and no way of a stranger leads to it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantRole } from "../../../app/cli/operators.ts";
import { operatorServices } from "../../../app/services.ts";
import { foreignBuckets, RIGHTS } from "../../../src/adapters/nats/rights.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { changeAccount, openAccountStore } from "../../../src/stores/accounts.ts";
import { hashOfKey, makeKey } from "../../../src/stores/api-keys.ts";
import { openMailTokens } from "../../../src/stores/mail-tokens.ts";
import { openOperators } from "../../../src/stores/operators.ts";
import { bindingOf } from "../../../workers/accounts/links.ts";
import { enter } from "../../support/agent.ts";
import { altered } from "../../support/altered.ts";
import { askJson } from "../../support/json.ts";
import { createOwner, PASSWORD } from "../../support/owner.ts";
import { createPerson } from "../../support/person.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { givenKey } from "../../support/visitor.ts";

let registry: TestRegistry;
let broker: TestRegistry["runtime"]["broker"];
/** An admin's account and key. */
let admin: { email: string; accountId: string; key: string };
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1, soundShare: 1 },
    roles: ["accounts", "operators", "session"],
  });
  ({ broker } = registry.runtime);
  admin = await operator("admin@registry.example");
});
afterAll(() => registry?.stop());

async function operator(email: string) {
  const key = await grantRole(broker, email, "admin");
  const { accountId } = (await openAccountStore(broker).byEmail(email))!.value;
  return { email, accountId, key };
}
/** The status of the audit log, which admins alone read. */
const opens = async (token: string): Promise<number> =>
  (await askJson(`${registry.operatorsUrl}/api/operators/audit`, { token })).status;
const register = (email: string, more: object = {}) =>
  registry.postJson("/api/auth/register", { email, password: PASSWORD, name: "Eve", ...more });
const logIn = async (email: string, password = PASSWORD): Promise<string> =>
  (await registry.postJson("/api/auth/login", { email, password })).body.token;
const as = (token: string, method: string, path: string, body?: object) =>
  askJson(registry.url + path, { method, body, token });
/** A new password by the link that was mailed to an account's address. */
async function resetPassword(email: string, password: string): Promise<void> {
  const { value } = (await openAccountStore(broker).byEmail(email))!;
  const links = openMailTokens(registry.runtime.identity.secret, broker.now);
  const token = links.issue("password", value.accountId, bindingOf.password(value));
  const { status } = await registry.postJson("/api/auth/password/reset", { token, new_password: password });
  expect(status).toBe(200);
}

describe("a role", () => {
  it("is granted to an account, replaced by the next one, and taken again, each at once", async () => {
    const email = "grace@registry.example";
    const first = await operator(email);
    expect(await opens(first.key)).toBe(200);
    const again = await grantRole(broker, email, "viewer");
    expect([await opens(first.key), await opens(again)]).toEqual([401, 403]);
    const me = () => askJson(`${registry.operatorsUrl}/api/operators/me`, { token: again });
    expect((await me()).body).toEqual({ name: email, role: "viewer" });
    expect(await openOperators(broker).revoke(email)).toBe(true);
    expect((await me()).status).toBe(401);
  });

  it("is shown to its account's holder, who can end its key and make no other", async () => {
    const { email, key } = await operator("ada@registry.example");
    await resetPassword(email, PASSWORD);
    const renewed = await grantRole(broker, email, "admin");
    const token = await logIn(email);
    const { operator_keys } = (await as(token, "GET", "/api/account/keys")).body;
    expect(operator_keys).toMatchObject([{ key_hint: renewed.slice(0, "bridge_operator_".length + 4) }]);
    const path = `/api/account/keys/${operator_keys[0].key_id}`;
    expect((await as(token, "POST", `${path}/rotate`)).body.code).toBe("permission_denied");
    expect([await opens(key), await opens(renewed)]).toEqual([401, 200]);
    expect((await as(token, "POST", `${path}/revoke`)).status).toBe(200);
    expect(await opens(renewed)).toBe(401);
  });

  it("ends with a suspension, for good", async () => {
    const { key, accountId } = await operator("vera@registry.example");
    const suspend = (suspended: boolean) =>
      askJson(`${registry.operatorsUrl}/api/operators/accounts/${accountId}/suspension`, {
        method: "PUT",
        token: admin.key,
        body: { suspended, why: "left" },
      });
    for (const suspended of [true, false]) {
      await suspend(suspended);
      expect(await opens(key)).toBe(401);
    }
  });
});

async function logInOfAdmin(): Promise<string> {
  await resetPassword(admin.email, PASSWORD);
  admin = await operator(admin.email);
  return logIn(admin.email);
}

describe("no stranger gets a role", () => {
  it("by any other credential of an account, at any operation of operators", async () => {
    const owner = createOwner(registry);
    const license = await owner.license(registry.world.hosts[0]!.host);
    const others = {
      none: undefined,
      account: await owner.token(),
      agent: (await owner.agent()).token,
      session: (await enter(registry.url, license.key)).token,
      license: license.key,
      project: (await owner.project()).key,
      key: await givenKey(registry, "BUSINESS", await owner.accountId()),
      // Of the operator himself: his log-in is no operator.
      "an operator's log-in": await logInOfAdmin(),
      "another's key": altered(admin.key),
    };
    const operations = operatorServices.flatMap((service) => Object.values(service.operations));
    for (const { method, paths } of operations) {
      const path = paths[0].replace(/\{\w+\}/g, "01980000-0000-7000-8000-000000000000");
      for (const [what, token] of Object.entries(others)) {
        const { status } = await askJson(registry.operatorsUrl + path, { method, token });
        expect(status, `${method} ${path} by ${what}`).toBe(401);
      }
    }
  });

  it("by registering, whatever the request says, or by issuing a key", async () => {
    for (const more of [{ role: "admin" }, { keys: [] }, { operator: true }])
      expect((await register(`${uuidv7()}@eve.example`, more)).body.code).toBe("unknown_parameter");
    const owner = createOwner(registry);
    for (const more of [{ kind: "operator" }, { kind: "agent", role: "admin" }])
      expect((await owner.send("POST", "/api/account/keys", { name: "x", ...more })).status).toBe(400);
    expect((await owner.send("GET", "/api/account/keys")).body.operator_keys).toEqual([]);
  });

  it("by having the address of an operator first", async () => {
    const email = "soon@registry.example";
    await register(email);
    const eve = await logIn(email);
    const { key } = await operator(email);
    expect([await opens(eve), await opens(key)]).toEqual([401, 200]);
    const passwords = { current_password: PASSWORD, new_password: `${PASSWORD} 2` };
    const { body } = await as(eve, "POST", "/api/auth/password", passwords);
    expect([await opens(body.token), await opens(key)]).toEqual([401, 401]);
  });

  it("by getting the mails of an operator's address, in the account or in a new one", async () => {
    const { email, key } = await operator("sold@registry.example");
    await resetPassword(email, "the buyer's password");
    const buyer = await logIn(email, "the buyer's password");
    expect([await opens(buyer), await opens(key)]).toEqual([401, 401]);
    await as(buyer, "POST", "/api/account/close", { password: "the buyer's password" });
    expect((await register(email)).status).toBe(201);
    expect([await opens(await logIn(email)), await opens(key)]).toEqual([401, 401]);
  });

  it("by the cookie of a log-in, taken to the console", async () => {
    const owner = createOwner(registry);
    const person = createPerson(registry.operatorsUrl);
    for (const name of ["bridge-login", "bridge-operator", "__Host-bridge-operator"]) {
      const seen = await person.get("/", { cookie: `${name}=${await owner.token()}` });
      expect([seen.status, seen.location]).toEqual([303, "/log-in?next=%2F"]);
    }
  });

  it("by writing what the roles of the registry write: keys, and accounts with their lists", async () => {
    const store = openAccountStore(broker);
    const forged = async (accountId: string, of: string): Promise<string> => {
      const key = makeKey("bridge_operator_");
      const [keyHash, id, createdAt] = [hashOfKey(key), uuidv7(), new Date().toISOString()];
      await store.keys.put(keyHash, { v: 1, kind: "operator", id, accountId: of, createdAt });
      await changeAccount(store, accountId, (account) => ({
        ...account,
        keys: [
          ...account.keys,
          { kind: "operator", id, keyHash, keyHint: "", name: "", createdAt, generation: account.generation },
        ],
      }));
      return key;
    };
    const eve = await createOwner(registry).accountId();
    expect(await opens(await forged(eve, eve))).toBe(401);
    expect(await opens(await forged(eve, admin.accountId))).toBe(401);
    expect(await opens(await forged(admin.accountId, admin.accountId))).toBe(401);
    expect(await opens(admin.key)).toBe(200);
    for (const user of Object.keys(RIGHTS) as (keyof typeof RIGHTS)[])
      expect(foreignBuckets(user), user).toContain("operators");
  });
});
