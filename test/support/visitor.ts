/** A visitor who has what examples need: a credential of each kind, and the ids of things that are there. */

import { setTimeout } from "node:timers/promises";
import { grantRole } from "../../app/cli/operators.ts";
import { OFFICIAL_SOURCE } from "../../schemas/agent-web.ts";
import type { GatewayPlan } from "../../schemas/api-key.ts";
import type { Appeal } from "../../schemas/appeal.ts";
import type { OwnedAgent } from "../../schemas/key.ts";
import type { Tier } from "../../schemas/license.ts";
import { defaultConfiguration } from "../../src/domain/listing/site-configuration.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { type Credential, credentialsOf, type OperationSpec } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { accountKey, changeAccount, openAccountStore } from "../../src/stores/accounts.ts";
import { blockKey } from "../../src/stores/block-list.ts";
import { issueKey } from "../../src/stores/keys.ts";
import { type MailTokenUse, openMailTokens } from "../../src/stores/mail-tokens.ts";
import { openPresences } from "../../src/stores/presences.ts";
import { openWallets } from "../../src/stores/wallets.ts";
import { bindingOf } from "../../workers/accounts/links.ts";
import { issueGatewayKey } from "../../workers/keys/gateway-keys.ts";
import { openReceipts } from "../../workers/session/receipts/store.ts";
import { presence, service, tool } from "../agent-web/presences.ts";
import { documentOf } from "../workers/crawler/observations.ts";
import { enter } from "./agent.ts";
import { createAuthenticator } from "./authenticator.ts";
import { type Example, partsOf } from "./bad-input.ts";
import { askModule } from "./gateway.ts";
import { askJson } from "./json.ts";
import { createOwner, PASSWORD } from "./owner.ts";
import type { TestRegistry } from "./registry.ts";
import { registrationOf } from "./site-keys.ts";
import { siteRecord } from "./site-record.ts";

const LOOK_EVERY_MS = 50;

export interface Visitor {
  /** Header lines with the credential that an operation asks for; a new one each time, since some operations end it. */
  headersFor(operation: OperationSpec): Promise<string[]>;
  /** An operation's example, its `{{names}}` filled in. */
  exampleOf(operation: OperationSpec): Promise<Example>;
  /** What stands for `{{name}}`. */
  valueOf(name: string): Promise<string>;
}

/** A key of the gateway as an operator would issue it, of an account when one is named. */
export async function givenKey(
  { runtime }: TestRegistry,
  plan: GatewayPlan,
  accountId: string | null = null,
): Promise<string> {
  const { broker } = runtime;
  const wanted = { plan, owner: "a test", email: "test@example.com", accountId };
  const issued = await issueGatewayKey({ store: openAccountStore(broker), now: broker.now }, wanted);
  if (issued instanceof Failure) throw new Error(issued.detail);
  return issued.key;
}

/** An account as time would have made it; by default one that is established. @returns its id */
export async function givenAccount(
  { runtime }: TestRegistry,
  { ageDays = 30, ...more }: { ageDays?: number; tier?: Tier; sites?: string[] } = {},
): Promise<string> {
  const accountId = uuidv7();
  await openAccountStore(runtime.broker).accounts.put(accountKey(accountId), {
    v: 1,
    accountId,
    email: `${accountId}@example.com`,
    name: "",
    passwordHash: "",
    tier: "enterprise",
    generation: 0,
    suspended: false,
    createdAt: new Date(runtime.broker.now() - ageDays * 86_400_000).toISOString(),
    knownOrigins: [],
    sites: [],
    keys: [],
    ...more,
  });
  return accountId;
}

/** An agent of an account. @returns its token */
export async function givenAgent({ runtime }: TestRegistry, accountId: string): Promise<string> {
  const store = openAccountStore(runtime.broker);
  const createdAt = new Date().toISOString();
  const wanted = { kind: "agent", id: uuidv7(), name: "helper", createdAt, generation: 1 } as const;
  const issued = await issueKey<OwnedAgent>(store, accountId, wanted);
  if (issued instanceof Failure) throw new Error(issued.detail);
  return issued.key;
}

/** A key of an established account of its own. */
export const givenAccountKey = async (registry: TestRegistry, plan: GatewayPlan): Promise<string> =>
  givenKey(registry, plan, await givenAccount(registry));

/** A site as its owner's proof would have made it; of whoever had it before no more. */
export async function givenSite(
  { runtime }: TestRegistry,
  accountId: string,
  siteId = `${uuidv7()}.shop.example`,
): Promise<string> {
  const provedAt = new Date(runtime.broker.now()).toISOString();
  const configuration = defaultConfiguration();
  await openAccountStore(runtime.broker).sites.put(hostKey(siteId), {
    v: 1,
    siteId,
    accountId,
    provedAt,
    configuration,
  });
  return siteId;
}

/** A site that its owner opened to requests, as a visit would have verified it. */
export async function givenOpenedSite(
  registry: TestRegistry,
  accountId: string,
  access: "request" | "open" = "request",
): Promise<string> {
  const { broker, sites } = registry.runtime;
  const store = openAccountStore(broker);
  const siteId = await givenSite(registry, accountId);
  await changeAccount(store, accountId, (account) => ({ ...account, sites: [...account.sites, siteId] }));
  await store.sites.update(hostKey(siteId), (site) => ({
    next: { ...site!, configuration: { ...site!.configuration, access } },
    result: true,
  }));
  await sites.put(hostKey(siteId), siteRecord(siteId, broker.now(), { access }));
  return siteId;
}

/** What an agent sent to a site, as its owner sees it. @returns its id */
export async function givenReceipt(
  { runtime }: TestRegistry,
  of: { accountId: string; siteId: string; licenseId: string },
): Promise<string> {
  const at = new Date(runtime.broker.now()).toISOString();
  const receiptId = uuidv7();
  await openReceipts(runtime.broker).begin({
    v: 1,
    receiptId,
    state: "done",
    until: 0,
    sessionId: uuidv7(),
    ...of,
    agentId: "agent-1",
    action: "submit",
    effect: "purchase",
    total: { amount: "14.90", currency: "EUR" },
    method: "POST",
    url: `https://${of.siteId}/order`,
    requestHash: "0".repeat(64),
    commandHash: "0".repeat(64),
    startedAt: at,
    finishedAt: at,
    status: 200,
    replyHash: "0".repeat(64),
    finalUrl: `https://${of.siteId}/order/1`,
    leafIndex: null,
  });
  return receiptId;
}

/** An account with a site, what an agent asks and did there, and a key: all that its page has to show. */
export async function givenFullAccount(registry: TestRegistry, email: string): Promise<{ siteId: string }> {
  const { broker } = registry.runtime;
  const store = openAccountStore(broker);
  const { accountId } = (await store.byEmail(email))!.value;
  const siteId = await givenOpenedSite(registry, accountId);
  const token = await givenAgent(registry, await givenAccount(registry));
  const asked = await askJson(`${registry.url}/api/bridge/access-requests`, {
    token,
    body: { domain: siteId, purpose: "buy tea for the office, once a month" },
  });
  if (asked.status >= 300) throw new Error(`nothing was asked: ${JSON.stringify(asked.body)}`);
  const key = { plan: "FREE", owner: "price watch", email, accountId } as const;
  await issueGatewayKey({ store, now: broker.now }, key);
  await givenReceipt(registry, { accountId, siteId, licenseId: uuidv7() });
  return { siteId };
}

const SELLING_SITE = "selling.example";

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** What several names say of one thing: a name that is asked for again is of the next one. */
function together<T>(make: () => Promise<T>): (name: keyof T) => Promise<T> {
  let made: Promise<T> | undefined;
  const asked = new Set<keyof T>();
  return (name) => {
    if (!made || asked.has(name)) {
      made = make();
      asked.clear();
    }
    asked.add(name);
    return made;
  };
}

export function createVisitor(registry: TestRegistry): Visitor {
  const owner = createOwner(registry);
  /** One license for examples that name its key and its host. */
  const license = once(() => owner.license());
  const enabledHost = () => registry.world.hosts.find(({ kind }) => kind === "sound")!.host;
  /** One license for a site that is there to be visited. */
  const visited = once(() => owner.license(enabledHost()));
  /** One project for examples that name the one whose key they send. */
  const writer = once(() => owner.project());
  /** One agent for examples that name what it asked for. */
  const agent = once(() => owner.agent());
  const credentials: Record<Credential, () => Promise<string | undefined>> = {
    key: async () => {
      const accountId = await givenAccount(registry);
      // Whoever asks last may sell.
      await givenSite(registry, accountId, SELLING_SITE);
      return givenKey(registry, "BUSINESS", accountId);
    },
    account: owner.token,
    agent: async () => (await agent()).token,
    session: async () => (await enter(registry.url, (await visited()).key)).token,
    project: async () => (await writer()).key,
    operator: () => grantRole(registry.runtime.broker, `${uuidv7()}@registry.example`, "admin"),
  };
  /** The token of a link that was mailed to the account's holder. */
  const linkToken = (use: MailTokenUse) => async (): Promise<string> => {
    const { broker, identity } = registry.runtime;
    const accountId = await owner.accountId();
    const { value } = (await openAccountStore(broker).account(accountId))!;
    return openMailTokens(identity.secret, broker.now).issue(use, accountId, bindingOf[use](value));
  };
  /** A product that somebody told a price of. */
  const product = once(async () => {
    const product = { platform: "shop.example", productId: "example" };
    await askModule(registry, "price", await credentials.key(), "track", {
      ...product,
      price: 10,
      currency: "EUR",
    });
    return product;
  });
  const sent = async (token: string, method: string, path: string, body: object) =>
    (await askJson(registry.url + path, { method, body, token })).body;
  /** A site of the account that takes requests: one that a visit has verified. */
  const openedSite = once(async () => {
    const { siteId } = await visited();
    await openAccountStore(registry.runtime.broker).sites.update(hostKey(siteId), (site) => ({
      next: { ...site!, configuration: { ...site!.configuration, access: "request" as const } },
      result: true,
    }));
    return siteId;
  });
  const request = async (asker: { token: string }): Promise<string> => {
    const body = { domain: await openedSite(), purpose: "try", permissions: ["readContent", "navigate"] };
    return (await sent(asker.token, "POST", "/api/bridge/access-requests", body)).request_id;
  };
  /** An agent of somebody else that asked for a site of the account. */
  const asking = async (): Promise<string> => {
    const asker = await createOwner(registry).agent();
    await request(asker);
    return asker.id;
  };
  /** What an agent of the visited license sent to its site. */
  const receipt = once(async () => {
    const { id: licenseId, siteId } = await visited();
    const accountId = (await openAccountStore(registry.runtime.broker).site(siteId))!.value.accountId;
    return givenReceipt(registry, { accountId, siteId, licenseId });
  });
  const device = () => createAuthenticator(new URL(registry.runtime.publicUrl).origin);
  const passkeyOptions = async () => (await owner.send("GET", "/api/account/passkeys/options")).body;
  /** A new passkey of the account, in place of those before: an account has few. */
  const passkey = async () => {
    const { passkeys } = (await owner.send("GET", "/api/account/passkeys")).body;
    for (const { passkey_id } of passkeys) await owner.send("DELETE", `/api/account/passkeys/${passkey_id}`);
    const made = device();
    const credential = made.create(await passkeyOptions());
    const { body } = await owner.send("POST", "/api/account/passkeys", {
      name: "phone",
      password: PASSWORD,
      credential,
    });
    return { device: made, id: body.passkey_id as string };
  };
  /** Has an operator take a site down; no visit is to remove what is not there. @returns the decision */
  const takeDown = async (siteId: string): Promise<string> => {
    const decision = new Date(registry.runtime.broker.now()).toISOString();
    const why = "Malware on its home page";
    await registry.runtime.blocks.put(blockKey(siteId), {
      v: 1,
      host: siteId,
      at: decision,
      why,
      by: "operator",
    });
    return decision;
  };
  const takenDown = async () => {
    const { siteId } = await owner.license();
    return { siteId, decision: await takeDown(siteId) };
  };
  const blocked = together(takenDown);
  const appealed = together(async () => {
    const { siteId, decision } = await takenDown();
    const appeal = { kind: "block", decision, reason: "It is clean since yesterday" };
    return (await owner.send("POST", `/api/account/sites/${siteId}/appeals`, appeal)).body as Appeal;
  });
  /** A host with an MCP server that answered, once the index has it. */
  let found: Promise<string> | undefined;
  const findHost = async () => {
    const host = "found.test";
    const tools = [tool("convert", "Converts a currency")];
    const claimed_by = [{ source: OFFICIAL_SOURCE, id: "test.found/rates", version: "1.4.0" }];
    const seen = presence(host, [service(host, "Exchange rates", tools, { claimed_by })]);
    await openPresences(registry.runtime.broker.buckets.contents).put(seen);
    const isListed = async () => {
      const { body } = await registry.getJson(`/api/registry/services?host=${host}`);
      return (body as { services?: unknown[] }).services?.length === 1;
    };
    while (!(await isListed())) await setTimeout(LOOK_EVERY_MS);
    return host;
  };
  const foundHost = () => (found ??= findHost());
  const names: Record<string, () => Promise<string>> = {
    askedHost: openedSite,
    requestId: async () => request(await agent()),
    waitingRequestId: async () => request(await createOwner(registry).agent()),
    approvedRequestId: async () => {
      const id = await request(await agent());
      await owner.send("POST", `/api/account/access-requests/${id}/decisions`, { decision: "approve" });
      return id;
    },
    askingAgentId: asking,
    certId: async () => {
      const claim = { url: "https://shop.example/tea", product: "Tea", price: 1, currency: "EUR" };
      const { body } = await askModule(registry, "notary", await credentials.key(), "price", claim);
      return body.certificate.cert_id as string;
    },
    receiptId: receipt,
    email: owner.email,
    emailToken: linkToken("email"),
    passwordToken: linkToken("password"),
    noticesToken: linkToken("notices"),
    watchId: async () =>
      (await owner.send("POST", "/api/registry/watches", { domain: "shop.example", mail: true })).body
        .watch_id,
    password: async () => PASSWORD,
    newEmail: async () => `visitor-${uuidv7()}@shop.example`,
    provedHost: owner.provedHost,
    foundHost,
    identifier: async () => {
      await foundHost();
      const { body } = await registry.getJson("/ard/agents");
      return (body as { items: { identifier: string }[] }).items[0]!.identifier;
    },
    serverName: async () => {
      await foundHost();
      return "test.found%2Frates";
    },
    siteId: async () => (await owner.license()).siteId,
    blockedSite: async () => (await blocked("siteId")).siteId,
    blockDecision: async () => (await blocked("decision")).decision,
    appealedSite: async () => (await appealed("domain")).domain,
    appealId: async () => (await appealed("appeal_id")).appeal_id,
    givenHost: async () => {
      const { siteId } = await owner.license();
      await owner.send("PUT", `/api/account/sites/${siteId}/document`, {
        document: documentOf({ provider: { name: "Tea", domain: siteId, category: "", description: "" } }),
      });
      return siteId;
    },
    accountId: owner.accountId,
    newPasskey: async () => JSON.stringify(device().create(await passkeyOptions())),
    passkeyId: async () => (await passkey()).id,
    passkeyAssertion: async () => {
      const { body } = await registry.getJson("/api/auth/passkeys/options");
      return JSON.stringify((await passkey()).device.get(body));
    },
    planAskingAccountId: async () => {
      const asking = createOwner(registry);
      await asking.send("PUT", "/api/account/plan", { tier: "pro" });
      return asking.accountId();
    },
    keptHost: async () => {
      const { key, siteId } = await license();
      await openWallets(registry.runtime.broker, registry.runtime.identity).keep(
        await owner.accountId(),
        siteId,
        key,
      );
      return siteId;
    },
    keyId: async () => (await owner.project()).id,
    logInId: async () => {
      const credentials = { email: await owner.email(), password: PASSWORD };
      const { body } = await registry.postJson("/api/auth/login", credentials);
      const reply = await askJson(`${registry.url}/api/auth/log-ins`, { token: body.token });
      return reply.body.log_ins[0].log_in_id as string;
    },
    licenseKey: async () => (await license()).key,
    licensedHost: async () => (await license()).siteId,
    enabledHost: async () => enabledHost(),
    host: async () => registry.world.hosts[0]!.host,
    report: once(async () => {
      const report = { url: "https://offer.example/", kind: "other", description: "An odd offer" };
      const { body } = await askModule(registry, "bounty", await credentials.key(), "report", report);
      return body.report.id as string;
    }),
    pool: once(async () => {
      const { body } = await askModule(registry, "bargaining", await credentials.key(), "join", {
        product_ref: "a lamp",
        quantity: 1,
        currency: "EUR",
        commitment: "0".repeat(64),
      });
      return body.pool.pool_id as string;
    }),
    sellingSite: async () => SELLING_SITE,
    nextMonth: async () => new Date(registry.runtime.broker.now() + 30 * 86_400_000).toISOString(),
    origin: async () => `https://${registry.world.hosts[0]!.host}:${registry.world.port}`,
    platform: async () => (await product()).platform,
    productId: async () => (await product()).productId,
    batch: async () =>
      (await registry.postJson("/api/discovery/provider/verify-batch", { domains: ["shop.example"] })).body
        .request_id,
    writingProject: async () => (await writer()).id,
    registration: async () => JSON.stringify(registrationOf(registry, registry.world.hosts[0]!.host)),
    registeredDomain: async () => {
      const { host } = registry.world.hosts[0]!;
      await registry.postJson("/api/ring4/register", registrationOf(registry, host));
      await registry.settled();
      return host;
    },
    logLeaf: async () => {
      const log = await registry.runtime.transparency();
      const topic = { kind: "interaction", project: "visitor" } as const;
      return String((await log.commit(topic, "visitor's", Buffer.from("an entry"))).leafIndex);
    },
    logTile: async () => {
      const log = await registry.runtime.transparency();
      await log.append({ kind: "certificate" }, "visitor", Buffer.from("an entry"));
      return "000.p/1";
    },
  };
  return {
    headersFor: async (operation) => {
      const [kind] = credentialsOf(operation);
      // The account that others use is not the one to close.
      const endsAccount = operation.paths.includes("/api/account/close");
      const tokenOf = endsAccount ? createOwner(registry).token : credentials[kind!];
      const credential = operation.auth === "none" ? undefined : await tokenOf();
      return credential === undefined ? [] : [`Authorization: Bearer ${credential}`];
    },
    exampleOf: async ({ example }) => {
      let filled = example;
      for (const [placeholder, name] of example.matchAll(/\{\{(\w+)\}\}/g))
        filled = filled.replaceAll(placeholder, await names[name!]!());
      return partsOf(filled);
    },
    valueOf: (name) => names[name]!(),
  };
}
