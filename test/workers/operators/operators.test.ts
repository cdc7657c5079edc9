import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantRole } from "../../../app/cli/operators.ts";
import type { OperatorRole } from "../../../schemas/operator.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { DeadLetter } from "../../../workers/crawler/contract.ts";
import { altered } from "../../support/altered.ts";
import { askModule } from "../../support/gateway.ts";
import { askJson } from "../../support/json.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { givenKey } from "../../support/visitor.ts";

describe("the operators' API", () => {
  let registry: TestRegistry;
  const tokens = {} as Record<OperatorRole, string>;
  beforeAll(async () => {
    registry = await startRegistry({
      world: { sites: 3, soundShare: 1, seed: 5 },
      roles: ["gateway", "provider", "crawler", "operators"],
    });
    for (const role of ["viewer", "moderator", "admin"] as const)
      tokens[role] = await grantRole(registry.runtime.broker, `${role}@registry.example`, role);
    await registry.crawl();
  });
  afterAll(() => registry?.stop());

  const ask = (
    role: OperatorRole | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    askJson(`${registry.operatorsUrl}/api/operators/${path}`, {
      method,
      body,
      headers,
      token: role && tokens[role],
    });
  const givenReport = async (kind: string, host: string): Promise<string> => {
    const key = await givenKey(registry, "FREE");
    const url = `https://${host}:${registry.world.port}/`;
    const made = await askModule(registry, "bounty", key, "report", {
      url,
      kind,
      description: "It sells what it has not",
    });
    return made.body.report.id;
  };

  it("is on a listener of its own, and takes operators' keys alone", async () => {
    expect((await fetch(`${registry.url}/api/operators/reports`)).status).toBe(404);
    expect((await fetch(`${registry.operatorsUrl}/api/bridge/search?q=tea`)).status).toBe(404);
    expect((await fetch(`${registry.operatorsUrl}/mcp`, { method: "POST" })).status).toBe(404);
    expect(await ask(undefined, "GET", "reports")).toMatchObject({
      status: 401,
      body: { code: "authentication_required", detail: expect.stringContaining("bridge operators add") },
    });
    const wrong = { authorization: `Bearer ${altered(tokens.admin)}` };
    expect((await ask(undefined, "GET", "reports", undefined, wrong)).status).toBe(401);
    const [, address] = /href="(\/docs\/reference\/decideReport)"/.exec(
      await (await fetch(`${registry.operatorsUrl}/docs`)).text(),
    )!;
    const page = await (await fetch(registry.operatorsUrl + address)).text();
    expect(page).toContain("/api/operators/reports/{id}/decisions");
    expect(await (await fetch(`${registry.url}/docs`)).text()).not.toContain(address);
    expect((await fetch(registry.url + address)).status).toBe(404);
  });

  it("shows what waits for a person, and takes a moderator's decision once", async () => {
    const host = registry.world.hosts[0]!.host;
    const id = await givenReport("other", host);
    const waiting = await ask("viewer", "GET", `reports?domain=${host}`);
    expect(waiting).toMatchObject({
      status: 200,
      body: { total: 1, reports: [{ reportId: id, state: "new" }] },
    });
    const decision = { state: "triaged", why: "Seen by hand" };
    expect(await ask("viewer", "POST", `reports/${id}/decisions`, decision)).toMatchObject({
      status: 403,
      body: { code: "permission_denied", detail: "This needs the role moderator; yours is viewer." },
    });
    const made = await ask("moderator", "POST", `reports/${id}/decisions`, decision);
    expect(made).toMatchObject({
      status: 200,
      body: { report: { state: "triaged", reason: "Seen by hand" } },
    });
    expect(made.body.report.changes.at(-1)).toMatchObject({
      by: "operator",
      who: "moderator@registry.example",
    });
    expect(await ask("moderator", "POST", `reports/${id}/decisions`, decision)).toMatchObject({
      status: 409,
      body: { code: "decision_refused", detail: "It is triaged already." },
    });
    const { body } = await registry.getJson(`/api/registry/sites/${host}`);
    expect(body.findings).toMatchObject([{ by: "report", report: id, confirmed_by: "operator" }]);
  });

  it("blocks a host and lifts the block, shows a site whole, and visits dead letters' hosts again", async () => {
    const host = registry.world.hosts[1]!.host;
    expect((await ask("viewer", "GET", `sites/${host}`)).body).toMatchObject({
      verdict: { state: "enabled" },
      record: { siteId: host, visits: 1 },
    });
    const blocked = await ask("moderator", "PUT", `blocks/${host}`, { why: "Malware" });
    expect(blocked).toMatchObject({ status: 200, body: { domain: host, why: "Malware", by: "operator" } });
    expect((await ask("viewer", "GET", "blocks")).body).toMatchObject({
      total: 1,
      blocks: [{ domain: host }],
    });
    expect((await ask("viewer", "GET", `sites/${host}`)).body.verdict.state).toBe("blocked");
    expect((await ask("moderator", "DELETE", `blocks/${host}`)).status).toBe(200);
    expect((await ask("moderator", "DELETE", `blocks/${host}`)).status).toBe(404);
    const lost = registry.world.hosts[2]!.host;
    const letters = openRecords(registry.runtime.broker.buckets.dead_letters, DeadLetter);
    const at = new Date().toISOString();
    await letters.put(hostKey(lost), { v: 1, host: lost, deliveries: 5, error: "It threw.", at });
    expect((await ask("viewer", "GET", "dead-letters")).body).toMatchObject({
      total: 1,
      letters: [{ domain: lost, error: "It threw." }],
    });
    expect((await ask("moderator", "POST", `dead-letters/${lost}/retry`)).body).toEqual({
      domain: lost,
      queued: true,
    });
    expect((await ask("moderator", "POST", `dead-letters/${lost}/retry`)).status).toBe(404);
  });

  it("blocks many at once, and tells what it cannot block", async () => {
    const domains = [
      "one.spam.example",
      "https://ONE.spam.example/",
      "*.phish.example",
      "203.0.113.9/24",
      "*.co.uk",
      "0.0.0.0/0",
    ];
    const { status, body } = await ask("moderator", "POST", "blocks", { domains, why: "A list of ours" });
    expect([status, body.blocked]).toEqual([200, ["one.spam.example", "*.phish.example", "203.0.113.0/24"]]);
    expect(body.refused).toMatchObject([
      { domain: "*.co.uk", detail: expect.stringContaining("public suffix") },
      { domain: "0.0.0.0/0", detail: expect.stringContaining("at least 8 bits") },
    ]);
    const { blocks } = (await ask("viewer", "GET", "blocks")).body;
    expect(blocks).toMatchObject([
      { domain: "*.phish.example", why: "A list of ours", by: "operator" },
      { domain: "203.0.113.0/24" },
      { domain: "one.spam.example" },
    ]);
    expect((await ask("viewer", "GET", "sites/deep.phish.example")).body.verdict.reason).toBe("blocked");
    for (const domain of ["*.phish.example", "one.spam.example", "203.0.113.0/24"])
      expect((await ask("moderator", "DELETE", `blocks/${encodeURIComponent(domain)}`)).body).toEqual({
        domain,
        lifted: true,
      });
    expect((await ask("moderator", "POST", "blocks", { domains: [], why: "x" })).status).toBe(400);
  });

  it("notes every act with who, what and how it ended, for admins to read", async () => {
    await ask("moderator", "DELETE", "blocks/nobody.example");
    expect((await ask("moderator", "GET", "audit")).status).toBe(403);
    const { entries } = (await ask("admin", "GET", "audit?limit=1")).body;
    expect(entries).toMatchObject([
      {
        operator: "moderator@registry.example",
        account_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        action: "operators.unblockSite",
        outcome: "not_found",
        input: expect.stringContaining("nobody.example"),
      },
    ]);
    const all = (await ask("admin", "GET", "audit?limit=1000")).body.entries;
    expect(all.every(({ action }: { action: string }) => !/\.(list|read)/.test(action))).toBe(true);
    const older = (await ask("admin", "GET", `audit?before=${entries[0].entryId}`)).body.entries;
    expect(older).toEqual(all.slice(1));
  });
});
