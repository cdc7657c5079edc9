/** The evidence that a registry serves, checked by the SDK as a stranger does, over a synthetic web with signed zones. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bridge, type Seen, VerificationError } from "../../sdk/typescript/src/index.ts";
import { ensurePython } from "../support/python-sdk.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { registrationOf } from "../support/site-keys.ts";
import { type SignedDns, startSignedDns } from "./signed-dns.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const python = ensurePython();
/** Arguments: registry, host, trust anchors as JSON (null: those of the real root). */
const VERIFY = `
import json, sys
import agent_web_bridge as sdk
with sdk.Bridge(sys.argv[1], verify=sdk.VerifyOptions(trust_anchors=json.loads(sys.argv[3]))) as bridge:
    try:
        verified = bridge.verify(sys.argv[2])
        print(verified.dns, verified.dns_reason)
    except sdk.VerificationError as error:
        print("refused", error.step)
`;

let dns: SignedDns;
let registry: TestRegistry;
let signed: string;
let plain: string;
let bridge: Bridge;
beforeAll(async () => {
  dns = await startSignedDns();
  registry = await startRegistry({
    world: { sites: 6, soundShare: 0.6, seed: 31, ttlSeconds: 0, kinds: { unsigned: 1, rotated: 1 } },
    config: { BRIDGE_DNS_SERVERS: [{ address: dns.address, port: dns.port }] },
  });
  [signed, plain] = registry.world.hosts.filter(({ kind }) => kind === "sound").map(({ host }) => host) as [
    string,
    string,
  ];
  dns.serve(registry.world.dns, [signed]);
  await registry.crawl();
  bridge = new Bridge({ registry: registry.url });
});
afterAll(async () => {
  await registry?.stop();
  await dns?.close();
});

const hostOf = (kind: string): string => registry.world.hosts.find((site) => site.kind === kind)!.host;
async function refusedAt(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => expect.unreachable("it was verified"),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(VerificationError);
  return error.step;
}

describe("the evidence of a site", () => {
  it.skipIf("missing" in python)("proves it from the root of DNS, which Python checks", async () => {
    const asked = async (host: string, anchors: object[] | null) => {
      const args = ["-c", VERIFY, registry.url, host, JSON.stringify(anchors)];
      const env = { ...process.env, PYTHONPATH: join(ROOT, "sdk/python/src") };
      return (await run((python as { python: string }).python, args, { env })).stdout.trim();
    };
    expect(await asked(signed, [dns.anchor])).toBe("proven None");
    expect(await asked(plain, [dns.anchor])).toBe("unproven unsigned");
    expect(await asked(signed, null)).toBe("refused dns");
  });

  it("shows its document by a key of its TXT records", async () => {
    const verified = await bridge.verify(signed);
    const unchecked = { dns: "unproven", dnsReason: "not_checked_here" };
    expect(verified).toMatchObject({ domain: signed, ...unchecked, registered: false });
    expect(verified.endpoint).toContain(signed);
    expect(verified.document.provider).toMatchObject({ domain: signed });
    expect(verified.log).toMatchObject({ pinned: false, origin: expect.stringContaining("bridge-log") });
  });

  it("takes a domain in any spelling", async () => {
    expect((await bridge.verify(`${signed.toUpperCase()}.`)).domain).toBe(signed);
  });

  it("of a zone that is not signed is not proven, and says so", async () => {
    expect(await bridge.verify(plain)).toMatchObject({ dns: "unproven", dnsReason: "unsigned" });
    expect(await refusedAt(bridge.verify(plain, { requireDnssec: true }))).toBe("dns");
  });

  it("does not hold for a site that signed nothing", async () => {
    expect(await refusedAt(bridge.verify(hostOf("unsigned")))).toBe("signature");
  });

  it("holds the newest registration, with a log that only grows", async () => {
    const seen: Seen = { sites: {}, log: null };
    for (const host of [signed, plain, hostOf("rotated")]) {
      const reply = await registry.postJson("/api/ring4/register", registrationOf(registry, host));
      expect(reply.status).toBe(200);
      await registry.settled();
      const { registered, log } = await bridge.verify(signed, { seen });
      expect(registered).toBe(true);
      expect(seen.log).toMatchObject({ size: log.size, root: log.root });
    }
    // Verdicts are there too.
    expect(seen.log!.size).toBeGreaterThan(3);
    const logKey = (await (await fetch(`${registry.url}/.well-known/bridge-log/key`)).text()).trim();
    expect((await bridge.verify(signed, { seen, logKey })).log.pinned).toBe(true);
    const forked: Seen = { sites: {}, log: { ...seen.log!, size: 2, root: seen.log!.root } };
    expect(await refusedAt(bridge.verify(signed, { seen: forked }))).toBe("log");
    const beyond: Seen = { sites: {}, log: { ...seen.log!, size: seen.log!.size + 100 } };
    expect(await refusedAt(bridge.verify(signed, { seen: beyond }))).toBe("freshness");
  });

  it("is refused for names that are none, or unknown", async () => {
    expect((await registry.getJson("/api/registry/sites/nobody.test/evidence")).body.code).toBe(
      "site_not_registered",
    );
    expect((await registry.getJson("/api/registry/sites/no%20domain/evidence")).body.code).toBe(
      "invalid_domain",
    );
    expect((await registry.getJson(`/api/registry/sites/${signed}/evidence?log_size=0`)).body.code).toBe(
      "invalid_request",
    );
  });

  it("has the records in wire form, from the site's up to the root's", async () => {
    const { body } = await registry.getJson(`/api/registry/sites/${signed}/evidence`);
    const sets = body.dns.sets.map(({ owner, type }: { owner: string; type: number }) => `${type} ${owner}`);
    expect(sets).toEqual([
      `16 _bridge.${signed}`,
      `48 ${signed}`,
      `43 ${signed}`,
      "48 test",
      "43 test",
      "48 ",
    ]);
    expect(body.dns.reason).toBeNull();
  });
});
