import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultConfiguration } from "../../../src/domain/listing/site-configuration.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { changeAccount } from "../../../src/stores/accounts.ts";
import { MOST_WALLET_LICENSES, walletKey } from "../../../src/stores/wallets.ts";
import { issueGatewayKey } from "../../../workers/keys/gateway-keys.ts";
import { altered } from "../../support/altered.ts";
import { type Rig, startRig } from "./rig.ts";

let rig: Rig;
let other: Rig;
beforeAll(async () => {
  rig = await startRig();
  other = await startRig(rig);
});
afterAll(async () => {
  await rig?.stop();
  await other?.stop();
});

function ok(result: unknown): any {
  if (result instanceof Failure) throw new Error(`${result.code}: ${result.detail}`);
  return result;
}
const codeOf = (result: unknown) => (result instanceof Failure ? result.code : "success");
const blank = { params: undefined, query: undefined, body: undefined };

async function holder() {
  rig.pass(60_000);
  return rig.as(ok(await rig.register(`${uuidv7()}@agents.example`)).user.id);
}
type Holder = Awaited<ReturnType<typeof holder>>;
const agentOf = async (who: Holder, name = "helper") =>
  ok(await rig.keys.issueKey({ ...blank, body: { kind: "agent", name } }, who));
const change = (who: Holder, edit: Parameters<typeof changeAccount>[2]) =>
  changeAccount(rig.deps.store, who.principal.accountId, edit);

/** A license for a site as if the account had proved it. */
async function licenseOf(who: Holder) {
  const { accountId } = who.principal;
  const siteId = `${uuidv7()}.example`;
  await change(who, (account) => ({ ...account, tier: "enterprise", sites: [...account.sites, siteId] }));
  await rig.deps.store.sites.put(hostKey(siteId), {
    v: 1,
    siteId,
    accountId,
    provedAt: "2026-01-20T12:00:00.000Z",
    configuration: defaultConfiguration(),
  });
  const issued = ok(await rig.keys.issueKey({ ...blank, body: { kind: "license", siteId } }, who));
  return { siteId, key: issued.key as string };
}

describe("an agent token", () => {
  it.concurrent("is its agent, everywhere; the store holds its hash alone", async () => {
    const who = await holder();
    const name = "shopping helper";
    const { key: agent_token, key_id: agent_id, key_hint } = await agentOf(who, name);
    expect(agent_token.startsWith(key_hint)).toBe(true);
    expect(await other.agent.identify(agent_token)).toMatchObject({
      kind: "agent",
      agentId: agent_id,
      accountId: who.principal.accountId,
      name,
      generation: 1,
    });
    expect(JSON.stringify(await rig.deps.store.account(who.principal.accountId))).not.toContain(agent_token);
    expect(await rig.keys.listKeys(blank, who)).toMatchObject({
      agents: [{ agent_id, name, state: "active" }],
    });
  });

  it.concurrent("ends with a new password and with a suspension, for good; rotated, it is in force again", async () => {
    const who = await holder();
    const { key: agent_token, key_id: agent_id } = await agentOf(who);
    const body = { current_password: "correct horse", new_password: "battery staple" };
    ok(await rig.handlers.changePassword({ ...blank, body }, who));
    expect(await rig.agent.identify(agent_token)).toBeUndefined();
    expect(await rig.keys.listKeys(blank, who)).toMatchObject({ agents: [{ agent_id, state: "ended" }] });
    const params = { keyId: agent_id };
    const rotated = ok(await rig.keys.rotateListedKey({ ...blank, params }, who));
    expect(await rig.keys.listKeys(blank, who)).toMatchObject({ agents: [{ agent_id, state: "active" }] });
    expect(await rig.agent.identify(rotated.key)).toMatchObject({ generation: 2 });
    await change(who, (account) => ({ ...account, suspended: true, generation: 3 }));
    expect(await rig.agent.identify(rotated.key)).toBeUndefined();
    await change(who, (account) => ({ ...account, suspended: false }));
    expect(await rig.agent.identify(rotated.key)).toBeUndefined();
  });

  it.concurrent("is not another form of key, and a mistyped one costs no look-up", async () => {
    const who = await holder();
    const { key: agent_token } = await agentOf(who);
    expect(await rig.account.identify(agent_token)).toBeUndefined();
    expect(await rig.project.identify(agent_token)).toBeUndefined();
    expect(await rig.agent.identify(altered(agent_token))).toBeUndefined();
  });
});

describe("an agent's limits", () => {
  it.concurrent("are its own by its account's plan, and its account's together", async () => {
    const who = await holder();
    const { key: agent_token } = await agentOf(who);
    const quotas = async () => {
      const agent = (await rig.agent.identify(agent_token)) as any;
      return (await rig.agent.limits!(agent, "search", "search")).map(({ quota }) => quota);
    };
    expect(await quotas()).toEqual([120, 480]);
    await change(who, (account) => ({ ...account, tier: "pro" }));
    expect(await quotas()).toEqual([600, 2_400]);
  });
});

describe("a wallet", () => {
  const keep = (who: Holder, entry: string, key: string) =>
    rig.handlers.keepKey({ ...blank, params: { entry }, body: { key } }, who);

  it.concurrent("keeps licenses sealed, lists their domains, and gives the key to sessions alone", async () => {
    const [who, { siteId, key }] = [await holder(), await licenseOf(await holder())];
    expect(ok(await keep(who, siteId, key))).toEqual({ entry: siteId, kept: true });
    const { accountId } = who.principal;
    expect(await rig.handlers.listWallet(blank, who)).toMatchObject({ domains: [{ domain: siteId }] });
    expect(JSON.stringify(await rig.handlers.listWallet(blank, who))).not.toContain("bridge_lic_");
    const stored = (await rig.broker.buckets.keys.get(walletKey(accountId)))!.text();
    expect(stored).toContain(siteId);
    expect(stored).not.toContain(key);
    expect(await other.deps.wallets.licenseFor(accountId, siteId)).toBe(key);
    ok(await rig.handlers.removeKeptKey({ ...blank, params: { entry: siteId } }, who));
    expect(await rig.handlers.listWallet(blank, who)).toEqual({ domains: [], gateway_key: null });
    const again = await rig.handlers.removeKeptKey({ ...blank, params: { entry: siteId } }, who);
    expect(codeOf(again)).toBe("not_found");
  });

  it.concurrent("does not open for another account, nor for another domain that its bytes are moved to", async () => {
    const [who, thief] = [await holder(), await holder()];
    const { siteId, key } = await licenseOf(who);
    ok(await keep(who, siteId, key));
    const { buckets } = rig.broker;
    const record = (await buckets.keys.get(walletKey(who.principal.accountId)))!.json<any>();
    await buckets.keys.put(
      walletKey(thief.principal.accountId),
      JSON.stringify({ ...record, accountId: thief.principal.accountId }),
    );
    expect(await rig.deps.wallets.licenseFor(thief.principal.accountId, siteId)).toBeUndefined();
    expect(await rig.deps.wallets.licenseFor(who.principal.accountId, "toString")).toBeUndefined();
  });

  it.concurrent("takes no key that opens nothing, or another site", async () => {
    const who = await holder();
    const { siteId, key } = await licenseOf(who);
    const second = await licenseOf(who);
    expect(codeOf(await keep(who, siteId, "bridge_lic_nonsense"))).toBe("license_invalid");
    expect(codeOf(await keep(who, second.siteId, key))).toBe("license_invalid");
  });

  it.concurrent("holds 500 licenses; one for a site that it has takes the place of the one before", async () => {
    const who = await holder();
    const { accountId } = who.principal;
    const { siteId, key } = await licenseOf(who);
    ok(await keep(who, siteId, key));
    const { buckets } = rig.broker;
    const record = (await buckets.keys.get(walletKey(accountId)))!.json<any>();
    const label = "a".repeat(60);
    for (let i = 1; i < MOST_WALLET_LICENSES; i++)
      record.licenses[`${i}.${label}.${label}.${label}.example`] = record.licenses[siteId];
    await buckets.keys.put(walletKey(accountId), JSON.stringify(record));
    const one = await licenseOf(who);
    expect(codeOf(await keep(who, one.siteId, one.key))).toBe("plan_limit");
    expect(codeOf(await keep(who, siteId, key))).toBe("success");
  });

  it.concurrent("loses nothing when two write at once", async () => {
    const who = await holder();
    const made = await Promise.all(Array.from({ length: 4 }, () => licenseOf(who)));
    await Promise.all(
      made.map(({ siteId, key }, i) =>
        (i % 2 ? rig : other).handlers.keepKey({ ...blank, params: { entry: siteId }, body: { key } }, who),
      ),
    );
    const { domains } = ok(await rig.handlers.listWallet(blank, who));
    expect(domains.map(({ domain }: any) => domain).sort()).toEqual(made.map(({ siteId }) => siteId).sort());
  });
});

describe("a key of the module gateway for an account's agents", () => {
  it.concurrent("is kept sealed, shown by its hint, replaced and removed", async () => {
    const who = await holder();
    const { accountId } = who.principal;
    const wanted = { plan: "FREE" as const, owner: "Ada", email: "ada@agents.example", accountId };
    const { key } = ok(await issueGatewayKey(rig.deps, wanted));
    expect(await rig.handlers.listWallet(blank, who)).toMatchObject({ gateway_key: null });
    const params = { entry: "gateway" };
    const keep = (given: string, by: any = who) =>
      rig.handlers.keepKey({ ...blank, params, body: { key: given } }, by);
    const agent = { ...who, principal: { ...who.principal, kind: "agent" } } as any;
    expect(codeOf(await keep(key, agent))).toBe("permission_denied");
    ok(await keep(key));
    const { gateway_key } = ok(await rig.handlers.listWallet(blank, who));
    expect(key.startsWith(gateway_key.key_hint)).toBe(true);
    expect(await rig.deps.wallets.gatewayKey(accountId)).toBe(key);
    expect((await rig.broker.buckets.keys.get(walletKey(accountId)))!.text()).not.toContain(key);
    const remove = (by: any = who) => rig.handlers.removeKeptKey({ ...blank, params }, by);
    expect(codeOf(await remove(agent))).toBe("permission_denied");
    ok(await remove());
    expect(codeOf(await remove())).toBe("not_found");
    expect(await rig.deps.wallets.gatewayKey(accountId)).toBeUndefined();
    expect(codeOf(await keep("bridge_free_x"))).toBe("key_invalid");
  });
});

describe("a license with fewer permissions than its site", () => {
  it.concurrent("is the site's configuration less the rest, in every reply", async () => {
    const who = await holder();
    const { siteId } = await licenseOf(who);
    const permissions = ["readContent", "fillForms"] as ("readContent" | "fillForms")[];
    const body = { kind: "license" as const, siteId, permissions };
    const issued = ok(await rig.keys.issueKey({ ...blank, body }, who));
    const { licenses } = ok(await rig.keys.listKeys(blank, who));
    expect(licenses.at(-1)).toMatchObject({ license_id: issued.key_id, permissions, agent_id: null });
    const shown = ok(
      await rig.handlers.verifyLicense(
        { ...blank, body: { licenseKey: issued.key, domain: siteId } },
        { ...who, principal: undefined },
      ),
    );
    // The site does not permit fillForms: a license gives nothing that the site does not have.
    expect(Object.entries(shown.configuration.permissions).filter(([, held]) => held)).toEqual([
      ["readContent", true],
    ]);
  });
});
