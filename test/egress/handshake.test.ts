/** The handshake against a synthetic web: sound sites, and every way in which one is not. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openNamed } from "../../app/cli/handshake.ts";
import { type HandshakeOptions, makeHandshake, rememberHandshakes } from "../../src/egress/handshake.ts";
import type { Fetcher } from "../../src/ports/http.ts";
import type { SiteKind } from "../../world/kinds.ts";
import { bridge } from "../app/cli/run.ts";
import { createOwner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { keyOf } from "../support/site-keys.ts";

/** Kind of site, the step that fails, its code. */
const FAULTS = [
  ["no_txt", "dns", "no_txt"],
  ["revoked", "dns", "key_revoked"],
  ["dns_servfail", "dns", "dns_failed"],
  ["txt_ambiguous", "dns", "txt_ambiguous"],
  ["txt_doubled_tag", "dns", "txt_invalid"],
  ["txt_foreign_endpoint", "dns", "txt_invalid"],
  ["no_document", "document", "document_missing"],
  ["redirect_to_private", "document", "document_missing"],
  ["private_address", "document", "document_unreachable"],
  ["tls_wrong_name", "document", "document_unreachable"],
  ["huge_body", "document", "document_unreachable"],
  ["unsigned", "signature", "unsigned"],
  ["forged", "signature", "signature_invalid"],
  ["wrong_key", "signature", "signature_invalid"],
  ["document_tampered", "signature", "document_mismatch"],
  ["domain_mismatch", "signature", "domain_mismatch"],
  ["expired", "signature", "manifest_expired"],
  ["not_yet_valid", "signature", "manifest_not_yet_valid"],
  ["garbage_json", "signature", "document_invalid"],
] as const satisfies readonly (readonly [SiteKind, string, string])[];

let registry: TestRegistry;
let outgoing: ReturnType<typeof openNamed>;
const options = (more: Partial<HandshakeOptions> = {}): HandshakeOptions => ({
  registryUrl: registry.url,
  ...more,
});
function ports() {
  const { resolver, fetcher } = registry.runtime;
  return { resolver, fetcher, registry: outgoing.fetcher, now: () => Date.now() };
}
const hostOf = (kind: SiteKind): string => registry.world.hosts.find((site) => site.kind === kind)!.host;

beforeAll(async () => {
  registry = await startRegistry({
    world: {
      sites: FAULTS.length + 4,
      soundShare: 4 / (FAULTS.length + 4),
      seed: 31,
      ttlSeconds: 0,
      kinds: Object.fromEntries(FAULTS.map(([kind]) => [kind, 1])),
    },
    roles: ["trust", "accounts", "protocol"],
  });
  outgoing = openNamed(registry.config, registry.url);
});
afterAll(async () => {
  await outgoing?.close();
  await registry?.stop();
});

describe("a handshake", () => {
  it("with a sound site is eight steps, and trust that ends", async () => {
    const host = hostOf("sound");
    const { steps, trust } = await makeHandshake(host, ports(), options());
    expect(steps.map(({ number, step, state }) => `${number} ${step} ${state}`)).toEqual([
      "1 dns done",
      "2 document done",
      "3 signature done",
      "4 trust_profile done",
      "5 invariants done",
      "6 trust_headers skipped",
      "7 log skipped",
      "8 expiry done",
    ]);
    expect(trust).toMatchObject({
      kid: keyOf(registry, host).kid,
      serial: 7,
      profile: { ttl_seconds: 3_600 },
    });
    expect(trust!.invariants[0]!.id).toBe("hard-boundaries");
    expect(trust!.usableUntilMs).toBeLessThanOrEqual(trust!.expiresAtMs);
  });

  it.each(FAULTS)("with a site that is %s ends at %s: %s", async (kind, step, code) => {
    const { steps, trust } = await makeHandshake(hostOf(kind), ports(), options());
    expect(trust).toBeUndefined();
    expect(steps.filter(({ state }) => state === "failed")).toMatchObject([{ step, code }]);
    // Nothing after it but the log, which tells the truth where there is one.
    expect(steps.at(-1)!.step).toBe("log");
  });

  it("says who the agent is and logs what came of it", async () => {
    const host = hostOf("sound");
    const project = await createOwner(registry).project();
    const agent = { domain: host, privateKey: keyOf(registry, host).privateKey };
    const good = await makeHandshake(host, ports(), options({ agent, project }));
    expect(good.steps.map(({ state }) => state)).toEqual(Array(8).fill("done"));
    const bad = await makeHandshake(hostOf("forged"), ports(), options({ agent, project }));
    expect(bad.trust).toBeUndefined();
    const { body } = await registry.getJson(`/api/ring4/log/${project.id}`);
    expect(body.events).toMatchObject([
      { domain: host, event_type: "recognize", outcome: "success" },
      { domain: hostOf("forged"), event_type: "refuse", outcome: "refused" },
    ]);
    const refused = await makeHandshake(host, ports(), options({ project: { ...project, key: "wrong" } }));
    expect(refused.steps.find(({ step }) => step === "log")).toMatchObject({
      state: "failed",
      code: "authentication_required",
    });
  });

  it("binds only invariants that are what their hash names, and that the manifest names", async () => {
    const { body } = await registry.getJson("/api/ring4/invariants");
    /** A registry that lies. */
    const saying = (reply: unknown): Pick<Fetcher, "fetch"> => ({
      fetch: async (url, more) => {
        const real = await outgoing.fetcher.fetch(url, more);
        return real.ok ? { ...real, body: Buffer.from(JSON.stringify(reply)) } : real;
      },
    });
    const softened = { ...body, invariants: body.invariants.slice(1) };
    for (const lie of [softened, { ...body, sha256: "0".repeat(64) }, {}, "x"]) {
      const { steps, trust } = await makeHandshake(
        hostOf("sound"),
        { ...ports(), registry: saying(lie) },
        options(),
      );
      expect(trust).toBeUndefined();
      expect(steps).toContainEqual(
        expect.objectContaining({ step: "invariants", state: "failed", code: "invariants_invalid" }),
      );
    }
    const away = await makeHandshake(
      hostOf("sound"),
      ports(),
      options({ registryUrl: "http://127.0.0.1:1" }),
    );
    expect(away.steps.at(-2)).toMatchObject({ step: "invariants", code: "invariants_unreachable" });
  });

  it("is made again when it ends, takes a rotated key, and no manifest of before", async () => {
    const { host } = await registry.world.add("sound");
    let nowMs = Date.now();
    const remembered = rememberHandshakes({ ...ports(), now: () => nowMs }, options());
    const ttl = { ...ports(), now: () => nowMs };
    const kept = rememberHandshakes(
      // A record that may be kept for a minute.
      {
        ...ttl,
        resolver: {
          txt: async (name, signal) => {
            const answer = await ttl.resolver.txt(name, signal);
            return answer.outcome === "found" ? { ...answer, ttlSeconds: 60 } : answer;
          },
        },
      },
      options(),
    );
    const first = await kept.with(host);
    expect(await kept.with(host)).toBe(first);
    nowMs += 61_000;
    expect(await kept.with(host)).not.toBe(first);

    expect((await remembered.with(host)).trust).toBeDefined();
    await registry.world.set(host, { txt: "old_and_new", serial: 8 });
    expect((await remembered.with(host)).trust?.serial).toBe(8);
    await registry.world.set(host, { serial: 7 });
    expect((await remembered.with(host)).steps).toContainEqual(
      expect.objectContaining({ step: "signature", code: "serial_lowered" }),
    );
    await registry.world.set(host, { txt: "revoked" });
    expect((await remembered.with(host)).steps[0]).toMatchObject({ step: "dns", code: "key_revoked" });
  });
});

describe("the command line", () => {
  let folder: string;
  let settings: Record<string, string>;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "bridge-test-handshake-"));
    const { world, config } = registry;
    settings = {
      BRIDGE_DNS_SERVERS: `${world.dns.address}:${world.dns.port}`,
      BRIDGE_EGRESS_ALLOW: `${world.network}:${world.port}`,
      NODE_EXTRA_CA_CERTS: world.caFile,
      PORT: String(config.PORT),
    };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("shows the eight steps, which failed and why", async () => {
    const host = hostOf("sound");
    writeFileSync(join(folder, "agent.pem"), keyOf(registry, host).privateKey);
    const good = await bridge(["handshake", host, "--as", host, "--key", "agent.pem"], settings, folder);
    expect(good.out).toMatch(
      /✓ 1 dns .*\n✓ 2 document .*\n✓ 3 signature .*\n✓ 4 trust_profile .*\n✓ 5 invariants .*\n✓ 6 trust_headers .*\n– 7 log .*\n✓ 8 expiry .*\n.* is trusted until /,
    );
    expect(good.code).toBe(0);
    const bad = await bridge(["handshake", hostOf("forged")], settings);
    expect(bad.out).toMatch(
      /✗ 3 signature +signature_invalid: .*\n– 7 log .*\n {2}4 trust_profile +not reached/,
    );
    expect(bad.code).toBe(1);
    expect(await bridge(["handshake", host, "--as", host], settings)).toMatchObject({ code: 2, out: "" });
  });

  it("registers a domain, and checks the log it stands in, there and from a copy", async () => {
    const host = hostOf("sound");
    writeFileSync(join(folder, "site.pem"), keyOf(registry, host).privateKey);
    const signed = await bridge(
      ["register", host, "--key", "site.pem", "--capability", "read", "order"],
      {},
      folder,
    );
    expect(signed.code).toBe(0);
    const registered = await registry.postJson("/api/ring4/register", signed.out);
    expect(registered).toMatchObject({ status: 200, body: { domain: host } });
    writeFileSync(join(folder, "earlier"), registered.body.checkpoint);
    const again = await bridge(["register", host, "--key", "site.pem"], {}, folder);
    await registry.postJson("/api/ring4/register", again.out);

    const log = `${registry.url}/.well-known/bridge-log`;
    const args = ["log", "verify", log, "--earlier", "earlier", "--save", "copy"];
    const there = await bridge(args, settings, folder);
    expect(there.out).toContain("The copy is complete and its key signed it.");
    expect(there.err).toContain("The key came with the copy");
    expect(there.code).toBe(0);

    const key = readFileSync(join(folder, "copy/key"), "utf8").trim();
    const offline = await bridge(["log", "verify", "copy", "--key", key, "--earlier", "earlier"], {}, folder);
    expect(offline).toMatchObject({ code: 0, err: "" });
    const [size] = readFileSync(join(folder, "copy/checkpoint"), "utf8").split("\n").slice(1);
    const tile = join(folder, `copy/tile/0/000.p/${size}`);
    const bytes = readFileSync(tile);
    bytes[0]! ^= 1;
    writeFileSync(tile, bytes);
    const tampered = await bridge(["log", "verify", "copy", "--key", key], {}, folder);
    expect(tampered.code).toBe(1);
    expect(tampered.out).toContain(`✗ tile/0/000.p/${size}: hash 0 is not that of entry 0 in this copy.`);
    mkdirSync(join(folder, "empty"));
    expect(await bridge(["log", "verify", "empty"], {}, folder)).toMatchObject({ code: 1 });
  });
});
