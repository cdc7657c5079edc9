/** Hops of a link lead over trackers that close everything; the page that they end at is read as robots.txt allows. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAuthority } from "../../../../world/certificates.ts";
import { startCaseWeb } from "../../../real-cases/web.ts";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenKey } from "../../../support/visitor.ts";

const PAGE =
  '<!doctype html><html lang=en><p>Our kettles.</p><a href="https://www.amazon.com/dp/B000?tag=partner-20">Kettle</a></html>';
const robots = (text: string) => ({
  "/robots.txt": { headers: { "content-type": "text/plain" }, body: text },
});
const to = (location: string) => ({ status: 302, headers: { location } });
const sites = [
  {
    host: "tracker.test",
    files: {
      ...robots("User-agent: *\nDisallow: /\n"),
      "/open": to("https://blog.test/kettles"),
      "/shut": to("https://blog.test/private/kettles"),
    },
  },
  {
    host: "blog.test",
    files: {
      ...robots("User-agent: *\nDisallow: /private/\n"),
      "/kettles": { headers: { "content-type": "text/html" }, body: PAGE },
      "/private/kettles": { headers: { "content-type": "text/html" }, body: PAGE },
    },
  },
];

const home = mkdtempSync(join(tmpdir(), "bridge-hops-"));
const web = await startCaseWeb(sites, openAuthority(home, Date.now()));
if (!web) console.info("port 443 may not be used here: links over real hosts are not tried");

describe.skipIf(web === undefined)("a link that is followed", () => {
  let registry: TestRegistry;
  let key: string;
  beforeAll(async () => {
    registry = await startRegistry({
      world: { sites: 1, home },
      roles: ["gateway"],
      config: {
        BRIDGE_DNS_SERVERS: [web!.dns],
        BRIDGE_EGRESS_ALLOW: `${web!.address}/32:443`,
        BRIDGE_HTTPS_PORT: 443,
      },
    });
    key = await givenKey(registry, "PRO");
  });
  afterAll(async () => {
    await registry?.stop();
    await web?.close();
    rmSync(home, { recursive: true, force: true });
  });

  const scan = async (url: string) => {
    const reply = await fetch(`${registry.url}/api/v1/affiliate/scan-url`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ url }),
    });
    return (await reply.json()) as any;
  };

  it("is read at its end where robots.txt there allows it, over a tracker that closes everything", async () => {
    const body = await scan("https://tracker.test/open");
    expect(body.hops.map(({ status }: any) => status)).toEqual([302, 200]);
    expect([body.links.length, body.not_observed]).toEqual([1, []]);
  });

  it.each(["https://tracker.test/shut", "https://blog.test/private/kettles"])(
    "is followed but not read where robots.txt closes its end: %s",
    async (url) => {
      const body = await scan(url);
      expect([body.final_url, body.links]).toEqual(["https://blog.test/private/kettles", []]);
      expect(body).toMatchObject({ verdict: "unknown", risk_score: null });
      expect(body.not_observed).toEqual([
        { what: "page", reason: "the site's robots.txt does not allow it" },
      ]);
    },
  );
});
