/** Ring 4 on a synthetic web: registration with proof, what becomes of it, trust headers, the public log. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { erase } from "../../app/cli/erase.ts";
import { verifyLog } from "../../app/cli/log.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { encodeBase64Url } from "../../src/domain/protocols/base64url.ts";
import { generateKey, sign } from "../../src/domain/trust/ed25519.ts";
import { invariantsSha256 } from "../../src/domain/trust/invariants.ts";
import { auditCopy } from "../../src/domain/trust/tlog/audit.ts";
import { commitmentOf } from "../../src/domain/trust/tlog/committed-leaf.ts";
import { parseNoteKey } from "../../src/domain/trust/tlog/note.ts";
import { trustHeaders } from "../../src/domain/trust/trust-headers.ts";
import type { SiteKind } from "../../world/kinds.ts";
import { askJson } from "../support/json.ts";
import { createOwner, type Owner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { keyOf, registrationOf } from "../support/site-keys.ts";

const PUBLIC_URL = "https://registry.example";

let registry: TestRegistry;
let base: string;
let owner: Owner;
beforeAll(async () => {
  registry = await startRegistry({
    world: {
      sites: 24,
      soundShare: 0.5,
      seed: 21,
      // No answer of DNS is kept: what an owner changes is seen at once.
      ttlSeconds: 0,
      kinds: { rotated: 3, unsigned: 2, revoked: 2, no_txt: 2, expired: 2, forged: 2 },
    },
    config: { BRIDGE_PUBLIC_URL: PUBLIC_URL },
  });
  base = registry.url;
  owner = createOwner(registry);
  await registry.crawl();
});
afterAll(() => registry?.stop());

const hostsOf = (kind: SiteKind): string[] =>
  registry.world.hosts.filter((site) => site.kind === kind).map(({ host }) => host);
const hostOf = (kind: SiteKind, index = 0): string => hostsOf(kind)[index]!;

async function ask(path: string, body?: unknown, headers: Record<string, string> = {}, at = base) {
  const response = await fetch(at + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

async function visitAgain(...hosts: string[]) {
  const { frontier, broker } = registry.runtime;
  await Promise.all(hosts.map((host) => frontier.bringForward(host, broker.now())));
  await registry.settled();
}

/** What the directory says of a host; undefined where it is not listed. */
const ringOf = async (host: string): Promise<number | undefined> =>
  (await ask(`/api/discovery/registry?domain=${host}`)).body.listings[0]?.trust_ring;

describe("a registration", () => {
  it("without a proof is refused with what to sign, which then is enough", async () => {
    const host = hostOf("sound");
    const wanted = { domain: host, capabilities: ["read"] };
    const refused = await ask("/api/ring4/register", wanted);
    expect(refused).toMatchObject({ status: 403, body: { code: "proof_required" } });
    const text = /over these UTF-8 bytes: (.*)$/.exec(refused.body.detail)![1]!;
    expect(text).toBe(`{"capabilities":["read"],"domain":"${host}"}`);
    const proof = encodeBase64Url(sign(keyOf(registry, host).privateKey, Buffer.from(text)));
    const { status, body } = await ask("/api/ring4/register", { ...wanted, proof });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { domain: host, leaf_index: expect.any(Number) },
    });
    // It counts with the next visit, and until then both operations say so.
    const { trust_ring, trust_score } = body;
    if (body.status === "pending") expect(trust_ring).toBe(3);
    await registry.settled();
    const after = (await ask(`/api/ring4/status/${host}`)).body;
    expect(after).toMatchObject({ trust_ring: 4, status: "registered" });
    expect(after.trust_score).toBeGreaterThanOrEqual(trust_score);
  });

  it("by any other key, or over anything else, is refused", async () => {
    const host = hostOf("sound", 1);
    const other = registrationOf(registry, hostOf("sound"));
    const wrong = [
      registrationOf(registry, host, {}, generateKey()),
      { ...registrationOf(registry, host), capabilities: ["everything"] },
      { ...other, domain: host },
      registrationOf(registry, host, {}, keyOf(registry, host, "previous")),
      registrationOf(registry, host.toUpperCase(), {}, keyOf(registry, host)),
    ];
    for (const body of wrong)
      expect(await ask("/api/ring4/register", body)).toMatchObject({
        status: 403,
        body: { code: "proof_required" },
      });
    expect(await ask(`/api/ring4/status/${host}`)).toMatchObject({
      status: 404,
      body: { code: "not_registered" },
    });
  });

  it.each([
    ["no_txt", "no_txt"],
    ["revoked", "key_revoked"],
  ] as const)("of a site that is %s is refused: there is no key to prove it by", async (kind, reason) => {
    const host = hostOf(kind);
    const { status, body } = await ask("/api/ring4/register", registrationOf(registry, host));
    expect([status, body.code]).toEqual([403, "proof_required"]);
    expect(body.detail).toContain(reason);
  });

  it.each(["unsigned", "expired", "forged"] as const)(
    "of a site that is %s waits until it is ring 3, and then is ring 4",
    async (kind) => {
      const host = hostOf(kind);
      const { status, body } = await ask("/api/ring4/register", registrationOf(registry, host));
      expect([status, body.status]).toEqual([200, "pending"]);
      expect(body.trust_ring).toBeLessThan(3);
      await registry.world.set(host, { kind: "sound", serial: 8 });
      await visitAgain(host);
      expect(await ask(`/api/ring4/status/${host}`)).toMatchObject({
        status: 200,
        body: { trust_ring: 4, status: "registered", ttl_seconds: 3600, constraints: ["no-resale"] },
      });
    },
  );

  it("shows in the directory, in discover and in search, and nowhere for others", async () => {
    await registry.settled();
    const listed = await ask("/api/discovery/registry?limit=200&trust_ring=4");
    const domains = listed.body.listings.map(({ domain }: { domain: string }) => domain).sort();
    expect(domains).toEqual(
      [hostOf("sound"), hostOf("unsigned"), hostOf("expired"), hostOf("forged")].sort(),
    );
    expect(listed.body.listings.every((one: { trust_ring: number }) => one.trust_ring === 4)).toBe(true);
    const found = await ask("/api/registry/discover?trust_ring=4&limit=100");
    expect(found.body.peers.map(({ domain }: { domain: string }) => domain).sort()).toEqual(domains);
    const { words } = registry.world.hosts.find(({ host }) => host === hostOf("sound"))!;
    const searched = await ask(`/api/discovery/search?q=${words.description}&trust_ring=4`);
    expect(searched.body.results[0]).toMatchObject({ domain: hostOf("sound"), trust_ring: 4 });
    expect(searched.body.results[0].trust_score).toBeGreaterThan(50);
  });

  it("that is older than the last one is refused, and the same again changes nothing", async () => {
    const host = hostOf("sound", 2);
    const signed = registrationOf(registry, host, { issued_at: "2026-02-01T00:00:00.000Z" });
    const first = await ask("/api/ring4/register", signed);
    expect(first.status).toBe(200);
    const before = await ask("/.well-known/bridge-log/checkpoint");
    expect((await ask("/api/ring4/register", signed)).body.leaf_index).toBe(first.body.leaf_index);
    expect((await ask("/.well-known/bridge-log/checkpoint")).body).toBe(before.body);
    for (const issued_at of ["2026-01-01T00:00:00.000Z", undefined])
      expect(
        await ask("/api/ring4/register", registrationOf(registry, host, { ...(issued_at && { issued_at }) })),
      ).toMatchObject({ status: 409, body: { code: "proof_outdated" } });
  });

  it("cannot be made to say again what its owner said before, whoever sends the old proof", async () => {
    const host = hostOf("sound", 3);
    const said = registrationOf(registry, host, { capabilities: ["read", "pay"] });
    expect((await ask("/api/ring4/register", said)).status).toBe(200);
    const less = registrationOf(registry, host, { capabilities: ["read"] });
    expect((await ask("/api/ring4/register", less)).status).toBe(200);
    expect(await ask("/api/ring4/register", said)).toMatchObject({
      status: 409,
      body: { code: "proof_outdated" },
    });
    expect((await ask(`/api/ring4/status/${host}`)).body.capabilities).toEqual(["read"]);
    expect((await ask("/api/ring4/register", less)).status).toBe(200);
  });
});

describe("a time of the future", () => {
  const YEAR_9999 = "9999-12-31T23:59:59.000Z";

  it("is not taken in a registration, and nothing is logged of it", async () => {
    const host = hostOf("sound", 4);
    const before = await ask("/.well-known/bridge-log/checkpoint");
    const late = new Date(Date.now() + 120_000).toISOString();
    for (const issued_at of [YEAR_9999, late]) {
      const refused = await ask("/api/ring4/register", registrationOf(registry, host, { issued_at }));
      expect(refused).toMatchObject({ status: 400, body: { code: "invalid_time" } });
      expect(refused.body.detail).toMatch(/60 s ahead .*: sign again, with the current time\.$/);
    }
    expect((await ask("/.well-known/bridge-log/checkpoint")).body).toBe(before.body);
    expect((await ask(`/api/ring4/status/${host}`)).body.code).toBe("not_registered");
  });
});

describe("a serial as high as can be", () => {
  it("signed with the key that was lost does not keep the owner out", async () => {
    const host = hostOf("rotated", 2);
    await registry.world.set(host, { txt: "valid" });
    const { sites } = registry.runtime;
    /** The record of a visit that saw the change: another may have been under way when it was made. */
    const seen = (reason: string, serial: number) =>
      expect
        .poll(
          async () => {
            await visitAgain(host);
            return (await sites.get(hostKey(host)))!.value;
          },
          { timeout: 15_000 },
        )
        .toMatchObject({ reason, serial });
    const highest = Number.MAX_SAFE_INTEGER;
    await registry.world.set(host, { serial: highest, edition: 2 });
    await seen("verified", highest);
    // The same key: the serial holds.
    await registry.world.set(host, { serial: 8, edition: 3 });
    await seen("serial_lowered", highest);
    const lost = (await sites.get(hostKey(host)))!.value;
    await sites.put(hostKey(host), { ...lost, kid: keyOf(registry, host, "previous").kid });
    await seen("verified", 8);
  });
});

describe("a registered site", () => {
  it("whose key is rotated is ring 4 while both stand, and again once the new one registers", async () => {
    const host = hostOf("rotated");
    const previous = keyOf(registry, host, "previous");
    await ask("/api/ring4/register", registrationOf(registry, host, {}, previous));
    await visitAgain(host);
    expect((await ask(`/api/ring4/status/${host}`)).body).toMatchObject({
      trust_ring: 4,
      status: "registered",
    });
    await registry.world.set(host, { txt: "valid" });
    // DNS is asked at once; the ring follows with the next visit, which this question brings forward.
    expect((await ask(`/api/ring4/status/${host}`)).body.status).toBe("key_replaced");
    await registry.settled();
    await expect.poll(() => ringOf(host)).toBe(3);
    expect((await ask(`/api/ring4/status/${host}`)).body.trust_ring).toBe(3);
    await ask("/api/ring4/register", registrationOf(registry, host));
    await registry.settled();
    expect(await ringOf(host)).toBe(4);
    const { body } = await ask(`/api/ring4/status/${host}`);
    expect(body.history.map(({ event, kid }: { event: string; kid: string }) => [event, kid])).toEqual([
      ["registered", previous.kid],
      ["renewed", keyOf(registry, host).kid],
    ]);
  });

  it("that is revoked, expires or loses its signature is ring 4 no more, and leaves the directory", async () => {
    const ends = [
      { change: { txt: "revoked" }, status: "revoked" },
      { change: { document: "unsigned" }, status: "lapsed" },
      { change: { document: "tampered" }, status: "lapsed" },
    ] as const;
    const hosts = await Promise.all(ends.map(async () => (await registry.world.add("sound")).host));
    const statuses = async () =>
      Promise.all(hosts.map(async (host) => (await ask(`/api/ring4/status/${host}`)).body.status));
    const rings = () => Promise.all(hosts.map(ringOf));
    await registry.crawl(hosts);
    await Promise.all(hosts.map((host) => ask("/api/ring4/register", registrationOf(registry, host))));
    await registry.settled();
    expect(await rings()).toEqual([4, 4, 4]);
    await Promise.all(hosts.map((host, i) => registry.world.set(host, ends[i]!.change)));
    await visitAgain(...hosts);
    expect(await statuses()).toEqual(ends.map(({ status }) => status));
    expect(await rings()).toEqual([undefined, undefined, undefined]);
    await Promise.all(hosts.map((host) => registry.world.set(host, { kind: "sound", serial: 9 })));
    await visitAgain(...hosts);
    expect(await rings()).toEqual([4, 4, 4]);
  });
});

describe("trust headers", () => {
  const signed = (
    path: string,
    body?: unknown,
    more: { authority?: string; domain?: string; atMs?: number } = {},
  ) => {
    const domain = more.domain ?? hostOf("sound");
    return trustHeaders(
      {
        method: body === undefined ? "GET" : "POST",
        authority: more.authority ?? new URL(PUBLIC_URL).host,
        target: path,
        body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
      },
      { domain, privateKey: keyOf(registry, domain).privateKey },
      more.atMs ?? Date.now(),
    );
  };

  it("are optional, and right ones change nothing", async () => {
    expect((await ask("/api/bridge/ping", undefined, signed("/api/bridge/ping"))).status).toBe(200);
    const body = { domain: hostOf("sound"), message: "x", signature: "A".repeat(86) };
    expect((await ask("/api/ring4/verify", body, signed("/api/ring4/verify", body))).status).toBe(200);
    expect((await ask("/docs", undefined, signed("/docs"))).status).toBe(200);
  });

  it("that are wrong are 401, each fault by its code", async () => {
    const path = "/api/bridge/ping";
    const good = signed(path);
    const { "x-bridge-signature": _, ...incomplete } = good;
    const faults: [Record<string, string>, string][] = [
      [incomplete, "trust_headers_invalid"],
      [signed(path, undefined, { atMs: Date.now() - 62_000 }), "trust_nonce_expired"],
      [signed(path, undefined, { atMs: Date.now() + 62_000 }), "trust_nonce_expired"],
      [signed(path, undefined, { authority: "other.example" }), "trust_signature_wrong"],
      [signed("/api/bridge/search"), "trust_signature_wrong"],
      [{ ...good, "x-bridge-trust-domain": hostOf("sound", 1) }, "trust_signature_wrong"],
      [signed(path, undefined, { domain: hostOf("no_txt") }), "trust_key_unknown"],
      [signed(path, undefined, { domain: hostOf("revoked") }), "trust_key_unknown"],
    ];
    for (const [headers, code] of faults)
      expect(await ask(path, undefined, headers), code).toMatchObject({ status: 401, body: { code } });
    const other = { domain: hostOf("sound"), message: "x", signature: "A".repeat(86) };
    const headers = signed("/api/ring4/verify", other);
    expect(await ask("/api/ring4/verify", { ...other, message: "z" }, headers)).toMatchObject({
      status: 401,
      body: { code: "trust_signature_wrong" },
    });
  });

  it("are good once, at whichever front", async () => {
    const second = await startRegistry({
      join: registry,
      roles: [],
      config: { BRIDGE_PUBLIC_URL: PUBLIC_URL },
    });
    const other = second.url;
    const headers = signed("/api/bridge/ping");
    const answers = await Promise.all(
      [base, other, base, other].map((at) => ask("/api/bridge/ping", undefined, headers, at)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    expect(answers.find(({ status }) => status === 401)!.body.code).toBe("trust_nonce_replayed");
    await second.stop();
  });

  it("of invented domains cost one network so many look-ups a minute, and known signers none", async () => {
    const front = await startRegistry({
      join: registry,
      ownPrefix: true,
      roles: ["protocol"],
      config: { BRIDGE_PUBLIC_URL: PUBLIC_URL },
    });
    const path = "/api/bridge/ping";
    const right = () => ask(path, undefined, signed(path), front.url);
    expect((await right()).status).toBe(200);
    const invented = await Promise.all(
      Array.from({ length: 130 }, (_, i) =>
        ask(path, undefined, { ...signed(path), "x-bridge-trust-domain": `invented-${i}.test` }, front.url),
      ),
    );
    const codes = new Map<string, number>();
    for (const { body } of invented) codes.set(body.code, (codes.get(body.code) ?? 0) + 1);
    expect([...codes.keys()].sort()).toEqual(["rate_limited", "trust_key_unknown"]);
    // One look-up was the right one's; a minute may end between two of them.
    if (new Date().getUTCSeconds() > 5) expect(codes.get("trust_key_unknown")).toBe(119);
    expect((await right()).status).toBe(200);
    await front.stop();
  });
});

describe("an agent's log", () => {
  const entry = { domain: "shop.example", event_type: "recognize", outcome: "success" };

  it("takes entries of the project whose key is sent, and of no other", async () => {
    const [mine, other] = [await owner.project(), await owner.project()];
    const write = (body: object, key?: string) =>
      ask("/api/ring4/log", body, key ? { authorization: `Bearer ${key}` } : {});
    expect(await write({ ...entry, project_id: mine.id })).toMatchObject({ status: 401 });
    expect(await write({ ...entry, project_id: mine.id }, other.key)).toMatchObject({
      status: 403,
      body: { code: "permission_denied" },
    });
    for (const wrong of [
      { event_type: "ate" },
      { outcome: "fine" },
      { domain: "127.0.0.1" },
      { project_id: "x" },
    ])
      expect((await write({ ...entry, project_id: mine.id, ...wrong }, mine.key)).status).toBe(400);
    const written = await Promise.all(
      Array.from({ length: 5 }, () => write({ ...entry, project_id: mine.id }, mine.key)),
    );
    expect(written.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const { body } of written) {
      const size = Number(body.checkpoint.split("\n")[1]);
      expect(size).toBeGreaterThan(body.leaf_index);
    }
    const first = await ask(`/api/ring4/log/${mine.id}?limit=3`);
    expect(first.body).toMatchObject({ project_id: mine.id, count: 3 });
    expect(first.body.events[0]).toMatchObject({ ...entry, leaf_index: expect.any(Number) });
    const rest = await ask(`/api/ring4/log/${mine.id}?limit=3&cursor=${first.body.next_cursor}`);
    expect(rest.body).toMatchObject({ count: 2, next_cursor: null });
    const ids = [...first.body.events, ...rest.body.events].map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual(written.map(({ body }) => body.id).sort());
    expect((await ask(`/api/ring4/log/${other.id}`)).body).toMatchObject({ count: 0, events: [] });
    expect((await ask(`/api/ring4/log/${mine.id}?cursor=nowhere`)).body.code).toBe("invalid_cursor");
    const { headers } = await askJson(`${base}/api/ring4/log`, {
      body: { ...entry, project_id: mine.id },
      token: mine.key,
    });
    expect(headers.get("ratelimit-policy")).toBe('"log";q=600;w=60');
  });

  it("is bounded by the minute", async () => {
    const { id, key } = await owner.project();
    await registry.runtime.broker.counters.add("minute", `ring4-log.${id}`, 600);
    const refused = await ask(
      "/api/ring4/log",
      { ...entry, project_id: id },
      { authorization: `Bearer ${key}` },
    );
    // The minute may turn between the two.
    if (refused.status !== 200)
      expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    else expect((await registry.runtime.broker.counters.read("minute", `ring4-log.${id}`)) < 600).toBe(true);
  });
});

describe("the public log", () => {
  it("is what its key signed, every entry and tile of it", async () => {
    const read = async (path: string) => {
      const response = await fetch(`${base}/.well-known/bridge-log/${path}`);
      return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
    };
    const key = parseNoteKey(((await ask("/.well-known/bridge-log/key")).body as string).trim());
    const report = await auditCopy(read, { key: key! });
    expect(report.faults).toEqual([]);
    expect(report.entries).toBeGreaterThanOrEqual(6);
    expect(report.checkpoint?.origin).toBe("registry.example/.well-known/bridge-log");
  });

  it("has no tile that is not there, and no other file", async () => {
    for (const path of ["tile/0/001", "tile/0/x001/000", "tile/9/000.p/1", "tile/0/../key", "tile/", "other"])
      expect((await ask(`/.well-known/bridge-log/${path}`)).status, path).toBe(404);
  });
});

describe("the invariants", () => {
  it("are named by their hash, and begin with the boundaries that trust does not override", async () => {
    const { body } = await ask("/api/ring4/invariants");
    expect(body.sha256).toBe(invariantsSha256(body));
    expect(body.invariants[0].description).toBe(
      "Trust softens refusals but never overrides hard constitutional boundaries.",
    );
  });
});

describe("a signature", () => {
  it("is checked by any key that the domain has now", async () => {
    const host = hostOf("rotated", 1);
    const verify = (message: string, key = keyOf(registry, host), domain = host) =>
      ask("/api/ring4/verify", {
        domain,
        message,
        signature: encodeBase64Url(sign(key.privateKey, Buffer.from(message))),
      });
    for (const which of ["current", "previous"] as const) {
      const key = keyOf(registry, host, which);
      expect((await verify("hello", key)).body).toEqual({
        valid: true,
        key: key.kid,
        reason: "signature_right",
      });
    }
    expect((await verify("hello", generateKey())).body).toMatchObject({
      valid: false,
      reason: "signature_wrong",
    });
    expect((await verify("hello", keyOf(registry, host), hostOf("revoked"))).body).toMatchObject({
      valid: false,
      reason: "key_revoked",
    });
  });
});

describe("an entry that an operator takes away", () => {
  const entryAt = (index: number) => ask(`/.well-known/bridge-log/entry/${index}`);

  it("is 410 where its leaf commits to it, listed with its reason, and leaves every proof as it was", async () => {
    const { id, key } = await owner.project();
    const said = { project_id: id, domain: "shop.example", event_type: "recognize", outcome: "success" };
    const { body } = await ask("/api/ring4/log", said, { authorization: `Bearer ${key}` });
    const shown = (await entryAt(body.leaf_index)).body;
    expect(JSON.parse(shown.entry)).toMatchObject({ kind: "interaction", project_id: id });
    expect(shown.leaf).toBe(
      `{"commitment":"${commitmentOf(Buffer.from(shown.salt, "base64"), Buffer.from(shown.entry))}","v":2}`,
    );
    const before = (await ask("/.well-known/bridge-log/checkpoint")).body;
    const config = { ...registry.config, BRIDGE_NATS_URL: inject("natsUrl") };
    await erase(config, body.leaf_index, { why: "a name, on request" });
    await expect(erase(config, 1_000_000, { why: "none" })).rejects.toMatchObject({ exitCode: 4 });
    await expect
      .poll(() => entryAt(body.leaf_index))
      .toMatchObject({ status: 410, body: { code: "entry_erased" } });
    expect((await ask(`/api/ring4/log/${id}`)).body).toMatchObject({ count: 0, erased: [body.leaf_index] });
    const { erasures } = (await ask("/.well-known/bridge-log/erasures")).body;
    expect(erasures).toContainEqual(
      expect.objectContaining({ leaf_index: body.leaf_index, form: "erased", why: "a name, on request" }),
    );
    expect((await ask("/.well-known/bridge-log/checkpoint")).body).toBe(before);
    const { operator_audit: audit } = registry.runtime.broker.buckets;
    const acts: string[] = [];
    for await (const entry of audit.keys()) acts.push((await audit.get(entry))!.text());
    expect(acts).toContainEqual(expect.stringMatching(/"action":"erase".*"outcome":"done"/));
  });

  it("is 451 where its leaf is the entry itself, with the bundle around it; the copy verifies by hashes", async () => {
    const log = await registry.runtime.transparency();
    const { leafIndex } = await log.append({ kind: "certificate" }, randomUUID(), Buffer.from('{"older":1}'));
    expect((await entryAt(leafIndex)).body).toMatchObject({ leaf: '{"older":1}', salt: null });
    const config = { ...registry.config, BRIDGE_NATS_URL: inject("natsUrl") };
    await erase(config, leafIndex, { why: "by law" });
    await expect
      .poll(() => entryAt(leafIndex))
      .toMatchObject({ status: 451, body: { code: "entry_blocked" } });
    const bundle = await ask(`/.well-known/bridge-log/tile/entries/000.p/${leafIndex + 1}`);
    expect(bundle).toMatchObject({ status: 451, body: { code: "entry_blocked" } });
    expect((await entryAt(leafIndex - 1)).status).not.toBe(451);
    const source = `${base}/.well-known/bridge-log`;
    expect(await verifyLog(registry.config, source, { json: true })).toBe(0);
  });
});
