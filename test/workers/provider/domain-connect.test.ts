/** Domain Connect, with the DNS provider's side played by a site of the synthetic web: real DNS packets, real HTTPS. */
import { execFileSync } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DomainConnect } from "../../../schemas/domain-connect.ts";
import { generateKey } from "../../../src/domain/trust/ed25519.ts";
import { selectRecords } from "../../../src/domain/trust/txt-record.ts";
import { ConfigError, readConfig } from "../../../src/runtime/config.ts";
import { openRequestKey } from "../../../workers/provider/request-key.ts";
import type { PathReply } from "../../../world/kinds.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

const OUR_HOST = "registry.example";
const folder = mkdtempSync(join(tmpdir(), "bridge-domain-connect-"));
const keyFile = join(folder, "key.pem");
const site = generateKey();

let registry: TestRegistry;
beforeAll(async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  registry = await startRegistry({
    world: { sites: 2, soundShare: 0, kinds: { no_txt: 1 }, seed: 9 },
    roles: ["provider"],
    config: {
      BRIDGE_PUBLIC_URL: `https://${OUR_HOST}`,
      BRIDGE_DOMAIN_CONNECT_KEY: keyFile,
    },
  });
});
afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const PATH = "/api/discovery/provider/domain-connect";
const templatePath = (service: string) => `/v2/domainTemplates/providers/${OUR_HOST}/services/${service}`;
const newHost = async (): Promise<string> => (await registry.world.add("no_txt")).host;

/** A DNS provider that knows our templates, and a domain of a customer of it. */
async function customerOf(
  settings: object = {},
  answers: (domain: string) => Record<string, PathReply> = () => ({}),
): Promise<{ domain: string; provider: string }> {
  const [domain, provider] = await Promise.all([newHost(), newHost()]);
  const base = `https://${provider}:${registry.world.port}`;
  const said = {
    providerId: provider,
    providerName: "Tea DNS",
    urlAPI: `${base}/api/`,
    urlSyncUX: `${base}/ux`,
  };
  const body = JSON.stringify({ ...said, nameServers: ["ns1.test"], width: 750, ...settings });
  await registry.world.set(domain, { domainConnect: [`${provider}:${registry.world.port}/dc`] });
  await registry.world.set(provider, {
    answers: {
      [`/dc/v2/${domain}/settings`]: { body },
      [`/api${templatePath("record")}`]: { body: '{"version":1}' },
      ...answers(domain),
    },
  });
  return { domain, provider };
}
async function offerFor(domain: string, more = ""): Promise<DomainConnect> {
  const path = `/api/registry/sites/${domain}/domain-connect?pk=${site.publicKey}${more}`;
  const { status, body } = await registry.getJson(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The provider's check of a request (section 8.3.4), by openssl, with the key as the registry says that DNS has it. */
async function isSigned(address: string): Promise<boolean> {
  const query = address.slice(address.indexOf("?") + 1);
  const parts = query.split("&");
  const parameterOf = (name: string) =>
    decodeURIComponent(parts.find((part) => part.startsWith(`${name}=`))!.slice(name.length + 1));
  const canonical = parts.filter((part) => !/^(?:sig|key)=/.test(part)).join("&");
  const { body } = await registry.getJson(PATH);
  expect(body.key_record.host).toBe(`${parameterOf("key")}.${OUR_HOST}`);
  const fragments = (body.key_record.values as string[])
    .map((record) => Object.fromEntries(record.split(",").map((pair) => pair.split(/=(.*)/s, 2))))
    .toSorted((a, b) => Number(a.p) - Number(b.p));
  for (const value of body.key_record.values) expect(value.length).toBeLessThanOrEqual(255);
  const name = (kind: string) => join(folder, `${kind}-${site.kid}-${Math.random()}`);
  const [key, sig, input] = [name("key"), name("sig"), name("input")];
  writeFileSync(key, Buffer.from(fragments.map(({ d }) => d).join(""), "base64"));
  writeFileSync(sig, Buffer.from(parameterOf("sig"), "base64"));
  writeFileSync(input, canonical);
  const verify = ["dgst", "-sha256", "-keyform", "DER", "-verify", key, "-signature", sig, input];
  try {
    return execFileSync("openssl", verify, { stdio: ["ignore", "pipe", "ignore"] }).includes("OK");
  } catch {
    return false;
  }
}

describe.concurrent("a domain whose DNS provider knows our template", () => {
  it("is offered a signed way to agree, whose records are the site's", async () => {
    const { domain, provider } = await customerOf();
    const offer = await offerFor(domain);
    expect(offer).toMatchObject({
      state: "offered",
      reason: "template_known",
      provider: { name: "Tea DNS" },
    });
    const url = new URL(offer.apply_url!);
    expect(url.origin + url.pathname).toBe(
      `https://${provider}:${registry.world.port}/ux${templatePath("record")}/apply`,
    );
    expect([...url.searchParams.keys()].slice(0, -2)).toEqual(["domain", "endpoint", "pk", "redirect_uri"]);
    expect(url.searchParams.get("redirect_uri")).toBe(`https://${OUR_HOST}/owners/${domain}/dns`);
    expect(await isSigned(offer.apply_url!)).toBe(true);
    expect(
      await isSigned(offer.apply_url!.replace(`pk=${site.publicKey}`, `pk=${generateKey().publicKey}`)),
    ).toBe(false);
    const selected = selectRecords(
      offer.records.map(({ value }) => value),
      domain,
    );
    expect(offer.records.map(({ host }) => host)).toEqual([`_bridge.${domain}`]);
    expect(selected).toMatchObject({
      ok: true,
      keys: [{ publicKey: site.publicKey, kid: site.kid }],
    });
  });

  it("has a host below the zone named apart, and the records below it", async () => {
    const { domain } = await customerOf();
    const offer = await offerFor(`shop.${domain}`);
    const { searchParams } = new URL(offer.apply_url!);
    expect([searchParams.get("domain"), searchParams.get("host")]).toEqual([domain, "shop"]);
    expect(offer.records[0]).toMatchObject({
      host: `_bridge.shop.${domain}`,
      value: expect.stringContaining(`endpoint=https://shop.${domain}`),
    });
    expect(await isSigned(offer.apply_url!)).toBe(true);
  });

  it("has its provider asked once by all who ask, and not again soon", async () => {
    const { domain, provider } = await customerOf();
    await Promise.all([offerFor(domain), offerFor(domain), offerFor(`www.${domain}`)]);
    await offerFor(domain, `&endpoint=https://www.${domain}`);
    const paths = (await registry.world.requests(provider)).map(({ path }) => path);
    expect(paths).toEqual([`/dc/v2/${domain}/settings`, `/api${templatePath("record")}`]);
  });
});

describe.concurrent("nothing is offered where the provider", () => {
  const at = (answer: PathReply) => (domain: string) => ({ [`/dc/v2/${domain}/settings`]: answer });
  const settingsFor = (urls: object) =>
    at({ body: JSON.stringify({ providerName: "Odd", urlAPI: "https://api.odd.test", ...urls }) });
  it.each<[string, (domain: string) => Record<string, PathReply>, string]>([
    ["does not have the zone", at({ status: 404 }), "zone_unknown"],
    [
      "knows no such template",
      () => ({ [`/api${templatePath("record")}`]: { status: 404 } }),
      "template_unknown",
    ],
    ["fails", at({ status: 503 }), "provider_unanswered"],
    ["leads elsewhere", at({ status: 302, location: "https://10.0.0.1/settings" }), "provider_unanswered"],
    ["sends no JSON", at({ body: "<html>" }), "settings_unusable"],
    ["sends other JSON", at({ body: "[1]" }), "settings_unusable"],
    ["nests JSON deep", at({ body: `${"[".repeat(9_000)}${"]".repeat(9_000)}` }), "settings_unusable"],
    ["sends without end", at({ spectacle: "endless" }), "settings_unusable"],
    ["sends a byte at a time", at({ spectacle: "slow_body" }), "provider_unanswered"],
    ["has no page to agree on", settingsFor({}), "no_synchronous_flow"],
    ["names a script as its page", settingsFor({ urlSyncUX: "javascript:alert(1)" }), "settings_unusable"],
    ["names a page without TLS", settingsFor({ urlSyncUX: "http://odd.test" }), "settings_unusable"],
    ["names a page with a user", settingsFor({ urlSyncUX: "https://a@odd.test" }), "settings_unusable"],
    ["names a page with a query", settingsFor({ urlSyncUX: "https://odd.test/?a" }), "settings_unusable"],
    ["names an address as its page", settingsFor({ urlSyncUX: "https://127.0.0.1/" }), "settings_unusable"],
    ["names an address to ask", settingsFor({ urlAPI: "https://169.254.169.254" }), "settings_unusable"],
    [
      "demands what we do not know",
      settingsFor({ urlSyncUX: "https://odd.test", crit: ["moon"], moon: 1 }),
      "settings_unusable",
    ],
  ])("%s", async (_, answers, reason) => {
    const { domain } = await customerOf({}, answers);
    expect(await offerFor(domain)).toMatchObject({ reason, apply_url: null });
  });

  it("is not there, or its record names nothing that may be asked", async () => {
    const reasons = ["https://dns.test/dc", "127.0.0.1:8443", "user@dns.test", "localhost", "dns.test?a", ""];
    const offers = await Promise.all(
      reasons.map(async (record) => {
        const host = await newHost();
        await registry.world.set(host, { domainConnect: [record] });
        return offerFor(host);
      }),
    );
    expect(offers.map(({ reason }) => reason)).toEqual(reasons.map(() => "record_unusable"));
    const none = await offerFor(await newHost());
    expect(none).toMatchObject({ state: "not_offered", reason: "no_domain_connect", apply_url: null });
    expect(none.records).toHaveLength(1);
    const silent = await newHost();
    await registry.world.set(silent, { dns: "servfail" });
    expect(await offerFor(silent)).toMatchObject({ state: "unknown", reason: "dns_failed" });
  });

  it("leads to a private address by its name", async () => {
    const { domain, provider } = await customerOf();
    await registry.world.set(provider, { addresses: ["10.0.0.1"] });
    expect(await offerFor(domain)).toMatchObject({ state: "unknown", reason: "provider_unanswered" });
  });
});

describe.concurrent("the templates", () => {
  it("are served one by one, as providers take them, with the key that signs", async () => {
    const { body } = await registry.getJson(PATH);
    expect(body).toMatchObject({
      is_offered: true,
      templates: [{ serviceId: "record" }],
    });
    for (const template of body.templates) {
      const { body: alone } = await registry.getJson(`${PATH}/${template.serviceId}`);
      expect(alone).toEqual(template);
      expect(alone).toMatchObject({ providerId: OUR_HOST, syncPubKeyDomain: OUR_HOST });
    }
    expect((await registry.getJson(`${PATH}/mail`)).body).toMatchObject({ status: 404, code: "not_found" });
  });

  it.each([
    ["pk=short", "/query/pk"],
    [`pk=${"A".repeat(43)}`, "/query/pk"],
    [`pk=${site.publicKey}&endpoint=https://other.example`, "/query/endpoint"],
    [`pk=${site.publicKey}&service=mail`, "/query/service"],
  ])("are filled with nothing unusable (%s)", async (query, pointer) => {
    const { body } = await registry.getJson(`/api/registry/sites/shop.example/domain-connect?${query}`);
    expect(body).toMatchObject({ status: 400, errors: [{ pointer }] });
  });
});

describe("the operator's key", () => {
  const open = (file: string | undefined, publicUrl = `https://${OUR_HOST}`) =>
    openRequestKey(readConfig({ BRIDGE_DOMAIN_CONNECT_KEY: file }), publicUrl);
  it("is needed, of RSA, and long enough; a mistake ends the start", () => {
    expect(open(undefined)).toBeUndefined();
    const der = execFileSync("openssl", ["rsa", "-in", keyFile, "-pubout", "-outform", "DER"], {
      stdio: "pipe",
    });
    const hash = createHash("sha256").update(der).digest("hex");
    expect(open(keyFile)).toMatchObject({ label: `_dckey-${hash.slice(0, 16)}` });
    const other = join(folder, "other.pem");
    writeFileSync(other, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
    for (const file of [other, join(folder, "none.pem"), folder])
      expect(() => open(file)).toThrow(ConfigError);
    expect(() => open(keyFile, `https://${"a".repeat(60)}.example`)).toThrow(/63 characters/);
  });
});
