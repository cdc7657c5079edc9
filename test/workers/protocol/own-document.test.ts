import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { services } from "../../../app/services.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { verifyDocument } from "../../../src/domain/trust/manifest.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import { LIMITS } from "../../../src/rpc/limit-table.ts";
import { type Identity, openIdentity } from "../../../src/stores/identity.ts";
import { openOwnDocument } from "../../../workers/protocol/own-document.ts";
import { contentDigest, isDue, MANIFEST_LIFE_MS, ownDocument } from "../../../workers/protocol/rules.ts";
import { joinBroker } from "../../support/gate.ts";
import { startRegistry } from "../../support/registry.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const URL_HERE = "https://registry.example";

describe("the registry's own document", () => {
  it("names every operation at its public address, and where the gateway begins", () => {
    const { endpoints, capabilities, provider } = ownDocument(URL_HERE, services, START_MS);
    for (const { operations } of services)
      for (const [name, { paths }] of Object.entries(operations)) {
        if (paths[0].startsWith("/api/v1/")) continue;
        expect(endpoints[name]).toBe(URL_HERE + paths[0]);
      }
    // None that an agent could execute on a page.
    expect(capabilities.commands).toEqual([]);
    expect(endpoints.gateway).toBe(`${URL_HERE}/api/v1`);
    expect(provider.domain).toBe("registry.example");
  });

  it("says how often a caller may call", () => {
    const { security } = ownDocument(URL_HERE, services, START_MS);
    expect(security).toMatchObject({
      session_required: false,
      rate_limit: LIMITS.requests.by.address.minute,
    });
    expect(ownDocument(URL_HERE, services, START_MS, 1).security.rate_limit).toBe(
      LIMITS.requests.by.address.minute / 100,
    );
  });

  it("is due with other content, such as another address, or when half of its life is gone", () => {
    const contentAt = (url: string, at: number) => contentDigest(ownDocument(url, services, at));
    const content = contentAt(URL_HERE, START_MS);
    const made = { madeAt: START_MS, content };
    const later = START_MS + MANIFEST_LIFE_MS / 2;
    expect(isDue(made, contentAt(URL_HERE, later), later)).toBe(false);
    expect(isDue(made, content, later + 1)).toBe(true);
    expect(isDue(made, contentAt("https://other.example", START_MS), START_MS)).toBe(true);
    expect(isDue({ madeAt: START_MS }, content, START_MS)).toBe(true);
  });
});

describe("the stored document", () => {
  let here: NatsBroker;
  let there: NatsBroker;
  let identity: Identity;
  let now = START_MS;
  beforeAll(async () => {
    here = await joinBroker();
    there = await joinBroker(here.prefix);
    identity = await openIdentity(here.buckets.service);
  });
  afterAll(() => Promise.all([here.close(), there.close()]));
  const open = (broker: NatsBroker, publicUrl = URL_HERE) =>
    openOwnDocument(broker.buckets.service, identity, publicUrl, services, () => now);
  const verify = (document: object, previousSerial: number | null = null) =>
    verifyDocument(Buffer.from(JSON.stringify(document)), {
      domain: "registry.example",
      txt: { endpoint: new URL(URL_HERE), keys: [identity] },
      nowMs: now,
      previousSerial,
    });

  it("is the same from every process, stays so, and verifies by the registry's key", async () => {
    const [first, second] = await Promise.all([open(here)(), open(there)()]);
    expect(second).toEqual(first);
    now += 10 * DAY_MS;
    expect(await open(there)()).toEqual(first);
    expect(verify(first)).toMatchObject({ ok: true, ring: 3 });
  });

  it("is signed anew, by every process alike, once half of its life is gone, and its serial rises", async () => {
    const [one, other] = [open(here), open(there)];
    const before = verify(await one());
    await other();
    now += 20 * DAY_MS;
    const [after, same] = await Promise.all([one(), other()]);
    expect(same).toEqual(after);
    expect(after.generated_at).toBe(new Date(now).toISOString());
    const serial = before.ok ? before.manifest!.serial : 0;
    expect(verify(after, serial + 1)).toMatchObject({ ok: true, ring: 3 });
    expect(await one()).toEqual(after);
  });

  it("is made for the address that the registry has now", async () => {
    const moved = await open(here, "https://moved.example")();
    expect(moved.provider.domain).toBe("moved.example");
    expect(await open(there, "https://moved.example")()).toEqual(moved);
  });
});

describe("over HTTP", () => {
  it("is the same bytes at every path of every process", async () => {
    const config = { BRIDGE_PUBLIC_URL: URL_HERE };
    const roles = ["protocol"] as const;
    const first = await startRegistry({ world: { sites: 1 }, roles, config });
    const second = await startRegistry({ join: first, roles, config });
    const ports = [first, second].map(({ config: { PORT } }) => PORT);
    try {
      const bodies: string[] = [];
      for (const port of ports)
        for (const path of ["/.well-known/bridge.json", "/agent-bridge.json", "/api/bridge/discover"])
          for (let i = 0; i < 4; i++)
            bodies.push(await (await fetch(`http://127.0.0.1:${port}${path}`)).text());
      expect(new Set(bodies).size).toBe(1);
      const { identity, broker } = first.runtime;
      const verified = verifyDocument(Buffer.from(bodies[0]!), {
        domain: "registry.example",
        txt: { endpoint: new URL(URL_HERE), keys: [identity] },
        nowMs: broker.now(),
        previousSerial: null,
      });
      expect(verified).toMatchObject({ ok: true, ring: 3 });
    } finally {
      await second.stop();
      await first.stop();
    }
  });
});
