/** Appeals: from a decision against a site, over its owner's word, to what an operator answers and everybody sees. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { grantRole } from "../../../app/cli/operators.ts";
import type { Appeal } from "../../../schemas/appeal.ts";
import type { OperatorRole } from "../../../schemas/operator.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { openAccountStore } from "../../../src/stores/accounts.ts";
import { summaryOfAppeals, withAppeal } from "../../../src/stores/appeals.ts";
import { decisionsTold } from "../../../workers/accounts/notices/rules.ts";
import { askModule } from "../../support/gateway.ts";
import { askJson } from "../../support/json.ts";
import { createOwner, type Owner } from "../../support/owner.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { startUsersBroker, type UsersBroker } from "../../support/users-broker.ts";
import { givenKey, givenSite } from "../../support/visitor.ts";

let registry: TestRegistry;
let users: UsersBroker;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  const prefix = `t${randomBytes(6).toString("hex")}`;
  users = await startUsersBroker(prefix);
  registry = await startRegistry({
    users,
    config: { BRIDGE_NATS_PREFIX: prefix },
    world: { sites: 3, soundShare: 1, seed: 11 },
    roles: ["gateway", "provider", "crawler", "operators", "accounts"],
  });
  const people: [string, OperatorRole][] = [
    ["grace", "moderator"],
    ["ada", "moderator"],
    ["vera", "viewer"],
  ];
  for (const [name, role] of people)
    tokens[name] = await grantRole(registry.runtime.broker, `${name}@registry.example`, role);
  await registry.crawl();
});
afterAll(async () => {
  const violations = users?.violations();
  await registry?.stop();
  await users?.stop();
  expect(violations).toEqual([]);
});

const as = (name: string, method: string, path: string, body?: unknown) =>
  askJson(`${registry.operatorsUrl}/api/operators/${path}`, { method, body, token: tokens[name] });
const verdictOf = async (host: string) => (await registry.getJson(`/api/registry/sites/${host}`)).body;
/** A site of the synthetic web that an account has proved. */
async function owned(): Promise<{ owner: Owner; host: string; path: string }> {
  const owner = createOwner(registry);
  const { host } = await registry.world.add("sound");
  await givenSite(registry, await owner.accountId(), host);
  return { owner, host, path: `/api/account/sites/${host}/appeals` };
}
async function takenDown() {
  const site = await owned();
  await as("grace", "PUT", `blocks/${site.host}`, { why: "Malware on its home page" });
  const { body } = await site.owner.send("GET", site.path);
  const [{ kind, decision }] = body.decisions;
  return { ...site, listed: body, appeal: { kind, decision, reason: "It is clean since yesterday" } };
}

describe.concurrent("an owner whose site was taken down", () => {
  it("reads why, appeals once, and is heard by another operator than who did it", async () => {
    const { owner, host, path, listed, appeal } = await takenDown();
    expect(listed.decisions).toEqual([
      {
        kind: "block",
        decision: appeal.decision,
        about: host,
        since: appeal.decision,
        why: "Malware on its home page",
        appeal: null,
      },
    ]);
    const made = await owner.send("POST", path, appeal);
    expect(made).toMatchObject({ status: 200, body: { state: "open", domain: host, answer: null } });
    const again = await owner.send("POST", path, appeal);
    expect(again.body).toMatchObject({ status: 409, code: "already_appealed" });
    expect((await verdictOf(host)).appeal).toMatchObject({ kind: "block", state: "open", why: null });

    const queue = await as("vera", "GET", "appeals");
    const waiting: Appeal[] = queue.body.appeals;
    expect(waiting.find(({ domain }) => domain === host)?.reason).toBe(appeal.reason);
    const decide = (name: string, state: string) =>
      as(name, "POST", `appeals/${host}/${made.body.appeal_id}/decisions`, { state, why: "Seen by hand" });
    expect((await decide("vera", "lifted")).body).toMatchObject({ status: 403 });
    expect((await decide("grace", "lifted")).body).toMatchObject({ status: 409, code: "decision_refused" });
    expect(await decide("ada", "lifted")).toMatchObject({ status: 200, body: { state: "lifted" } });
    expect((await decide("ada", "upheld")).body).toMatchObject({ status: 409, code: "already_decided" });
    const { appeal: shown, state } = await verdictOf(host);
    expect(shown).toMatchObject({ state: "lifted", why: "Seen by hand" });
    expect(JSON.stringify(shown)).not.toMatch(/ada|clean since/);
    expect(state).not.toBe("blocked");
    await vi.waitFor(async () => expect((await verdictOf(host)).listed).toBe(true), 20_000);
    const { body } = await owner.send("GET", path);
    expect(body).toMatchObject({
      decisions: [],
      appeals: [{ state: "lifted", answer: { why: "Seen by hand" } }],
    });
  });

  it("has it said that the decision stands, once; a new one can be appealed against again", async () => {
    const { owner, host, path, appeal } = await takenDown();
    const { body } = await owner.send("POST", path, appeal);
    const decision = { state: "upheld", why: "The page is still there" };
    expect((await as("ada", "POST", `appeals/${host}/${body.appeal_id}/decisions`, decision)).status).toBe(
      200,
    );
    expect((await verdictOf(host)).state).toBe("blocked");
    expect((await owner.send("POST", path, appeal)).body.code).toBe("already_appealed");
    expect((await owner.send("GET", path)).body.decisions).toMatchObject([{ appeal: "upheld" }]);
    await as("grace", "DELETE", `blocks/${host}`);
    await as("grace", "PUT", `blocks/${host}`, { why: "And again" });
    const { body: anew } = await owner.send("GET", path);
    expect(anew.decisions).toMatchObject([{ why: "And again", appeal: null }]);
  });

  it("cannot have a whole domain's block lifted by an appeal about one host", async () => {
    const { owner, host, path } = await owned();
    await as("grace", "PUT", `blocks/${encodeURIComponent(`*.${host}`)}`, { why: "All of it" });
    const { body } = await owner.send("GET", path);
    const [{ kind, decision, about }] = body.decisions;
    expect(about).toBe(`*.${host}`);
    const made = await owner.send("POST", path, { kind, decision, reason: "Not mine" });
    const decide = { state: "lifted", why: "Right" };
    const refused = await as("ada", "POST", `appeals/${host}/${made.body.appeal_id}/decisions`, decide);
    expect(refused.body).toMatchObject({
      code: "decision_refused",
      detail: expect.stringContaining(`*.${host}`),
    });
  });

  it("is the only one who can: not another account, nor he himself against what is not decided", async () => {
    const { path, appeal } = await takenDown();
    const stranger = createOwner(registry);
    expect((await stranger.send("GET", path)).status).toBe(404);
    expect((await stranger.send("POST", path, appeal)).status).toBe(404);
    const mine = await owned();
    expect((await mine.owner.send("POST", mine.path, appeal)).body).toMatchObject({ status: 404 });
    const long = { ...appeal, reason: "a".repeat(1_001) };
    expect((await mine.owner.send("POST", mine.path, long)).body).toMatchObject({ status: 400 });
  });
});

it("a report that is lifted counts no more in the verdict", async () => {
  const { owner, host, path } = await owned();
  await registry.crawl([host]);
  const url = `https://${host}:${registry.world.port}/`;
  const key = await givenKey(registry, "FREE");
  const told = { url, kind: "other", description: "It sells what it has not" };
  const { id } = (await askModule(registry, "bounty", key, "report", told)).body.report;
  await as("grace", "POST", `reports/${id}/decisions`, { state: "triaged", why: "Seen by hand" });
  const { body } = await owner.send("GET", path);
  expect(body.decisions).toMatchObject([{ kind: "report", decision: id, about: url, why: "Seen by hand" }]);
  const made = await owner.send("POST", path, { kind: "report", decision: id, reason: "It is in stock" });
  const at = `appeals/${host}/${made.body.appeal_id}/decisions`;
  expect((await as("grace", "POST", at, { state: "lifted", why: "So it is" })).status).toBe(409);
  expect((await as("ada", "POST", at, { state: "lifted", why: "So it is" })).status).toBe(200);
  expect((await verdictOf(host)).findings).toEqual([]);
});

describe("an owner is told", () => {
  const told = { state: "enabled", kid: null, expires: null };
  const block = { at: "2026-01-31T12:00:00.000Z", why: "Malware", by: "operator" as const };
  const answered = {
    appealId: "a",
    accountId: "b",
    kind: "block" as const,
    decision: block.at,
    about: "shop.example",
    since: block.at,
    why: "",
    reason: "no",
    at: block.at,
    state: "upheld" as const,
    answer: { why: "It stands", at: "2026-02-01T12:00:00.000Z", who: "ada" },
  };
  it("that his site was taken down, once, and how an appeal was decided, once", () => {
    const first = decisionsTold("shop.example", told, block, []);
    expect(first.notices).toEqual([{ kind: "blocked", siteId: "shop.example", why: "Malware" }]);
    expect(decisionsTold("shop.example", first.told, block, []).notices).toEqual([]);
    const second = decisionsTold("shop.example", first.told, block, [answered]);
    expect(second.notices).toMatchObject([{ kind: "appeal_decided", appeal: "upheld", why: "It stands" }]);
    expect(decisionsTold("shop.example", second.told, block, [answered]).notices).toEqual([]);
  });
  it("nothing of a block of his own, nor of one that was there before him", () => {
    expect(decisionsTold("shop.example", told, { ...block, by: "owner" }, []).notices).toEqual([]);
    const before = decisionsTold("shop.example", undefined, block, []);
    expect([before.notices, before.told?.blocked]).toEqual([[], block.at]);
  });
  it("and of one site twelve appeals are kept, those that wait before those that are decided", () => {
    const open = { ...answered, state: "open" as const, answer: undefined };
    const twelve = [...Array(11).fill(open), answered];
    expect(withAppeal(twelve, open)).toEqual(Array(12).fill(open));
    expect(withAppeal(Array(12).fill(open), open)).toBeUndefined();
    const now = Date.parse("2026-02-02T00:00:00Z");
    expect(summaryOfAppeals([answered, open], now)?.state).toBe("open");
    expect(summaryOfAppeals([answered], now)?.state).toBe("upheld");
    expect(summaryOfAppeals([answered], now + 91 * 86_400_000)).toBeNull();
  });
});

it("the account that lost a site has no say in it", async () => {
  const { owner, host, path } = await owned();
  await openAccountStore(registry.runtime.broker).sites.remove(hostKey(host));
  expect((await owner.send("GET", path)).status).toBe(404);
});
