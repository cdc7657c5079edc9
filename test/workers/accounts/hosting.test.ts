/** Certificates of hosted names over months, by a clock of the test's own and an authority that signs what it is asked. */
import { expect, it, onTestFinished } from "vitest";
import { defaultConfiguration } from "../../../src/domain/listing/site-configuration.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { generateKey } from "../../../src/domain/trust/ed25519.ts";
import { signAnew } from "../../../src/domain/trust/signed-document.ts";
import { formatTxtRecord } from "../../../src/domain/trust/txt-record.ts";
import type { DnsAnswer } from "../../../src/ports/dns.ts";
import { uploadedKey } from "../../../src/stores/hosted-documents.ts";
import { hostedName, hostedNameKey, openKeeping } from "../../../src/stores/hosted-names.ts";
import { createOrders } from "../../../workers/accounts/hosting/orders.ts";
import { documentOf } from "../crawler/observations.ts";
import { startRig } from "./rig.ts";

const DAY_MS = 86_400_000;
const LIFE_DAYS = 90;
const TARGET = "hosted.registry.example";

const found = (records: string[]): DnsAnswer<string> => ({
  outcome: "found",
  records,
  ttlSeconds: 60,
  dnssec: "insecure",
});

/** A site whose DNS says all that is needed, with a signed document. */
const given = async () => {
  const rig = await startRig();
  onTestFinished(rig.stop);
  const registered = await rig.register("ada@shop.example");
  if (!("user" in registered)) throw new Error("no account");
  const accountId = registered.user.id;
  const siteId = "shop.example";
  const endpoint = new URL(`https://${hostedName(siteId)}`);
  const own = generateKey();
  const zone = { cname: TARGET, isSound: true };
  const asked: string[] = [];
  const deps: typeof rig.deps = {
    ...rig.deps,
    resolver: {
      ...rig.deps.resolver,
      txt: async () => found([formatTxtRecord({ publicKey: own.publicKey, endpoint: endpoint.origin })]),
      alias: async () => found([zone.cname]),
    },
    hosting: {
      target: TARGET,
      keeping: openKeeping(rig.deps.identity),
      authority: {
        makeAccountKey: async () => "an account's key",
        issue: async (name, _, publish) => {
          asked.push(name);
          if (!zone.isSound) return { ok: false, detail: "the authority is busy" };
          await publish({ token: "t", answer: "t.k" });
          const during = (await rig.deps.names.get(hostedNameKey(siteId)))?.value.challenge;
          expect(during).toEqual({ token: "t", answer: "t.k" });
          await publish(undefined);
          const at = rig.time.now;
          return {
            ok: true,
            certificate: {
              ...{ chain: `chain ${asked.length}`, privateKey: "a key" },
              notBefore: new Date(at).toISOString(),
              notAfter: new Date(at + LIFE_DAYS * DAY_MS).toISOString(),
            },
          };
        },
      },
    },
  };
  const at = new Date(rig.time.now).toISOString();
  const configuration = defaultConfiguration();
  await deps.store.sites.put(hostKey(siteId), { v: 1, siteId, accountId, provedAt: at, configuration });
  const document = documentOf({ provider: { name: "Tea", domain: siteId, category: "", description: "" } });
  const signed = signAnew(document, siteId, own, { endpoint, days: 30, ttlSeconds: 3_600 }, rig.time.now);
  if (!signed.ok) throw new Error(signed.detail);
  await deps.uploaded.put(uploadedKey(siteId), { v: 1, accountId, document: signed.document });
  await deps.names.put(hostedNameKey(siteId), { v: 1, siteId, accountId, madeAt: at });
  const record = async () => (await deps.names.get(hostedNameKey(siteId)))?.value;
  return { ...rig, deps, siteId, zone, asked, record, orders: createOrders(deps) };
};

it("a certificate is ordered once by two processes, renewed after two thirds of its time, and kept sealed", async () => {
  const { deps, orders, asked, siteId, pass, record } = await given();
  const other = createOrders(deps);
  await Promise.all([orders.sweep(), other.sweep()]);
  expect(asked).toEqual([hostedName(siteId)]);
  const days: number[] = [];
  for (let day = 1; day <= 200; day++) {
    pass(DAY_MS);
    if ((await orders.sweep()).length > 0) days.push(day);
    const { certificate } = (await record())!;
    expect(Date.parse(certificate!.notAfter), `day ${day}`).toBeGreaterThan(deps.now());
  }
  expect(days).toEqual([60, 120, 180]);
  const kept = (await record())!;
  expect(JSON.stringify(kept)).not.toContain("a key");
  expect(deps.hosting!.keeping.opened(kept)).toEqual({ cert: "chain 4", key: "a key" });
  expect(kept.challenge).toBeUndefined();
});

it("nothing is ordered for a name that DNS leads elsewhere, and an authority that fails is asked ever less", async () => {
  const { orders, asked, zone, pass, record } = await given();
  zone.cname = "elsewhere.example";
  for (let hour = 0; hour < 48; hour++) {
    await orders.sweep();
    pass(DAY_MS / 24);
  }
  expect(asked).toEqual([]);
  zone.cname = TARGET;
  zone.isSound = false;
  for (let hour = 0; hour < 10 * 24; hour++) {
    await orders.sweep();
    pass(DAY_MS / 24);
  }
  // 1, 2, 4, 8 and 16 hours, then daily.
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.length).toBeLessThan(16);
  expect(await record()).toMatchObject({ fault: "the authority is busy", failures: asked.length });
  zone.isSound = true;
  pass(DAY_MS);
  expect(await orders.sweep()).toHaveLength(1);
  const healed = (await record())!;
  expect([healed.fault, healed.failures, healed.retryAt]).toEqual([undefined, undefined, undefined]);
});
