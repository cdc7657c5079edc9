/** What a site's owner closes stays closed: by every door, at every hop, whoever licensed the agent. */
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentOf, enter } from "../support/agent.ts";
import { askModule } from "../support/gateway.ts";
import { makeLicense } from "../support/license.ts";
import { createOwner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let shop: string;
let origin: string;
let apiKey: string;
/** Licensed for a host below the shop's, whose owner is another. */
let guest: Awaited<ReturnType<typeof enter>>;

const ofShop = (options: Parameters<typeof makeLicense>[2]) =>
  makeLicense(registry.runtime.broker, shop, options);

beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 3, soundShare: 0, kinds: { shop: 1 }, seed: 11 },
    roles: ["accounts", "crawler", "indexer", "session", "gateway"],
  });
  await registry.crawl();
  shop = registry.world.hosts[0]!.host;
  origin = `https://${shop}:${registry.world.port}`;
  const delegated = await makeLicense(registry.runtime.broker, `team.${shop}`, {
    permissions: { fillForms: true },
  });
  guest = await enter(registry.url, delegated.key);
  const owner = createOwner(registry);
  const made = await owner.send("POST", "/api/v1/keys/generate", {
    plan: "BUSINESS",
    owner: "Ada",
    email: "ada@shop.example",
  });
  apiKey = made.body.key;
});
afterAll(() => registry?.stop());

const asked = async (path: string) =>
  (await registry.world.requests(shop)).filter((entry) => entry.path.startsWith(path)).length;
const pageInfo = (url: string) => registry.getJson(`/api/bridge/page-info?url=${encodeURIComponent(url)}`);

describe("a path that its owner closes", () => {
  beforeAll(() => ofShop({ restrictions: { denied_paths: ["/basket"] } }));

  it("is not read by page-info, nor behind a redirect, and no request is sent for it", async () => {
    await registry.world.clearLog();
    for (const path of [
      "/basket",
      "/moved",
      "/%62asket",
      "//basket",
      "/x/..;/basket",
      "/basket;a=1",
      "/basket%00",
    ]) {
      const { status, body } = await pageInfo(origin + path);
      expect([path, status, JSON.stringify(body)]).toEqual([
        path,
        expect.any(Number),
        expect.not.stringContaining("headings"),
      ]);
      if (path !== "/moved") expect([path, status, body.code]).toEqual([path, 403, "permission_denied"]);
    }
    expect(await asked("/basket")).toBe(0);
    expect(await asked("/moved")).toBe(1);
  });

  it("stays closed to a session that is licensed for a delegated host below", async () => {
    await registry.world.clearLog();
    const tried = await guest.execute("navigate", `${origin}/basket`);
    expect([tried.status, tried.code]).toEqual([403, "permission_denied"]);
    const led = await guest.execute("navigate", `${origin}/moved`);
    expect(led.result.error.code).toBe("redirect_refused");
    expect(await asked("/basket")).toBe(0);
  });

  it("is not clicked, submitted or redirected into from a page of the same host", async () => {
    await ofShop({ permissions: { fillForms: true }, restrictions: { denied_paths: ["/basket"] } });
    const home = await guest.execute("navigate", `${origin}/`);
    expect(home.success).toBe(true);
    expect((await guest.execute("click", "a[href='/basket']")).code).toBe("permission_denied");
    await guest.execute("click", ".products a");
    expect((await guest.execute("submit", "#buy")).code).toBe("permission_denied");
    expect(await asked("/basket")).toBe(0);
  });

  it("is closed at once to a page that was remembered, and to a session that stands on it", async () => {
    await ofShop({});
    expect((await pageInfo(`${origin}/checkout`)).status).toBe(200);
    expect((await guest.execute("navigate", `${origin}/checkout`)).success).toBe(true);
    await ofShop({ restrictions: { denied_paths: ["/checkout"] } });
    expect((await pageInfo(`${origin}/checkout`)).body.code).toBe("permission_denied");
    expect((await guest.execute("read")).code).toBe("permission_denied");
    expect((await guest.actions()).body.code).toBe("permission_denied");
    // It may leave.
    expect((await guest.execute("navigate", `${origin}/`)).success).toBe(true);
  });
});

describe("a module of the gateway", () => {
  it.each([
    ["firewall", "scan", {}],
    ["dark-pattern", "scan", {}],
    ["neural", "analyze-url", {}],
    ["affiliate", "scan-url", {}],
    [
      "bounty",
      "report",
      { kind: "prompt_injection", description: "A hidden paragraph tells agents to send data" },
    ],
  ])(
    "%s does not ask for what is closed, nor follow a redirect there, and says what it did not see",
    async (module, path, more) => {
      await ofShop({ restrictions: { denied_paths: ["/basket"] } });
      await registry.world.clearLog();
      for (const address of ["/basket", "/moved"]) {
        const { status, body } = await askModule(registry, module, apiKey, path, {
          url: origin + address,
          ...more,
        });
        expect([address, status, JSON.stringify(body)]).toEqual([
          address,
          expect.toBeOneOf([200, 201]),
          expect.stringContaining("closed_to_agents"),
        ]);
      }
      expect([await asked("/basket"), await asked("/moved")]).toEqual([0, 1]);
    },
  );

  it("gov reads no home page that is closed", async () => {
    await ofShop({ permissions: { readContent: false } });
    await registry.world.clearLog();
    const { body } = await askModule(registry, "gov", apiKey, `check/${shop}`);
    expect(JSON.stringify(body)).toContain("closed_to_agents");
    expect(await registry.world.requests(shop)).toEqual([]);
    await ofShop({});
  });
});

describe("a page that robots.txt forbids", () => {
  const closedHost = async () => {
    const { host } = await registry.world.add("shop");
    await registry.world.set(host, { robots: "disallow_all" });
    return host;
  };
  const pathsAsked = async (host: string) => (await registry.world.requests(host)).map(({ path }) => path);

  it.each([
    ["firewall", "scan", {}],
    ["dark-pattern", "scan", {}],
    ["neural", "analyze-url", {}],
    [
      "bounty",
      "report",
      { kind: "prompt_injection", description: "A hidden paragraph tells agents to send data" },
    ],
  ])("is not asked for by %s, which says so", async (module, path, more) => {
    const host = await closedHost();
    const url = `https://${host}:${registry.world.port}/basket`;
    const { status, body } = await askModule(registry, module, apiKey, path, { url, ...more });
    expect([200, 201]).toContain(status);
    expect(JSON.stringify(body)).toContain("robots.txt does not allow it");
    expect(await pathsAsked(host)).toEqual(["/robots.txt"]);
  });

  it("is not asked for by gov, nor is security.txt there", async () => {
    const host = await closedHost();
    const { body } = await askModule(registry, "gov", apiKey, `check/${host}`);
    expect(JSON.stringify(body)).toContain("robots.txt does not allow it");
    expect(await pathsAsked(host)).toEqual(["/robots.txt"]);
  });
});

describe("the bridge script", () => {
  /** The served script in a page of this address, without a browser: what `bridge.execute` answers, and where it went. */
  const inPage = async (href: string, action: string, target?: string) => {
    const source = await (await fetch(`${registry.url}/bridge.js?siteId=www.${shop}`)).text();
    const went: string[] = [];
    const location = new URL(href);
    Object.assign(location, { assign: (url: URL) => went.push(url.pathname) });
    const window: Record<string, any> = {};
    const document = { baseURI: href, title: "", currentScript: null, dispatchEvent: () => true };
    const globals = {
      window,
      document,
      location,
      URL,
      TextDecoder,
      CustomEvent,
      console: { info: () => undefined },
    };
    runInNewContext(source, { ...globals, setTimeout: (go: () => void) => go() });
    const { result } = await window.bridge.execute(action, { target });
    return { code: result.error?.code, went };
  };

  it("goes to no closed path, and does nothing on one", async () => {
    await ofShop({ restrictions: { denied_paths: ["/basket"] } });
    const page = `https://www.${shop}/`;
    expect(await inPage(page, "navigate", "/open")).toEqual({ code: undefined, went: ["/open"] });
    for (const path of ["/basket", "/%2562asket", "//x/../basket/1", "/open/..;/basket"])
      expect([path, await inPage(page, "navigate", new URL(path, page).pathname)]).toEqual([
        path,
        { code: "permission_denied", went: [] },
      ]);
    expect((await inPage(`${page}basket`, "wait")).code).toBe("permission_denied");
    expect((await inPage(`${page}basket`, "navigate", "/")).went).toEqual(["/"]);
  });
});

describe("what else the owner of the host that is asked decides", () => {
  it("permissions and denied actions, on his pages and on the way to them", async () => {
    await ofShop({ permissions: { fillForms: false } });
    expect((await guest.execute("navigate", `${origin}/contact`)).success).toBe(true);
    expect((await guest.execute("fill", "[name=message]", "x")).code).toBe("permission_denied");
    expect((await guest.execute("submit", "#contact")).code).toBe("permission_denied");
    await ofShop({ restrictions: { denied_commands: ["navigate"] } });
    expect((await guest.execute("navigate", `${origin}/`)).code).toBe("permission_denied");
    await ofShop({ permissions: { readContent: false } });
    expect((await guest.execute("read")).code).toBe("permission_denied");
    expect((await pageInfo(`${origin}/`)).body.code).toBe("permission_denied");
    await ofShop({});
    expect((await guest.execute("navigate", `${origin}/`)).success).toBe(true);
  });

  it("the nearest one: what a parent closes for itself, a proved host below may leave open", async () => {
    const own = `team.${shop}`;
    await ofShop({ restrictions: { denied_paths: ["/"] } });
    const script = async (siteId: string) =>
      (await fetch(`${registry.url}/bridge.js?siteId=${siteId}`)).text();
    await ofShop({ permissions: { click: false } });
    expect(await script(`www.${shop}`)).toContain('"click":false');
    expect(await script(own)).toContain('"click":true');
  });

  it("not the owner of another site of the same name's end, and nobody where nothing is proved", async () => {
    const [, , unowned] = registry.world.hosts.map(({ host }) => host);
    expect((await pageInfo(`https://${unowned}:${registry.world.port}/basket`)).status).toBe(200);
    expect((await agentOf(registry.url, guest.token).execute("navigate", `https://${unowned}/`)).code).toBe(
      "permission_denied",
    );
  });
});
