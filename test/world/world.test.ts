import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { request } from "node:https";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { Beacon } from "../../schemas/peer.ts";
import { verifyDocument } from "../../src/domain/trust/manifest.ts";
import { selectRecords } from "../../src/domain/trust/txt-record.ts";
import { getFromWorld, resolverOf } from "../../world/client.ts";
import type { SiteKind } from "../../world/kinds.ts";
import { type SiteSpec, startWorld, type World } from "../../world/world.ts";

let world: World;
const kinds = { sound: 1 } as const;

beforeAll(async () => {
  world = await startWorld({ seed: 7, sites: 200 });
});
afterAll(() => world.stop());

const any = (): SiteSpec => world.hosts.find(({ kind }) => kind === "sound")!;
const ofKind = (kind: SiteKind): SiteSpec => world.add(kind);

/** What the project's rules say of a site as it is on the wire. */
async function verdict(site: SiteSpec) {
  const texts = (await resolverOf(world).resolveTxt(`_bridge.${site.host}`)).map((strings) =>
    strings.join(""),
  );
  const txt = selectRecords(texts, site.host);
  const { body } = await getFromWorld(world, site, "/.well-known/bridge.json");
  const verified = verifyDocument(body, {
    domain: site.host,
    txt: txt.ok ? txt : null,
    nowMs: Date.now(),
    previousSerial: null,
  });
  return { txt: txt.ok ? "ok" : txt.reason, verified };
}

describe("the zone", () => {
  it("resolves each site to an address of its own", async () => {
    const resolver = resolverOf(world);
    const sites = world.hosts.slice(0, 20);
    const found = await Promise.all(sites.map(async ({ host }) => (await resolver.resolve4(host))[0]));
    expect(found).toEqual(sites.map(({ address }) => address));
    expect(new Set(found).size).toBe(world.ownAddresses ? 20 : 1);
  });

  it("spreads neighbouring sites over networks", () => {
    const networks = new Set(world.hosts.map(({ address }) => address.split(".").slice(0, 2).join(".")));
    expect(networks.size).toBe(world.ownAddresses ? 200 : 1);
    expect(networks.has("127.0")).toBe(!world.ownAddresses);
  });

  it("ignores the case of a question", async () => {
    const { host, address } = any();
    expect(await resolverOf(world).resolve4(host.toUpperCase())).toEqual([address]);
  });

  it("knows NXDOMAIN from a name without such a record", async () => {
    const resolver = resolverOf(world);
    await expect(resolver.resolve4("nobody-has-this.test")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(resolver.resolve6(any().host)).rejects.toMatchObject({ code: "ENODATA" });
    await expect(resolver.resolveTxt(`_bridge.${ofKind("no_txt").host}`)).rejects.toMatchObject({
      code: "ENOTFOUND",
    });
    await expect(resolver.resolve4("example.org")).rejects.toMatchObject({ code: "EREFUSED" });
  });

  it("cuts a long record into strings of 255 bytes", async () => {
    const [strings] = await resolverOf(world).resolveTxt(`_bridge.${ofKind("txt_split").host}`);
    expect(strings!.length).toBe(2);
    expect(strings![0]!.length).toBe(255);
  });

  it("answers over TCP what it truncates over UDP", async () => {
    const records = await resolverOf(world).resolveTxt(`_bridge.${ofKind("txt_truncated").host}`);
    expect(records.length).toBe(1);
  });

  it("names the name servers of a site", async () => {
    const resolver = resolverOf(world);
    const [server] = await resolver.resolveNs(any().host);
    expect(await resolver.resolve4(server!)).toEqual(["127.0.0.1"]);
  });

  it("fails where a name server fails", async () => {
    await expect(resolverOf(world).resolve4(ofKind("dns_servfail").host)).rejects.toMatchObject({
      code: "ESERVFAIL",
    });
  });
});

describe("a sound site", () => {
  it("serves a document that fits the schema and verifies by its TXT record", async () => {
    for (const site of world.hosts.filter(({ kind }) => kind === "sound").slice(0, 25)) {
      const { txt, verified } = await verdict(site);
      expect({ txt, ...verified }).toMatchObject({ txt: "ok", ok: true });
    }
  });

  it("serves the same bytes at both well-known paths, and 304 to who has them", async () => {
    const site = any();
    const first = await getFromWorld(world, site, "/.well-known/bridge.json");
    const second = await getFromWorld(world, site, "/agent-bridge.json");
    expect(second.body.equals(first.body)).toBe(true);
    expect(DiscoveryDocument.safeParse(JSON.parse(first.body.toString())).success).toBe(true);
    const again = await getFromWorld(world, site, "/agent-bridge.json", {
      headers: { "if-none-match": first.headers.etag as string },
    });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  it("serves a beacon that names two to five others", async () => {
    const site = any();
    const beacon = Beacon.parse(JSON.parse((await getFromWorld(world, site, "/.bridge")).body.toString()));
    expect(beacon.next.length).toBeGreaterThanOrEqual(2);
    expect(beacon.next.length).toBeLessThanOrEqual(5);
    for (const { domain } of beacon.next) expect(world.site(domain)).toBeDefined();
  });

  it("shows its words on its pages and links to them", async () => {
    const site = any();
    const home = (await getFromWorld(world, site, "/")).body.toString();
    expect(home).toContain(site.name);
    expect(home).toContain(site.words.page);
    const links = [...home.matchAll(/href="(\/[^"#]*)/g)].map(([, path]) => path!);
    expect(new Set(links).size).toBeGreaterThanOrEqual(4);
    for (const path of new Set(links)) expect((await getFromWorld(world, site, path)).status).toBe(200);
  });

  it("sends plain HTTP to HTTPS", async () => {
    const site = any();
    const location = await new Promise((resolve, reject) => {
      plainRequest(
        { host: site.address, port: world.httpPort, path: "/about", headers: { host: site.host } },
        (reply) => {
          reply.resume();
          resolve(reply.headers.location);
        },
      )
        .on("error", reject)
        .end();
    });
    expect(location).toBe(`https://${site.host}:${world.port}/about`);
  });

  it("is no site of another name", async () => {
    expect((await getFromWorld(world, any(), "/", { headers: { host: "other.test" } })).status).toBe(421);
  });
});

describe("what the kinds do is what the rules say of them", () => {
  const wire: SiteKind[] = [
    "secure",
    "unsigned",
    "expired",
    "not_yet_valid",
    "forged",
    "rotated",
    "wrong_key",
    "txt_split",
    "domain_mismatch",
    "document_tampered",
    "garbage_json",
    "deep_json",
    "incomplete",
    "huge_body",
    "lying_beacon",
    "trap",
  ];
  it.each(wire)("%s", async (kind) => {
    const site = ofKind(kind);
    const { verified } = await verdict(site);
    const found = verified.ok ? { ring: verified.ring } : { ring: 0, reason: verified.reason };
    const { ring, reason } = site.expected;
    expect(found).toEqual(ring > 0 ? { ring } : { ring, reason });
  });

  it.each([
    ["revoked", "revoked"],
    ["txt_doubled_tag", "invalid"],
    ["txt_ambiguous", "ambiguous"],
    ["txt_foreign_endpoint", "invalid"],
  ] as const)("%s: the document alone earns ring 1", async (kind, reason) => {
    const site = ofKind(kind);
    const { txt, verified } = await verdict(site);
    expect(txt).toBe(reason);
    expect(verified).toMatchObject({ ok: true, ring: 1 });
    expect(site.expected).toMatchObject({ ring: 1, status: "partial" });
  });

  it("no_document, redirect_to_private: nothing is there", async () => {
    expect((await getFromWorld(world, ofKind("no_document"), "/.well-known/bridge.json")).status).toBe(404);
    const moved = await getFromWorld(world, ofKind("redirect_to_private"), "/.well-known/bridge.json");
    expect([moved.status, moved.headers.location]).toEqual([302, "https://10.0.0.1/.well-known/bridge.json"]);
  });

  it("private_address: the name leads inside", async () => {
    expect(await resolverOf(world).resolve4(ofKind("private_address").host)).toEqual(["10.0.0.1"]);
  });

  it("connection_reset, tls_wrong_name, huge_headers: no reply to be had", async () => {
    for (const kind of ["connection_reset", "tls_wrong_name", "huge_headers"] as const) {
      await expect(getFromWorld(world, ofKind(kind), "/.well-known/bridge.json")).rejects.toThrow();
    }
  });

  it("rate_limited: refuses three requests, then serves", async () => {
    const site = ofKind("rate_limited");
    const replies = [];
    for (let i = 0; i < 4; i++) replies.push(await getFromWorld(world, site, "/"));
    expect(replies.map(({ status }) => status)).toEqual([429, 429, 429, 200]);
    expect(replies[0]!.headers["retry-after"]).toBe("1");
  });

  it("flaky_5xx: one in three fails", async () => {
    const site = ofKind("flaky_5xx");
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await getFromWorld(world, site, "/")).status);
    expect(statuses).toEqual([503, 200, 200, 503, 200, 200]);
  });

  it("trap: its pages never end", async () => {
    const site = ofKind("trap");
    let path = "/calendar/2025/12";
    for (let i = 0; i < 3; i++) {
      const page = (await getFromWorld(world, site, path)).body.toString();
      path = /href="(\/calendar[^"?]*)"/.exec(page)![1]!;
    }
    expect(path).toBe("/calendar/2026/3");
  });

  it("robots_disallow_all: says so, and is verified all the same", async () => {
    const site = ofKind("robots_disallow_all");
    expect((await getFromWorld(world, site, "/robots.txt")).body.toString()).toContain("Disallow: /\n");
    expect((await verdict(site)).verified).toMatchObject({ ok: true, ring: 3 });
  });

  it("gone_later, serial_lowered: turn after a while", async () => {
    const gone = ofKind("gone_later");
    expect((await getFromWorld(world, gone, "/")).status).toBe(200);
    world.set(gone.host, { turnsAfterMs: 0 });
    await expect(resolverOf(world).resolve4(gone.host)).rejects.toMatchObject({ code: "ENOTFOUND" });
    const lowered = ofKind("serial_lowered");
    const before = (await verdict(lowered)).verified;
    world.set(lowered.host, { turnsAfterMs: 0 });
    const after = (await verdict(lowered)).verified;
    if (!before.ok || !after.ok || before.ring !== 3 || after.ring !== 3) expect.fail("both verify alone");
  });
});

describe("a world", () => {
  it("changes a site while it runs, and its ETag with it", async () => {
    const site = world.add("sound");
    const before = await getFromWorld(world, site, "/.well-known/bridge.json");
    const changed = world.set(site.host, { edition: 2, serial: 8 })!;
    expect(changed.expected.ring).toBe(3);
    const after = await getFromWorld(world, site, "/.well-known/bridge.json");
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(after.body.toString()).toContain("edition 2");
    expect(world.set(site.host, { kind: "unsigned" })!.expected).toMatchObject({
      ring: 2,
      reason: "unsigned",
    });
    expect(world.set("nobody.test", {})).toBeUndefined();
  });

  it("names a new site in the beacons of others", async () => {
    const small = await startWorld({ seed: 1, sites: 5, soundShare: 1 });
    const named = async (): Promise<Set<string>> => {
      const beacons = await Promise.all(small.hosts.map((site) => getFromWorld(small, site, "/.bridge")));
      return new Set(
        beacons.flatMap(({ body }) => Beacon.parse(JSON.parse(body.toString())).next.map((n) => n.domain)),
      );
    };
    await named();
    const [sound, unsigned] = [small.add("sound"), small.add("unsigned")];
    expect([...(await named())]).toEqual(expect.arrayContaining([sound.host, unsigned.host]));
    small.remove(sound.host);
    expect((await named()).has(sound.host)).toBe(false);
    await small.stop();
  });

  it("is not bothered by bytes that are no DNS message", async () => {
    const socket = createSocket("udp4");
    const falseCounts = Buffer.from("123401000000ffffffffffff", "hex");
    const ownPointer = Buffer.from("123401000001000000000000c00c00010001", "hex");
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from("no"),
      falseCounts,
      ownPointer,
      Buffer.alloc(1_400, 0xff),
    ]) {
      socket.send(bytes, world.dns.port, world.dns.address);
    }
    const began = performance.now();
    expect(await resolverOf(world).resolve4(any().host)).toEqual([any().address]);
    expect(performance.now() - began).toBeLessThan(500);
    socket.close();
  });

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((face) => face?.family === "IPv4" && !face.internal)?.address;
  it.skipIf(outside === undefined)("does not answer on the machine's other addresses", async () => {
    await expect(getFromWorld(world, { host: any().host, address: outside! }, "/")).rejects.toThrow();
    expect((await getFromWorld(world, any(), "/")).status).toBe(200);
  });

  it("ends bodies that never end when nobody listens any more, and stops at once", async () => {
    const small = await startWorld({ seed: 1, sites: 2, soundShare: 1 });
    const [endless, slow] = small.hosts as [SiteSpec, SiteSpec];
    small.set(endless.host, { kind: "endless_body" });
    small.set(slow.host, { kind: "slow_body" });
    for (const site of [endless, slow]) {
      const received = await new Promise<number>((resolve, reject) => {
        const outgoing = request(
          {
            host: site.address,
            port: small.port,
            servername: site.host,
            ca: small.ca,
            path: "/agent-bridge.json",
          },
          (reply) => {
            let bytes = 0;
            reply.on("data", (part: Buffer) => {
              bytes += part.length;
              if (site === slow || bytes > 200_000) {
                resolve(bytes);
                if (site === endless) outgoing.destroy();
              }
            });
            reply.on("error", () => undefined);
          },
        );
        outgoing.setHeader("host", site.host);
        outgoing.on("error", reject);
        outgoing.end();
      });
      expect(received).toBeGreaterThan(0);
    }
    const began = performance.now();
    await small.stop();
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it("forgets a site that is removed", async () => {
    const site = world.add("sound");
    expect(world.remove(site.host)).toBe(true);
    expect(world.remove(site.host)).toBe(false);
    await expect(resolverOf(world).resolve4(site.host)).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  it("is nine tenths sound, and the rest of every kind in turn", () => {
    const dealt = world.hosts.slice(0, 200).map(({ kind }) => kind);
    expect(dealt.filter((kind) => kind === "sound").length).toBe(180);
    expect(new Set(dealt).size).toBe(21);
  });

  it("is the same again from the same seed, and another from another", async () => {
    const options = { seed: 3, sites: 20, startedAtMs: 1_760_000_000_000 };
    const read = async (seed: number) => {
      const one = await startWorld({ ...options, seed });
      const site = one.hosts[4]!;
      const body = (await getFromWorld(one, site, "/")).body.toString();
      await one.stop();
      return { hosts: one.hosts.map(({ host, kind }) => `${host} ${kind}`), body };
    };
    const [first, second, other] = [await read(3), await read(3), await read(4)];
    expect(second).toEqual(first);
    expect(other.hosts).not.toEqual(first.hosts);
  });

  it("keeps its authority in its home", async () => {
    const home = mkdtempSync(join(tmpdir(), "bridge-world-test-"));
    const authorities = [];
    for (let i = 0; i < 2; i++) {
      const one = await startWorld({ seed: 1, sites: 1, home, kinds });
      authorities.push(one.ca);
      await one.stop();
    }
    rmSync(home, { recursive: true });
    expect(authorities[1]).toBe(authorities[0]);
    expect(authorities[0]).not.toBe(world.ca);
  });

  it("puts many sites on one address when asked", async () => {
    const one = await startWorld({ seed: 1, sites: 10, sitesPerIp: 5, soundShare: 1 });
    expect(new Set(one.hosts.map(({ address }) => address)).size).toBe(one.ownAddresses ? 2 : 1);
    await one.stop();
  });
});
