/** Both sides of a request by the command line alone. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createOwner } from "../../support/owner.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { givenKey, givenOpenedSite } from "../../support/visitor.ts";
import { bridge } from "./run.ts";

const MAIN = fileURLToPath(new URL("../../../app/main.ts", import.meta.url));

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1, seed: 71 }, roles: ["accounts"] });
});
afterAll(() => registry?.stop());

const as =
  (token: string) =>
  async (...args: string[]) => {
    const ran = await bridge([...args, "--registry", registry.url], { BRIDGE_TOKEN: token });
    return { ...ran, out: ran.out.trim() };
  };

it("goes from a token by a request, an answer and the wallet to a block", async () => {
  const [owner, user] = [createOwner(registry), createOwner(registry)];
  const [asOwner, asUser] = [as(await owner.token()), as(await user.token())];
  const siteId = await givenOpenedSite(registry, await owner.accountId());
  const created = await asUser("agents", "create", "tea buyer");
  expect(created.out).toMatch(/^bridge_agent_\w+$/);
  const asAgent = as(created.out);
  const asked = await asAgent(
    ...["access", "request", siteId, "--purpose", "buy tea", "--permissions", "readContent,click", "--json"],
  );
  const { request_id, agent_id } = JSON.parse(asked.out);
  expect((await asOwner("access", "list")).out).toContain(
    `${request_id}  pending  ${siteId}\n  tea buyer (${agent_id}): buy tea`,
  );
  const approved = await asOwner(
    "access",
    "approve",
    request_id,
    "--permissions",
    "readContent",
    "--days",
    "3",
  );
  expect(approved.out).toContain("granted readContent");
  expect((await asAgent("access", "collect", request_id)).out).toContain(`license for ${siteId}`);
  expect((await asAgent("wallet", "list")).out).toContain(siteId);
  const again = await asAgent("access", "collect", request_id);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("was collected")]);
  const above = await asOwner("access", "confirm-above", siteId, "50.00 EUR");
  expect(above.out).toBe(`A person has to complete purchases above 50.00 EUR at ${siteId}.`);
  const { body: kept } = await owner.send("GET", "/api/account/sites");
  expect(JSON.stringify(kept)).toContain('"confirm_above":"50.00 EUR"');
  expect((await asOwner("access", "confirm-above", siteId, "50")).err).toContain("such as 14.90 EUR");
  const apiKey = await givenKey(registry, "FREE", await user.accountId());
  expect((await asUser("wallet", "gateway-key", "--key", apiKey)).out).toContain("count against this key");
  expect((await asUser("wallet", "gateway-key", "--remove")).code).toBe(0);
  expect((await asOwner("access", "block", agent_id)).code).toBe(0);
  expect((await asOwner("access", "blocks")).out).toContain(`${agent_id}  block`);
  expect((await asAgent("access", "request", siteId, "--purpose", "again")).err).toContain(
    "blocks this agent",
  );
  expect((await asOwner("access", "unblock", agent_id)).code).toBe(0);
  expect((await asUser("agents", "revoke", agent_id)).code).toBe(0);
  expect((await asAgent("wallet", "list")).code).toBe(1);
});

it("reads a license key from standard input, and says what is missing", async () => {
  const [owner, user] = [createOwner(registry), createOwner(registry)];
  const { key, siteId } = await owner.license();
  const child = spawn(process.execPath, [MAIN, "wallet", "add", siteId, "--registry", registry.url], {
    env: { PATH: process.env.PATH, BRIDGE_TOKEN: await user.token() },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(`${key}\n`);
  expect(await text(child.stdout)).toContain(`a license for ${siteId}`);
  const none = await bridge(["wallet", "list", "--registry", registry.url]);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining("--token or BRIDGE_TOKEN")]);
});
