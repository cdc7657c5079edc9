/** Keys that the registry holds for sites: made, published, signed with, renewed over a quarter of a year, and left. */
import { describe, expect, it, onTestFinished } from "vitest";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { generateKey } from "../../../src/domain/trust/ed25519.ts";
import { verifyDocument } from "../../../src/domain/trust/manifest.ts";
import { signAnew } from "../../../src/domain/trust/signed-document.ts";
import { formatTxtRecord, selectRecords } from "../../../src/domain/trust/txt-record.ts";
import type { DnsAnswer } from "../../../src/ports/dns.ts";
import { accountKey } from "../../../src/stores/accounts.ts";
import { removeAccount } from "../../../workers/accounts/closing.ts";
import { accountsHandlers } from "../../../workers/accounts/handlers.ts";
import { renewHeld } from "../../../workers/accounts/held-keys/renewals.ts";
import { documentOf } from "../crawler/observations.ts";
import { startRig } from "./rig.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An account that proved a site, with a zone of the test's own. */
const given = async (ended: (work: () => Promise<void>) => void) => {
  const rig = await startRig();
  ended(rig.stop);
  const zone = new Map<string, string[]>();
  let isDown = false;
  const looked: string[] = [];
  const txt = async (name: string): Promise<DnsAnswer<string>> => {
    looked.push(name);
    if (isDown) return { outcome: "failed", reason: "timeout", detail: "no answer" };
    const records = zone.get(name);
    return records
      ? { outcome: "found", records, ttlSeconds: 300, dnssec: "insecure" }
      : { outcome: "none", nxdomain: true, ttlSeconds: 300, dnssec: "insecure" };
  };
  const deps = { ...rig.deps, resolver: { ...rig.deps.resolver, txt } };
  const handlers = accountsHandlers(deps);
  const registered = await rig.register("ada@shop.example");
  if (!("user" in registered)) throw new Error("no account");
  const who = rig.as(registered.user.id);
  const siteId = "shop.example";
  const prove = async (accountId: string) => {
    const input = { params: undefined, query: { domain: siteId }, body: undefined };
    const challenge = await handlers.siteChallenge(input, rig.as(accountId));
    if (!("records" in challenge)) throw new Error("no challenge");
    for (const { host, value } of challenge.records) zone.set(host, [value]);
    const body = { domain: siteId };
    return handlers.addSite({ params: undefined, query: undefined, body }, rig.as(accountId));
  };
  await prove(who.principal.accountId);
  const params = { siteId };
  const call = {
    hold: (endpoint?: string) =>
      handlers.holdKey({ params, query: undefined, body: endpoint ? { endpoint } : {} }, who),
    look: () => handlers.heldKey({ params, query: undefined, body: undefined }, who),
    rotate: () => handlers.rotateHeldKey({ params, query: undefined, body: undefined }, who),
    end: () => handlers.endHeldKey({ params, query: undefined, body: undefined }, who),
    publish: (document: ReturnType<typeof documentOf>) =>
      handlers.publishDocument({ params, query: undefined, body: { document } }, who),
  };
  const publish = (shown: object) => {
    const { record } = (shown as { key: { record: { host: string; value: string } } }).key;
    zone.set(record.host, [record.value]);
    return record.value;
  };
  /** What a registry makes of what is served, by what DNS says. */
  const verdict = async () => {
    const document = (await deps.hosted.of(siteId))?.document;
    const records = selectRecords(zone.get(`_bridge.${siteId}`) ?? [], siteId);
    const seen = verifyDocument(Buffer.from(JSON.stringify(document)), {
      domain: siteId,
      txt: records.ok ? records : null,
      nowMs: rig.time.now,
      previousSerial: null,
    });
    const holder = records.ok && seen.ok ? records.keys.find(({ kid }) => kid === seen.kid)?.keyHolder : null;
    return { ...seen, holder, document };
  };
  const ofShop = (name: string) =>
    documentOf({ provider: { name, domain: siteId, category: "retail", description: "Tea." } });
  const setDown = (down: boolean) => {
    isDown = down;
  };
  return {
    ...rig,
    deps,
    handlers,
    who,
    siteId,
    zone,
    looked,
    call,
    publish,
    prove,
    verdict,
    ofShop,
    setDown,
  };
};

describe("a key that the registry holds", () => {
  it("is made without a look at DNS, signs once DNS says who holds it, and is shown as such", async () => {
    const { call, publish, verdict, looked, zone } = await given(onTestFinished);
    expect(await call.look()).toMatchObject({ key_holder: "owner", state: "none", key: null });
    const before = looked.length;
    const made = await call.hold();
    expect(made).toMatchObject({
      key_holder: "registry",
      state: "waits",
      key: {
        record: { host: "_bridge.shop.example" },
        document_url: "https://shop.example/.well-known/bridge.json",
      },
    });
    expect(looked.length).toBe(before);
    expect(await call.hold()).toMatchObject({ code: "proof_required" });
    const value = publish(made);
    expect(value).toMatch(/; key_holder=registry$/);
    // The key without the word that the registry holds it: nothing would tell it from the owner's own.
    zone.set("_bridge.shop.example", [value.replace("; key_holder=registry", "")]);
    expect(await call.hold()).toMatchObject({
      code: "proof_required",
      detail: expect.stringContaining("does not say that the registry holds it"),
    });
    publish(made);
    expect(await call.hold()).toMatchObject({
      state: "in_force",
      key: { signed_until: "2026-02-19T12:00:00.000Z" },
    });
    expect(await verdict()).toMatchObject({ ok: true, ring: 3, holder: "registry" });
  });

  it("signs what its owner gives, and follows what he configures where he gave nothing", async () => {
    const { call, publish, verdict, ofShop, handlers, who, siteId, pass } = await given(onTestFinished);
    publish(await call.hold());
    await call.hold();
    pass(1_000);
    await handlers.configureSite(
      { params: { siteId }, query: undefined, body: { permissions: { fillForms: true } } },
      who,
    );
    const configured = await verdict();
    expect(configured).toMatchObject({ ring: 3 });
    expect(configured.document?.capabilities.permissions.fillForms).toBe(true);
    expect(await call.publish(ofShop("Tea & Spices"))).toEqual({ siteId, signed: true });
    const seen = await verdict();
    expect(seen).toMatchObject({
      ring: 3,
      holder: "registry",
      document: { provider: { name: "Tea & Spices" } },
    });
    const params = { siteId };
    await handlers.withdrawDocument({ params, query: undefined, body: undefined }, who);
    expect(await verdict()).toMatchObject({ ring: 3, document: { provider: { name: siteId } } });
  });

  it("is renewed over 90 days without anybody, in time even where DNS fails for a week, and by one of two processes", async () => {
    const { call, publish, verdict, deps, pass, ofShop, setDown } = await given(onTestFinished);
    await call.publish(ofShop("Tea & Spices"));
    publish(await call.hold());
    await call.hold();
    const renewals: number[] = [];
    for (let hour = 1; hour <= 90 * 24; hour++) {
      pass(HOUR_MS);
      const day = hour / 24;
      setDown(day >= 40 && day < 47);
      // Every hour near a renewal, daily else: the sweep itself runs every hour.
      if (hour % 24 !== 0) continue;
      const [a, b] = await Promise.all([renewHeld(deps), renewHeld(deps)]);
      if (a.length + b.length > 0) renewals.push(day);
      expect(a.length + b.length, `day ${day}`).toBeLessThanOrEqual(1);
      const seen = await verdict();
      expect(seen, `day ${day}`).toMatchObject({ ok: true, ring: 3, holder: "registry" });
      expect(Date.parse(seen.document!.expires_at!) - deps.now()).toBeGreaterThan(2 * DAY_MS);
    }
    expect(renewals).toEqual([20, 47, 67, 87]);
  });

  it("is left by a key of one's own: both in DNS, a document signed by the own one, then the registry's goes", async () => {
    const { call, publish, verdict, deps, zone, ofShop, siteId, pass, time } = await given(onTestFinished);
    await call.publish(ofShop("Tea"));
    const held = publish(await call.hold());
    await call.hold();
    const own = generateKey();
    const endpoint = new URL(`https://${siteId}`);
    zone.set(`_bridge.${siteId}`, [
      held,
      formatTxtRecord({ publicKey: own.publicKey, endpoint: endpoint.origin }),
    ]);
    pass(DAY_MS);
    expect(await verdict()).toMatchObject({ ring: 3, holder: "registry" });
    const signed = signAnew(
      ofShop("Tea, by ourselves"),
      siteId,
      own,
      { endpoint, days: 30, ttlSeconds: 3_600 },
      time.now,
    );
    if (!signed.ok) throw new Error(signed.detail);
    expect(await call.publish(signed.document as never)).toEqual({ siteId, signed: true });
    expect(await call.look()).toMatchObject({ key_holder: "registry", state: "left" });
    pass(15 * DAY_MS);
    expect(await renewHeld(deps)).toEqual([]);
    expect(await call.hold()).toMatchObject({ state: "left" });
    expect(await call.end()).toMatchObject({ key_holder: "owner", state: "none" });
    zone.set(`_bridge.${siteId}`, [zone.get(`_bridge.${siteId}`)![1]!]);
    expect(await verdict()).toMatchObject({
      ring: 3,
      holder: "owner",
      document: { provider: { name: "Tea, by ourselves" } },
    });
    expect(await call.end()).toMatchObject({ code: "not_found" });
  });

  it("signs nothing more once its record is gone, its account suspended, or the site is another's; that one has no key", async () => {
    const { call, publish, deps, zone, siteId, pass, who, register, prove } = await given(onTestFinished);
    const shown = await call.hold();
    publish(shown);
    await call.hold();
    pass(21 * DAY_MS);
    const records = zone.get(`_bridge.${siteId}`)!;
    zone.delete(`_bridge.${siteId}`);
    expect(await renewHeld(deps)).toEqual([]);
    zone.set(`_bridge.${siteId}`, records);
    const { accountId } = who.principal;
    const account = (await deps.store.account(accountId))!.value;
    await deps.store.accounts.put(accountKey(accountId), { ...account, suspended: true });
    expect(await renewHeld(deps)).toEqual([]);
    await deps.store.accounts.put(accountKey(accountId), account);
    expect(await renewHeld(deps)).toEqual([siteId]);

    const next = await register("grace@shop.example");
    if (!("user" in next)) throw new Error("no account");
    await prove(next.user.id);
    expect(await deps.held.of(siteId, accountId)).toBeUndefined();
    expect(await deps.held.of(siteId, next.user.id)).toBeUndefined();
    expect(await call.look()).toMatchObject({ code: "not_found" });
  });

  it("stands nowhere in the clear, and goes with the account", async () => {
    const { call, deps, siteId, who, broker } = await given(onTestFinished);
    await call.hold();
    const key = (await deps.held.of(siteId, who.principal.accountId))!;
    const stored = (await broker.buckets.account_sites.get(`key.${hostKey(siteId)}`))!.text();
    const pair = (await deps.held.open(key))!;
    const secret = pair.privateKey.split("\n")[1]!;
    expect(pair.kid).toBe(key.kid);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret, "base64").toString("base64url"));
    expect(JSON.stringify(key)).not.toContain(secret);
    await removeAccount(deps, who.principal.accountId, "ada@shop.example");
    expect(await broker.buckets.account_sites.get(`key.${hostKey(siteId)}`)).toBeUndefined();
  });

  it("takes an endpoint at the site or below it, and none elsewhere", async () => {
    const { call } = await given(onTestFinished);
    expect(await call.hold("https://elsewhere.example")).toMatchObject({
      code: "invalid_request",
      errors: [{ pointer: "/body/endpoint", code: "invalid_endpoint" }],
    });
    const made = await call.hold("https://www.shop.example");
    const moved = await call.hold("https://bridge.shop.example");
    expect(moved).toMatchObject({ code: "proof_required" });
    const shown = await call.look();
    expect(shown).toMatchObject({ key: { endpoint: "https://bridge.shop.example" } });
    expect((shown as { key: { kid: string } }).key.kid).toBe((made as { key: { kid: string } }).key.kid);
  });

  it("is replaced by a next one without a gap: the old signs until DNS has both, and the new is renewed", async () => {
    const { call, publish, verdict, zone, pass, deps, siteId } = await given(onTestFinished);
    expect(await call.rotate()).toMatchObject({ code: "not_found" });
    const old = publish(await call.hold());
    const signed = await call.hold();
    const oldKid = (signed as { key: { kid: string } }).key.kid;
    const made = (await call.rotate()) as {
      state: string;
      key: { kid: string; next: { kid: string; record: { value: string } } };
    };
    expect([made.state, made.key.kid]).toEqual(["in_force", oldKid]);
    const { kid, record } = made.key.next;
    expect(kid).not.toBe(oldKid);
    expect(await call.rotate()).toMatchObject({ code: "proof_required" });
    expect(await verdict()).toMatchObject({ ring: 3, kid: oldKid, holder: "registry" });
    zone.set(`_bridge.${siteId}`, [old, record.value]);
    expect(await call.rotate()).toMatchObject({ state: "in_force", key: { kid, next: null } });
    zone.set(`_bridge.${siteId}`, [record.value]);
    expect(await verdict()).toMatchObject({ ring: 3, kid, holder: "registry" });
    pass(21 * DAY_MS);
    expect(await renewHeld(deps)).toEqual([siteId]);
    pass(10 * DAY_MS);
    expect(await verdict()).toMatchObject({ ring: 3, kid });
  });

  it("that broke off between signing and taking its place goes on with the next call", async () => {
    const { call, publish, verdict, zone, deps, siteId, who } = await given(onTestFinished);
    const old = publish(await call.hold());
    await call.hold();
    const made = (await call.rotate()) as { key: { next: { kid: string; record: { value: string } } } };
    const { kid, record } = made.key.next;
    zone.set(`_bridge.${siteId}`, [old, record.value]);
    const promote = deps.held.promote;
    deps.held.promote = async () => undefined;
    await call.rotate();
    deps.held.promote = promote;
    expect(await verdict()).toMatchObject({ ring: 3, kid });
    expect(await renewHeld(deps)).toEqual([]);
    expect(await call.rotate()).toMatchObject({ state: "in_force", key: { kid, next: null } });
    expect((await deps.held.of(siteId, who.principal.accountId))?.kid).toBe(kid);
  });
});
