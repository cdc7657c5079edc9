import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { changePlan, closeAccount, resetPassword, rotateTokens } from "../../app/cli/accounts.ts";
import type { Config } from "../../src/runtime/config.ts";
import { askJson } from "../support/json.ts";
import { createOperator, type TestOperator } from "../support/operator.ts";
import { createOwner, type Owner, PASSWORD } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let config: Config;
let operator: TestOperator;
let owner: Owner;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1, soundShare: 1, seed: 43 },
    roles: ["accounts"],
  });
  config = { ...registry.config, BRIDGE_NATS_URL: inject("natsUrl") };
  operator = createOperator(config);
  owner = createOwner(registry);
});
afterAll(() => registry?.stop());

/** What a command prints. */
async function printed(command: () => Promise<void>): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await command();
    return write.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    write.mockRestore();
  }
}
const tier = async () => (await owner.send("GET", "/api/auth/me")).body.user.tier;

describe("an operator", () => {
  it("gives an account a plan, with what it is worth at the gateway", async () => {
    const key = (wanted: string) =>
      owner.send("POST", "/api/v1/keys/generate", { plan: wanted, owner: "Ada", email: "ada@shop.example" });
    const email = (await owner.email()).toUpperCase();
    expect(await operator.grant(email, "free")).toMatchObject({ user: { tier: "free" } });
    expect(await tier()).toBe("free");
    expect((await key("PRO")).body.code).toBe("insufficient_plan");
    await operator.grant(email, "pro");
    expect(await tier()).toBe("pro");
    const pro: string = (await key("PRO")).body.key;
    expect(pro).toMatch(/^bridge_live_pro_/);
    expect((await key("BUSINESS")).body.code).toBe("insufficient_plan");
    const worth = async () => {
      const { status, body } = await askJson(`${registry.url}/api/v1/keys/validate`, {
        method: "POST",
        headers: { "x-bridge-key": pro },
      });
      return [status, body.plan, body.quota?.per_day];
    };
    expect(await worth()).toEqual([200, "PRO", 10_000]);
    await operator.grant(email, "free");
    expect(await worth()).toEqual([200, "FREE", 100]);
    await operator.suspend(email);
    expect(await worth()).toEqual([401, undefined, undefined]);
    await operator.suspend(email, false);
  });

  it("is told what is no plan and who has no account", async () => {
    await expect(operator.grant(await owner.email(), "gold")).rejects.toMatchObject({
      code: "invalid_request",
    });
    await expect(operator.grant("nobody@shop.example", "pro")).rejects.toMatchObject({ code: "not_found" });
    await expect(operator.suspend("no address")).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("gives a lost account a new password, which ends what the old one opened", async () => {
    const before = await owner.token();
    const email = await owner.email();
    const password = (await printed(() => resetPassword(config, email))).trim();
    const login = (body: object) => registry.postJson("/api/auth/login", body);
    expect((await login({ email, password: PASSWORD })).status).toBe(401);
    expect((await login({ email, password })).status).toBe(200);
    expect((await askJson(`${registry.url}/api/auth/me`, { token: before })).status).toBe(401);
  });

  it("changes what a plan offers, and withdraws it", async () => {
    const text = await printed(() =>
      changePlan(config, "starter", { price: 12, maxSites: -1, active: false }),
    );
    expect(JSON.parse(text)).toMatchObject({ active: false, price: 12, max_sites: -1, rate_limit: 120 });
    await expect
      .poll(async () => (await registry.getJson("/api/plans")).body.plans.map((each: any) => each.tier), {
        timeout: 8_000,
      })
      .toEqual(["free", "pro", "enterprise"]);
  });

  it("removes an account with all it opened, and frees its address", async () => {
    const leaving = createOwner(registry);
    const { key: licenseKey, siteId: domain } = await leaving.license();
    const email = await leaving.email();
    const token = await leaving.token();
    expect(await printed(() => closeAccount(config, email))).toContain("1 sites, 1 licenses");
    expect((await registry.postJson("/api/license/verify", { licenseKey, domain })).status).toBe(403);
    expect((await askJson(`${registry.url}/api/auth/me`, { token })).status).toBe(401);
    await expect(closeAccount(config, email)).rejects.toMatchObject({ exitCode: 4 });
    const again = await registry.postJson("/api/auth/register", { email, password: PASSWORD, name: "Ada" });
    expect(again.status).toBe(201);
  });

  it("turns the key of log-ins without ending them", async () => {
    const token = await owner.token();
    await printed(() => rotateTokens(config, { atOnce: false }));
    expect((await askJson(`${registry.url}/api/auth/me`, { token })).status).toBe(200);
  });
});
