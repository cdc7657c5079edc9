/** Whose document is served: by the Host that was asked, whatever a proxy passes on. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestedHost } from "../../app/front/routes.ts";
import { request } from "../support/raw-http.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let site: string;

beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1, soundShare: 1, seed: 57 },
    config: {
      BRIDGE_PUBLIC_URL: "https://registry.example",
      BRIDGE_TRUSTED_PROXIES: ["127.0.0.1"],
      BRIDGE_ALIASES: ["bridge.svc.cluster.local"],
    },
  });
  site = registry.world.hosts[0]!.host;
  await registry.crawl();
});
afterAll(() => registry?.stop());

/** The domain whose document a path gives, or the code of its refusal. */
async function served(path: string, headers: Record<string, string>): Promise<string> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { body } = await request(registry.url, `GET ${path}`, lines);
  const document = JSON.parse(body.toString());
  return document.provider?.domain ?? document.domain ?? document.code;
}

describe.each(["/.well-known/bridge.json", "/agent-bridge.json", "/api/bridge/discover", "/.bridge"])(
  "%s",
  (path) => {
    it("is chosen by no X-Forwarded-Host, though the proxy that passes it on is trusted", async () => {
      const own = "registry.example";
      expect(await served(path, { Host: own, "X-Forwarded-Host": site })).toBe(own);
      expect(await served(path, { Host: own, "X-Forwarded-Host": `${own}, ${site}` })).toBe(own);
      expect(await served(path, { Host: "127.0.0.1:8080", "X-Forwarded-Host": site })).toBe(own);
      expect(await served(path, { Host: site, "X-Forwarded-Host": own })).toBe(site);
      expect(await served(path, { Host: own, Forwarded: `host=${site}` })).toBe(own);
    });

    it("is the registry's own by its names, and where no public name is asked", async () => {
      for (const Host of [
        "Registry.Example:443",
        "bridge.svc.cluster.local:8080",
        "bridge",
        "10.0.0.7",
        "[::1]:80",
      ])
        expect([Host, await served(path, { Host })]).toEqual([Host, "registry.example"]);
      expect(await served(path, { Host: "nobody.example" })).toBe("no_enabled_site");
      expect(await served(path, { Host: site })).toBe(site);
    });
  },
);

describe("a Host field that is none", () => {
  it("is refused as it was sent, whatever X-Forwarded-Host says", async () => {
    const { status } = await request(registry.url, "GET /api/bridge/ping", [
      "Host: a b",
      "X-Forwarded-Host: registry.example",
    ]);
    expect(status).toBe(400);
  });

  it("is the registry's own where there is none at all", () => {
    expect(requestedHost(undefined, { publicHost: "registry.example", aliases: [] })).toBe(
      "registry.example",
    );
  });
});
