/** A person with an account, a proved site, and keys: what most tests of accounts begin with. */

import type { OwnedAgent, OwnedLicense, OwnedProject } from "../../schemas/key.ts";
import { defaultConfiguration } from "../../src/domain/listing/site-configuration.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { changeAccount, openAccountStore } from "../../src/stores/accounts.ts";
import { loginTokens } from "../../src/stores/issued-tokens.ts";
import { issueKey } from "../../src/stores/keys.ts";
import { ownerValue } from "../../workers/accounts/rules.ts";
import { askJson, type JsonReply } from "./json.ts";
import type { TestRegistry } from "./registry.ts";

export const PASSWORD = "correct horse battery";

export interface Owner {
  accountId(): Promise<string>;
  email(): Promise<string>;
  /** A token of a log-in now. */
  token(): Promise<string>;
  /** A host of the synthetic web that says in DNS that it is the account's, and is not in the account yet. */
  provedHost(): Promise<string>;
  /** A new license, for a new site of the account unless one is named: not proved, but as if. */
  license(siteId?: string): Promise<{ id: string; key: string; siteId: string }>;
  /** A new agent of the account. */
  agent(name?: string): Promise<{ id: string; token: string }>;
  /** A new project. */
  project(): Promise<{ id: string; key: string }>;
  /** Any operation, as the account's holder. */
  send(method: string, path: string, body?: unknown): Promise<JsonReply>;
}

/** Made when it is first needed, so that tests without accounts pay nothing. Enterprise: no limit is in the way. */
export function createOwner(registry: TestRegistry): Owner {
  const { runtime, world } = registry;
  const store = openAccountStore(runtime.broker);
  const tokens = loginTokens(runtime);
  const email = `owner-${uuidv7()}@shop.example`;
  const createdAt = new Date().toISOString();
  let account: Promise<string> | undefined;

  const open = async (): Promise<string> => {
    const { status, body } = await registry.postJson("/api/auth/register", {
      email,
      password: PASSWORD,
      name: "Owner",
    });
    if (status !== 201) throw new Error(`no account for the test: ${JSON.stringify(body)}`);
    const stored = (await store.account(body.user.id))!;
    await store.accounts.put(`id.${body.user.id}`, { ...stored.value, tier: "enterprise" });
    return body.user.id;
  };
  const accountId = () => (account ??= open());

  const token = async () => {
    const stored = (await store.account(await accountId()))!;
    return tokens.issue(stored.value.accountId, { gen: stored.value.generation });
  };

  const send: Owner["send"] = async (method, path, body) =>
    askJson(registry.url + path, { method, body, token: await token() });

  const provedHost = async (): Promise<string> => {
    const { host } = await world.add("sound");
    const value = ownerValue(runtime.identity.secret, await accountId(), host);
    await world.set(host, { ownerTxt: [value] });
    return host;
  };

  return {
    accountId,
    email: async () => {
      await accountId();
      return email;
    },
    token,
    provedHost,
    license: async (siteId = `${uuidv7()}.shop.example`) => {
      const owner = await accountId();
      await changeAccount(store, owner, (current) => ({ ...current, sites: [...current.sites, siteId] }));
      await store.sites.put(hostKey(siteId), {
        v: 1,
        siteId,
        accountId: owner,
        provedAt: createdAt,
        configuration: defaultConfiguration(),
      });
      const wanted = { kind: "license", id: uuidv7(), siteId, name: "", createdAt, expiresAt: null } as const;
      const issued = await issueKey<OwnedLicense>(store, owner, wanted);
      if (issued instanceof Failure) throw new Error(issued.detail);
      return { id: issued.owned.id, key: issued.key, siteId };
    },
    agent: async (name = "helper") => {
      const wanted = { kind: "agent", id: uuidv7(), name, createdAt, generation: 1 } as const;
      const issued = await issueKey<OwnedAgent>(store, await accountId(), wanted);
      if (issued instanceof Failure) throw new Error(issued.detail);
      return { id: issued.owned.id, token: issued.key };
    },
    project: async () => {
      const wanted = { kind: "project", id: uuidv7(), name: "test", createdAt } as const;
      const issued = await issueKey<OwnedProject>(store, await accountId(), wanted);
      if (issued instanceof Failure) throw new Error(issued.detail);
      return { id: issued.owned.id, key: issued.key };
    },
    send,
  };
}
