/** A site that can place no file: `bridge.<site>` leads to the registry, which gets a certificate from a real ACME server and serves the document. */
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyDocument } from "../../src/domain/trust/manifest.ts";
import { selectRecords } from "../../src/domain/trust/txt-record.ts";
import { hostedNameKey } from "../../src/stores/hosted-names.ts";
import { chromiumPath, startChromium } from "../support/chromium.ts";
import { createOwner, type Owner, PASSWORD } from "../support/owner.ts";
import { type Pebble, pebbleProgram, startPebble } from "../support/pebble.ts";
import { createPerson } from "../support/person.ts";
import { freePort } from "../support/ports.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenSite } from "../support/visitor.ts";
import { openAuthority } from "../world/certificates.ts";
import { type DnsServer, startDnsServer, type ZoneNode } from "../world/dns-server.ts";

/** In the page: whether it is wider than the screen, and what axe finds in it. */
const WIDER_THAN_SCREEN = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
const FINDINGS =
  'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"], resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id }) => id))';
const TARGET = "hosted.registry.test";
const program = pebbleProgram();
const why = "missing" in program ? ` (${program.missing})` : "";

describe.skipIf("missing" in program)(`a site that can place no file${why}`, () => {
  const zone = new Map<string, ZoneNode>();
  const home = mkdtempSync(join(tmpdir(), "bridge-hosting-"));
  let dns: DnsServer;
  let pebble: Pebble;
  let registry: TestRegistry;
  let owner: Owner;
  let hostingPort = 0;
  beforeAll(async () => {
    dns = await startDnsServer({
      zone: "test",
      lookup: (name) => zone.get(name),
      ttlSeconds: 0,
      negativeTtlSeconds: 0,
    });
    const ca = openAuthority(home, Date.now());
    const PORT = await freePort();
    hostingPort = await freePort();
    const address = `${dns.address}:${dns.port}`;
    pebble = await startPebble((program as { path: string }).path, ca, { httpPort: PORT, dns: address });
    registry = await startRegistry({
      world: { sites: 1 },
      roles: ["accounts", "protocol"],
      config: {
        PORT,
        BRIDGE_DNS_SERVERS: [{ address: dns.address, port: dns.port }],
        BRIDGE_HOSTING_NAME: TARGET,
        BRIDGE_HOSTING_PORT: hostingPort,
        BRIDGE_ACME_URL: pebble.url,
        BRIDGE_ACME_CA: ca.caFile,
      },
    });
    owner = createOwner(registry);
  });
  afterAll(async () => {
    await registry?.stop();
    await pebble?.stop();
    await dns?.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** What the registry's listener answers to a name. */
  const get = (name: string, path: string): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: hostingPort, servername: name, ca: pebble.root, path };
      request({ ...options, headers: { host: name } }, async (reply) =>
        resolve({ status: reply.statusCode!, body: await text(reply) }),
      )
        .once("error", reject)
        .end();
    });
  const handshake = (servername: string | undefined): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(
        { host: "127.0.0.1", port: hostingPort, ca: pebble.root, ...(servername && { servername }) },
        () => {
          resolve("done");
          socket.destroy();
        },
      );
      socket.once("error", () => resolve("refused"));
    });

  it("is served under a name of its own, once DNS says so, and nothing else is", async () => {
    const host = await givenSite(registry, await owner.accountId(), "shop.test");
    const name = `bridge.${host}`;
    const path = `/api/account/sites/${host}/hosting`;
    const key = `/api/account/sites/${host}/key`;
    const taken = (await owner.send("PUT", path)).body;
    expect(taken).toMatchObject({
      state: "waits",
      is_offered: true,
      record: { host: name, type: "CNAME", value: TARGET },
      endpoint: `https://${name}`,
    });
    const held = (await owner.send("PUT", key, { endpoint: taken.endpoint })).body.key;
    expect((await owner.send("PUT", path)).body.missing.map(({ what }: { what: string }) => what)).toEqual([
      "cname",
      "txt",
      "document",
    ]);
    expect(await handshake(name)).toBe("refused");
    zone.set(`_bridge.${host}`, { txt: [[held.record.value]] });
    expect((await owner.send("PUT", key, {})).body.state).toBe("in_force");
    zone.set(name, { cname: "elsewhere.test", a: ["127.0.0.1"] });
    expect((await owner.send("PUT", path)).body.missing).toMatchObject([{ what: "cname" }]);
    zone.set(name, { cname: TARGET, a: ["127.0.0.1"] });
    expect((await owner.send("PUT", path)).body).toMatchObject({ state: "ordered", missing: [] });
    const stateOf = async () => (await owner.send("GET", path)).body;
    await expect.poll(stateOf, { timeout: 30_000, interval: 300 }).toMatchObject({ state: "in_force" });

    const { status, body } = await get(name, "/.well-known/bridge.json");
    expect(status).toBe(200);
    const txt = selectRecords([held.record.value], host);
    if (!txt.ok) throw new Error(txt.detail);
    expect(
      verifyDocument(Buffer.from(body), { domain: host, txt, nowMs: Date.now(), previousSerial: null }),
    ).toMatchObject({ ok: true, ring: 3, reason: "verified" });
    for (const other of ["/", "/account/log-in", "/api/plans", "/.well-known/acme-challenge/x"])
      expect((await get(name, other)).status, other).toBe(404);

    // Strangers' names, and none.
    expect(await Promise.all(["bridge.stranger.test", host, undefined].map(handshake))).toEqual([
      "refused",
      "refused",
      "refused",
    ]);
    const stored = (await registry.runtime.broker.buckets.account_sites.get(hostedNameKey(host)))!.text();
    expect(stored).toContain("BEGIN CERTIFICATE");
    expect(stored).not.toContain("PRIVATE KEY");

    expect((await owner.send("DELETE", path)).body).toEqual({ siteId: host, ended: true });
    await expect.poll(() => handshake(name)).toBe("refused");
  });

  it("is told on its page what is missing, without script", async () => {
    // Looks at DNS are limited by account.
    const owner = createOwner(registry);
    const email = await owner.email();
    const host = await givenSite(registry, await owner.accountId(), "tea.test");
    const person = createPerson(registry.url);
    await person.post("/account/log-in", { email, password: PASSWORD });
    const page = `/account/sites/${host}/publish`;
    const send = async (below: string, more: Record<string, string> = {}) =>
      person.post(`${page}${below}`, { csrf: await person.csrfOf(page), ...more });
    expect((await person.get(page)).text).toContain("If you cannot put a file on your web site");
    expect((await send("/name")).location).toBe(page);
    const { text: asks } = await person.get(page);
    for (const part of [TARGET, "CNAME", "Still missing", `value="https://bridge.${host}"`])
      expect(asks).toContain(part);
    await send("/key", { endpoint: `https://bridge.${host}` });
    const { record } = (await owner.send("GET", `/api/account/sites/${host}/key`)).body.key;
    zone.set(record.host, { txt: [[record.value]] });
    zone.set(`bridge.${host}`, { cname: TARGET, a: ["127.0.0.1"] });
    expect((await send("/key")).location).toBe(page);
    expect((await send("/name")).location).toBe(page);
    await expect
      .poll(async () => (await person.get(page)).text, { timeout: 30_000, interval: 500 })
      .toContain(`The registry answers at bridge.${host}`);
    expect((await get(`bridge.${host}`, "/.well-known/bridge.json")).status).toBe(200);
    expect((await send("/name/end")).location).toBe(`${page}?done=name-ended`);
  });

  it.skipIf(!chromiumPath)("leads a person there step by step, in a browser", async () => {
    const owner = createOwner(registry);
    const host = await givenSite(registry, await owner.accountId(), "cake.test");
    const browser = await startChromium();
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    const look = async (what: string) => {
      expect(await page.evaluate(WIDER_THAN_SCREEN), what).toBe(false);
      await page.evaluate(axe.source);
      expect(await page.evaluate(FINDINGS), what).toEqual([]);
    };
    const text = () => page.textContent("main");
    await page.goto(`${registry.url}/account/log-in`);
    await page.fill("#email", await owner.email());
    await page.fill("#password", PASSWORD);
    await page.click("main form:not([hidden]) button");
    await page.goto(`${registry.url}/account/sites/${host}/publish`);
    await look("begin");
    await page.click("text=Have the registry answer there");
    expect(await text()).toContain(`bridge.${host}`);
    await look("records");
    await page.click("text=Have the registry hold a key");
    expect(await text()).toContain(`_bridge.${host}`);
    await look("key");
    const { record } = (await owner.send("GET", `/api/account/sites/${host}/key`)).body.key;
    zone.set(record.host, { txt: [[record.value]] });
    zone.set(`bridge.${host}`, { cname: "elsewhere.test", a: ["127.0.0.1"] });
    await page.click("text=The record is there: sign");
    expect(await text()).toContain("The registry signs for this site");
    await page.click("text=Look again");
    expect(await text()).toContain("Still missing");
    await look("missing");
    zone.set(`bridge.${host}`, { cname: TARGET, a: ["127.0.0.1"] });
    await page.click("text=Look again");
    expect(await text()).toContain("The certificate is on its way");
    await look("ordered");
    await expect
      .poll(async () => (await page.reload()) && (await text()), { timeout: 30_000, interval: 500 })
      .toContain(`The registry answers at bridge.${host}`);
    await look("done");
    await page.click("main button:has-text('End it')");
    expect(await page.textContent("[role=status]")).toContain("answers under that name no more");
    await look("ended");
    expect(said).toEqual([]);
    await browser.close();
  });

  it("answers challenges of names that it serves alone", async () => {
    const asked = (host: string, token: string) =>
      fetch(`${registry.url}/.well-known/acme-challenge/${token}`, { headers: { host } });
    expect((await asked("bridge.nowhere.test", "abc")).status).toBe(404);
    expect((await asked("bridge.shop.test", "../x")).status).toBe(404);
  });
});
