import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { enter } from "../support/agent.ts";
import { askJson } from "../support/json.ts";
import { makeLicense } from "../support/license.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let shops: string[];
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 6, soundShare: 0, kinds: { shop: 1 }, seed: 11 } });
  await registry.crawl();
  shops = registry.world.hosts.map(({ host }) => host);
});
afterAll(() => registry?.stop());

/** A new session of a shop with these permissions beside the harmless ones. */
const opened = async (shop: string, permissions = {}, restrictions = {}) =>
  enter(registry.url, (await makeLicense(registry.runtime.broker, shop, { permissions, restrictions })).key);

type Listed = { name: string; source: string; executable: boolean; blocked_by: string[] } & Record<
  string,
  any
>;
const listedBy = async (agent: Awaited<ReturnType<typeof opened>>): Promise<Listed[]> =>
  (await agent.actions()).body.actions;

describe("a session that has not opened a page yet", () => {
  it("executes what it lists: the home page is opened on the first need", async () => {
    const agent = await opened(shops[0]!, { fillForms: true });
    const search = (await listedBy(agent)).find(({ name }) => name === "submit-search");
    expect(search).toMatchObject({ executable: true, blocked_by: [] });
    const found = await agent.execute("submit-search", undefined, undefined, { q: "lamp" });
    expect(found).toMatchObject({ status: 200, success: true });
    expect(found.result.url).toMatch(/q=lamp$/);
  });

  it("reads and fills the home page without navigating there", async () => {
    const agent = await opened(shops[0]!, { fillForms: true });
    expect(await agent.execute("fill", "[name=q]", "kettle")).toMatchObject({ success: true });
    expect((await agent.execute("submit", "#search")).result.url).toMatch(/q=kettle$/);
    const reader = await opened(shops[0]!);
    expect((await reader.execute("read")).result).toMatchObject({ status: 200, forms: [{}] });
  });

  it("lists what it cannot do as not executable, and why; execute says the same", async () => {
    const agent = await opened(shops[1]!, {}, { denied_commands: ["open-basket"] });
    const listed = await listedBy(agent);
    const byName = new Map(listed.map((action) => [action.name, action]));
    expect(byName.get("submit-search")).toMatchObject({ executable: false, blocked_by: ["fillForms"] });
    expect(byName.get("open-basket")).toMatchObject({ executable: false, blocked_by: ["denied_commands"] });
    const declared = listed.find(
      ({ source, blocked_by }) => source === "declared" && blocked_by.length === 1,
    )!;
    expect(declared.blocked_by).toEqual(["no_script"]);
    expect((await agent.execute("submit-search", undefined, undefined, { q: "x" })).code).toBe(
      "permission_denied",
    );
    expect((await agent.execute("open-basket")).code).toBe("permission_denied");
    expect((await agent.execute(declared.name)).result.error.code).toBe("requires_script");
    for (const { executable, blocked_by } of listed) expect(executable).toBe(blocked_by.length === 0);
  });

  it("is told of the links that robots.txt or the owner closes, in the list and by a dry run", async () => {
    const agent = await opened(shops[3]!, { fillForms: true }, { denied_paths: ["/basket"] });
    await agent.execute("navigate", "/");
    const listed = await listedBy(agent);
    const closed = (code: string) => listed.filter(({ blocked_by }) => blocked_by.includes(code));
    expect([closed("robots_txt").length, closed("denied_paths").length]).toEqual([1, 1]);
    const dryRun = (name: string, target?: string) =>
      agent.execute(name, target, undefined, undefined, { dry_run: true });
    for (const { name } of [...closed("robots_txt"), ...closed("denied_paths")]) {
      const [done, told] = [await agent.execute(name), await dryRun(name)];
      expect([told.status, told.code, told.result.detail]).toEqual([403, done.code, done.result.detail]);
    }
    for (const { name, executable } of listed)
      if (executable && name.startsWith("open-")) expect((await dryRun(name)).status).toBe(200);
    expect((await dryRun("navigate", "/internal/ledger")).code).toBe("permission_denied");
    expect(listed.filter((action) => "leads" in action)).toEqual([]);
  });

  it("opens no page where it may not navigate", async () => {
    const agent = await opened(shops[2]!, { navigate: false, fillForms: true });
    expect((await agent.execute("read")).code).toBe("permission_denied");
    const search = (await listedBy(agent)).find(({ name }) => name === "submit-search");
    expect(search).toMatchObject({ executable: false, blocked_by: ["navigate"] });
    const denied = await opened(shops[2]!, {}, { denied_commands: ["navigate"] });
    expect((await denied.execute("read")).code).toBe("permission_denied");
    for (const { source, blocked_by } of await listedBy(denied))
      if (source === "page") expect(blocked_by).toContain("denied_commands");
  });

  it("still knows no action that nobody lists", async () => {
    const agent = await opened(shops[0]!);
    expect((await agent.execute("dance")).result.error.code).toBe("unknown_action");
  });
});

describe("choices of a form", () => {
  it("are listed as values that the parameter takes", async () => {
    const agent = await opened(shops[0]!, { fillForms: true });
    await agent.execute("click", ".products a");
    const buy = (await listedBy(agent)).find(({ name }) => name === "submit-buy")!;
    const size = buy.parameters.find(({ name }: { name: string }) => name === "size");
    expect(size).toMatchObject({ type: "string", enum: expect.arrayContaining(["s"]) });
    const bought = await agent.execute("submit-buy", undefined, undefined, { size: size.enum.at(-1) });
    expect(bought.result.url).toMatch(/\/basket$/);
  });
});

/** The example of a page that makes this call. */
const example = (page: string, call: string): string =>
  [...readFileSync(join(import.meta.dirname, "../../docs", page), "utf8").matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, code]) => code!)
    .find((code) => code.includes(call))!;
const hasTools = ["curl", "jq", "bash"].every((tool) => spawnSync(tool, ["--version"]).status === 0);

describe("the calls of docs/accounts.md and docs/agents.md", () => {
  it.skipIf(!hasTools)(
    `work in their order, as they are written${hasTools ? "" : " (skipped: no curl or jq)"}`,
    async () => {
      const [shop] = shops.slice(3) as [string];
      const email = `ada-${uuidv7()}@`;
      const written =
        `${example("accounts.md", "/api/auth/register")}\n${example("agents.md", "/api/bridge/execute")}`
          .replaceAll("https://registry.example", registry.url)
          .replaceAll("shop.example", shop)
          .replaceAll("ada@", email)
          .replace(/^/, `BRIDGE=${registry.url}\nSITE=${shop}\n`)
          // Where a person publishes the record, the script waits for the test to have done so.
          .replace(/^(curl .*\/challenge.*)$/m, "$1\nread -r published");
      const script = spawn("bash", ["-e", "-c", written.replaceAll(/^act .*$/gm, "$&; echo")]);
      let said = "";
      script.stdout.on("data", (chunk) => {
        said += chunk;
        const value = /bridge-owner=[\w-]+/.exec(said)?.[0];
        if (!value || !script.stdin.writable) return;
        void registry.world.set(shop, { ownerTxt: [value] }).then(() => script.stdin.end("published\n"));
      });
      const status = await new Promise((resolve) => script.on("close", resolve));
      expect([status, said]).toEqual([0, expect.not.stringContaining('"code"')]);
      const acted = said.split("\n").flatMap((line) => /\{"type":"action_result".*/.exec(line) ?? []);
      expect(acted.map((line) => JSON.parse(line).success)).toEqual([true, true, true, true]);
      expect(JSON.parse(acted.at(-1)!).result.url).toMatch(/q=kettle$/);
    },
  );
});

describe("a site whose owner has not configured it", () => {
  it("permits what its signed document says, and of what the document leaves out only the harmless", async () => {
    const shop = shops[4]!;
    const { email, password } = { email: `${uuidv7()}@${shop}`, password: "correct horse battery" };
    await registry.postJson("/api/auth/register", { email, password, name: "Ada" });
    const { token } = (await registry.postJson("/api/auth/login", { email, password })).body;
    const send = async (method: string, path: string, body?: object) =>
      (await askJson(registry.url + path, { method, body, token })).body;
    const { records } = await send("GET", `/api/account/sites/challenge?domain=${shop}`);
    await registry.world.set(shop, { ownerTxt: [records[0].value] });
    const { configuration } = await send("POST", "/api/account/sites", { domain: shop });
    expect(configuration.permissions).toMatchObject({
      fillForms: true,
      navigate: true,
      automatedLogin: false,
      extractData: false,
    });
    const { key: license_key } = await send("POST", "/api/account/keys", { kind: "license", siteId: shop });
    expect((await enter(registry.url, license_key)).permissions).toEqual(configuration.permissions);
    // What its owner says afterwards holds, proved again or not.
    await send("PATCH", `/api/account/sites/${shop}`, { permissions: { fillForms: false } });
    await send("POST", "/api/account/sites", { domain: shop });
    const stored = await openAccountStore(registry.runtime.broker).sites.get(hostKey(shop));
    expect(stored?.value.configuration.permissions.fillForms).toBe(false);
  });
});

describe("a parameter that an operation does not have", () => {
  it.each([
    ["/api/bridge/discover?domain=shop.example", "query.domain: is unknown; did you mean siteId?"],
    ["/api/registry/discover?trustring=4", "query.trustring: is unknown; did you mean trust_ring?"],
    ["/api/plans?tier=pro", "query.tier: is unknown; nothing is taken here"],
  ])("is refused: GET %s", async (path, detail) => {
    const { status, body } = await registry.getJson(path);
    expect(body).toMatchObject({ status: 400, code: "unknown_parameter", detail });
    expect(status).toBe(400);
  });

  it("is refused in a body, before anything happens", async () => {
    const { status, body } = await registry.postJson("/api/discovery/provider/verify-batch", {
      domains: ["shop.example"],
      callbackUrl: "https://provider.example/hook",
    });
    expect([status, body.detail]).toEqual([400, "body.callbackUrl: is unknown; did you mean callback_url?"]);
  });

  it("is ignored where strangers link to a document or send one of their own", async () => {
    const siteId = shops[0]!;
    for (const path of [
      "/.well-known/bridge.json?utm_source=x",
      "/.bridge?v=2",
      `/api/noscript/bridge/${siteId}?utm_source=x`,
      "/docs?utm_source=x",
    ])
      expect([path, (await fetch(registry.url + path)).status]).toEqual([path, 200]);
    expect((await registry.postJson("/api/registry/report", { domain: siteId, sender: "x" })).status).toBe(
      200,
    );
  });
});

describe("page-info and license/verify", () => {
  it("take a path of the site, and an address of it", async () => {
    const siteId = shops[0]!;
    const info = await registry.getJson(`/api/bridge/page-info?siteId=${siteId}&url=/basket`);
    expect(info.body).toMatchObject({ siteId, title: expect.stringContaining("Basket") });
    for (const url of ["basket", `${siteId}/basket`, "/basket"]) {
      const asked = url === "/basket" ? `url=${url}` : `siteId=${siteId}&url=${url}`;
      const { status, body } = await registry.getJson(`/api/bridge/page-info?${asked}`);
      expect([asked, status, body.code]).toEqual([asked, 400, "invalid_url"]);
      expect(body.detail).toContain("siteId");
    }
    const away = await registry.getJson(`/api/bridge/page-info?siteId=${siteId}&url=//elsewhere.example/`);
    expect([away.status, away.body.code]).toEqual([400, "invalid_url"]);

    const { key } = await makeLicense(registry.runtime.broker, siteId);
    for (const domain of [`https://${siteId}/basket?x=1`, ` ${siteId}/ `, siteId]) {
      const verified = await registry.postJson("/api/license/verify", { licenseKey: key, domain });
      expect([domain, verified.body.valid, verified.body.domain]).toEqual([domain, true, siteId]);
    }
    const wrong = await registry.postJson("/api/license/verify", {
      licenseKey: key,
      domain: "ftp://a.example",
    });
    expect([wrong.status, wrong.body.code]).toEqual([400, "invalid_domain"]);
  });
});

describe("the websocket", () => {
  it("gives back each message's id as it came, in refusals too", async () => {
    const { token } = await opened(shops[5]!, { fillForms: true });
    const socket = new WebSocket(`${registry.url.replace("http", "ws")}/ws`);
    await new Promise((resolve) => socket.once("open", resolve));
    const ask = (message: object | string): Promise<any> => {
      const answer = new Promise((resolve) =>
        socket.once("message", (data) => resolve(JSON.parse(String(data)))),
      );
      socket.send(typeof message === "string" ? message : JSON.stringify(message));
      return answer;
    };
    expect(await ask({ type: "auth", id: 0 })).toMatchObject({
      type: "error",
      id: 0,
      code: "invalid_request",
    });
    expect(await ask({ type: "auth", id: 1, token })).toMatchObject({ type: "auth_success", id: 1 });
    expect(await ask({ type: "ping", id: 0 })).toMatchObject({ type: "ping", id: 0 });
    expect(await ask({ type: "ping", id: "" })).toMatchObject({ type: "ping", id: "" });
    expect(await ask({ type: "execute", id: 2, action: "read" })).toMatchObject({
      type: "action_result",
      id: 2,
      success: true,
    });
    expect(await ask({ type: "actions_list", id: 3.5 })).toMatchObject({ type: "actions_list", id: 3.5 });
    for (const [message, refusal] of [
      [
        { type: "dance", id: 4 },
        { id: 4, code: "invalid_request" },
      ],
      [
        { type: "execute", id: 5 },
        { id: 5, code: "invalid_request" },
      ],
      [
        { type: "execute", id: 6, action: "read", selector: "h1" },
        { id: 6, code: "unknown_parameter" },
      ],
      [
        { type: "actions_list", id: 7, site: "x" },
        { id: 7, code: "unknown_parameter" },
      ],
      [
        { type: "actions_list", id: 8, siteId: shops[0] },
        { id: 8, code: "permission_denied" },
      ],
      [
        { type: "ping", id: 9, payload: "x" },
        { id: 9, code: "unknown_parameter" },
      ],
      [
        { type: "action_result", id: 10 },
        { id: 10, code: "invalid_request" },
      ],
    ] as const)
      expect(await ask(message)).toMatchObject({ type: "error", ...refusal });
    expect(await ask({ type: "ping", id: ["x"] })).toEqual({
      type: "error",
      code: "invalid_request",
      status: 400,
      message: "id: must be a text of at most 64 characters, or a number",
    });
    expect((await ask("no json")).code).toBe("invalid_request");
    socket.close();
  });
});
