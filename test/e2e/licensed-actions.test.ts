import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeAccount, openAccountStore } from "../../src/stores/accounts.ts";
import { askJson, type JsonReply } from "../support/json.ts";
import { createOwner, type Owner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let second: TestRegistry;
let owner: Owner;
beforeAll(async () => {
  const world = { sites: 4, soundShare: 1, seed: 47 };
  registry = await startRegistry({ world, roles: ["accounts", "session", "crawler", "indexer"] });
  second = await startRegistry({ join: registry, roles: [] });
  await registry.crawl();
  owner = createOwner(registry);
});
afterAll(async () => {
  await second?.stop();
  await registry?.stop();
});

const post = (front: TestRegistry, path: string, body: unknown, token?: string) =>
  askJson(front.url + path, { body, token });
const authenticate = (licenseKey: string, front = registry) =>
  post(front, "/api/bridge/authenticate", { licenseKey, agentId: "a", agentName: "Test" });
const read = (token: string, front = registry) =>
  post(front, "/api/bridge/execute", { action: "read" }, token);
/** A license of a site that is there, with an agent's session. */
async function licensed(host: string) {
  const license = await owner.license(host);
  return { ...license, token: (await authenticate(license.key)).body.session.token as string };
}
const hosts = () => registry.world.hosts.map(({ host }) => host);

describe("an agent with a license", () => {
  it("acts until the license is revoked: its session ends with it, through every front", async () => {
    const { id, key, token } = await licensed(hosts()[0]!);
    for (const front of [registry, second]) expect((await read(token, front)).status).toBe(200);
    expect((await owner.send("POST", `/api/account/keys/${id}/revoke`)).status).toBe(200);
    for (const front of [registry, second]) expect((await read(token, front)).status).toBe(401);
    expect((await authenticate(key, second)).status).toBe(401);
  });

  it("may do what the owner says now, not what was so when the session began", async () => {
    const { siteId, token } = await licensed(hosts()[1]!);
    expect((await read(token)).status).toBe(200);
    const configure = (change: object) => owner.send("PATCH", `/api/account/sites/${siteId}`, change);
    await configure({ permissions: { readContent: false } });
    expect((await read(token, second)).body.code).toBe("permission_denied");
    await configure({ permissions: { readContent: true }, restrictions: { denied_commands: ["read"] } });
    expect((await read(token)).body.code).toBe("permission_denied");
    await configure({ restrictions: { denied_commands: [] } });
    expect((await read(token)).status).toBe(200);
  });

  it("is told of the plan's limits, and stopped at the month's with the time when it goes on", async () => {
    const { token } = await licensed(hosts()[2]!);
    const accountId = await owner.accountId();
    const store = openAccountStore(registry.runtime.broker);
    await changeAccount(store, accountId, (account) => ({ ...account, tier: "free" }));
    const allowed = await read(token);
    expect(allowed.headers.get("ratelimit-policy")).toBe('"minute";q=60;w=60, "month";q=1000;w=2592000');
    const { counters } = registry.runtime.broker;
    const used = await counters.read("month", `actions.${accountId}`);
    await counters.add("month", `actions.${accountId}`, 1_000 - used - 1);
    expect((await read(token, second)).status).toBe(200);
    for (const front of [registry, second]) {
      const refused = await read(token, front);
      expect([refused.status, refused.body.code]).toEqual([429, "quota_exceeded"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(refused.headers.get("ratelimit")).toMatch(/"month";r=0;t=\d+/);
    }
    const { body } = await owner.send("GET", "/api/auth/me");
    expect(body.usage.actions_this_month).toBe(1_000);
    await changeAccount(store, accountId, (account) => ({ ...account, tier: "enterprise" }));
    const free = await read(token);
    expect([free.status, free.headers.get("ratelimit-policy")]).toEqual([200, null]);
  });

  it("shares its minute with every session of the license, over all fronts", async () => {
    const { key, token } = await licensed(hosts()[3]!);
    const store = openAccountStore(registry.runtime.broker);
    const other = (await authenticate(key, second)).body.session.token;
    const accountId = await owner.accountId();
    await changeAccount(store, accountId, (account) => ({ ...account, tier: "starter" }));
    const left = ({ headers }: JsonReply) => /"minute";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
    const [first, next] = [await read(token), await read(other, second)];
    // The minute may turn between the two.
    expect([Number(left(first)) - 1, 119]).toContain(Number(left(next)));
    await changeAccount(store, accountId, (account) => ({ ...account, tier: "enterprise" }));
  });
});
