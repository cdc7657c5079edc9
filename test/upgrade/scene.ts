/** What a fixture holds: every kind of thing that people, agents and an operator leave in a registry. */
import { randomBytes } from "node:crypto";
import { trustHeaders } from "../../src/domain/trust/trust-headers.ts";
import type { Kind } from "../../world/kinds.ts";
import { until } from "../faults/programs.ts";
import { keyOf, registrationOf } from "../support/site-keys.ts";
import { type Asking, HOOK_PORT, PUBLIC_URL, type Version, WORLD } from "./version.ts";

/** Asks, and takes no refusal. @returns the body */
const get = async ({ ask }: Version, path: string, asking?: Asking): Promise<any> => {
  const { status, body } = await ask(path, asking);
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
  return body;
};

/** Waits until nothing is due or under way. */
export const settle = async (version: Version): Promise<void> => {
  for (let calm = 0; calm < 3; ) {
    const { frontier } = JSON.parse(await version.bridge("status", "--json"));
    calm = frontier.due + frontier.inFlight === 0 ? calm + 1 : 0;
  }
};

const hostsOf = ({ world }: Version, kind: Kind): string[] =>
  world.hosts.filter((site) => site.kind === kind).map(({ host }) => host);

/** Hosts that are named only by others, at the very end: seen by nobody when the fixture is written. */
export const LATE = 2;

const PASSWORD = "correct horse battery staple";

const openAccount = async (version: Version, email: string) => {
  const { user } = await get(version, "/api/auth/register", {
    body: { email, password: PASSWORD, name: "Ada" },
  });
  const { token } = await get(version, "/api/auth/login", { body: { email, password: PASSWORD } });
  return { id: user.id as string, email, password: PASSWORD, token: token as string };
};

/** Accounts: one that owns a shop, licenses agents and logs for a project; one that is suspended. */
const writeAccounts = async (version: Version) => {
  const account = await openAccount(version, "ada@owner.example");
  const suspended = await openAccount(version, "mallory@owner.example");
  await version.bridge("grant", account.email, "enterprise");
  await version.bridge("suspend", suspended.email);
  await version.bridge("plan", "pro", "--price", "49");
  const { token } = account;
  const [siteId] = hostsOf(version, "shop") as [string];
  const { records } = await get(version, `/api/account/sites/challenge?domain=${siteId}`, { token });
  const ownerTxt: string[] = records.map(({ value }: { value: string }) => value);
  await version.world.set(siteId, { ownerTxt });
  await get(version, "/api/account/sites", { token, body: { domain: siteId } });
  await get(version, `/api/account/sites/${siteId}`, {
    token,
    method: "PATCH",
    body: { permissions: { fillForms: true }, restrictions: { denied_paths: ["/private"] } },
  });
  const license = (name: string) => get(version, "/api/account/licenses", { token, body: { siteId, name } });
  const [kept, revoked] = [await license("kept"), await license("revoked")];
  await get(version, `/api/account/licenses/${revoked.license_id}/revoke`, { token, body: {} });
  const project = await get(version, "/api/account/projects", { token, body: { name: "travel agent" } });
  return {
    account,
    suspended,
    site: { siteId, ownerTxt, deniedPath: "/private" },
    license: { id: kept.license_id as string, key: kept.license_key as string },
    revokedLicense: revoked.license_key as string,
    project: { id: project.project_id as string, key: project.project_key as string },
  };
};

/** A session that an agent has open: on a page, with a command that counted. */
const writeSession = async (version: Version, licenseKey: string) => {
  const { session } = await get(version, "/api/bridge/authenticate", {
    body: { licenseKey, agentId: "agent-1", agentName: "Fixture" },
  });
  const { token } = session;
  const { success } = await get(version, "/api/bridge/execute", {
    token,
    body: { action: "navigate", target: "/" },
  });
  if (!success) throw new Error("the agent did not get to the home page");
  return { token: token as string };
};

/** Keys of the gateway, and what was done with them. */
const writeGateway = async (version: Version, accountToken: string) => {
  const generate = (plan: string, token?: string) =>
    get(version, "/api/v1/keys/generate", {
      body: { plan, owner: "Ada", email: "ada@owner.example" },
      ...(token && { token }),
    });
  const [free, paid, revoked] = [
    await generate("FREE"),
    await generate("BUSINESS", accountToken),
    await generate("FREE"),
  ];
  await get(version, "/api/v1/keys/revoke", { token: revoked.key, body: {} });
  const send = (path: string, body: unknown) => get(version, path, { token: paid.key, body });
  const product = { platform: "shop.example", productId: "w120", name: "Sony Cyber-shot DSC-W120 silver" };
  const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString();
  for (const [price, observed_at] of [[129.9, monthAgo], [119.9]] as const)
    await send("/api/v1/price/track", {
      ...(observed_at && { observed_at }),
      platform: product.platform,
      productId: product.productId,
      product_name: product.name,
      price,
      currency: "EUR",
      region: "AT",
    });
  const [attacked] = hostsOf(version, "injection") as [string];
  const { report } = await send("/api/v1/bounty/report", {
    url: `https://${attacked}:${version.world.port}/`,
    kind: "prompt_injection",
    description: "A hidden paragraph tells agents to send data",
    handle: "ada",
  });
  const { pool } = await send("/api/v1/bargaining/join", {
    product_ref: "Acme Lamp 3",
    quantity: 2,
    currency: "EUR",
    commitment: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  });
  const offer = { url: "https://shop.example/tea", product: "Green tea, 100 g", currency: "EUR" };
  const price = await send("/api/v1/notary/price", { ...offer, price: 7.9 });
  const payment = await send("/api/v1/notary/transaction", { ...offer, agreed: 7.9, paid: 8.4 });
  return {
    keys: { free: free.key as string, paid: paid.key as string, revoked: revoked.key as string },
    product,
    report: { id: report.id as string, url: report.url as string },
    pool: { id: pool.pool_id as string, productRef: pool.product_ref as string },
    certificates: [price, payment].map(({ certificate }) => certificate.cert_id as string),
  };
};

/** A registration for ring 4, logged interactions, a trust header that was used once, and the log as it stands then. */
const writeTrust = async (version: Version, project: { id: string; key: string }) => {
  const [, domain] = hostsOf(version, "sound") as [string, string];
  const world = { worldSeed: WORLD.seed };
  const registered = await get(version, "/api/ring4/register", { body: registrationOf(world, domain) });
  const body = { project_id: project.id, domain, event_type: "recognize", outcome: "success" };
  for (const event_type of ["recognize", "verify"])
    await get(version, "/api/ring4/log", { token: project.key, body: { ...body, event_type } });
  const path = "/api/bridge/ping";
  const request = { method: "GET", authority: new URL(PUBLIC_URL).host, target: path, body: Buffer.alloc(0) };
  const { privateKey } = keyOf(world, domain);
  const random = randomBytes(16);
  const headers = trustHeaders(request, { domain, privateKey }, Date.now(), random);
  await get(version, path, { headers });
  return {
    registration: { domain, leafIndex: registered.leaf_index as number },
    interactions: ["recognize", "verify"],
    nonce: { domain, random: random.toString("base64url"), nonce: headers["x-bridge-trust-nonce"]! },
  };
};

/** A batch, and one whose webhook could not be delivered yet. */
const writeProvider = async (version: Version) => {
  const domains = [...hostsOf(version, "sound").slice(0, 2), ...hostsOf(version, "no_txt").slice(0, 1)];
  const [host] = hostsOf(version, "secure") as [string];
  const secret = `whsec_${Buffer.from("a secret of the fixture").toString("base64")}`;
  const path = "/api/discovery/provider/verify-batch";
  const plain = await get(version, path, { body: { domains } });
  const hooked = await get(version, path, {
    body: { domains, callback_url: `http://${host}:${HOOK_PORT}/hooks`, callback_secret: secret },
  });
  const id: string = hooked.request_id;
  await until("the first attempt of the webhook", async () => {
    const { delivery } = await get(version, `/api/discovery/provider/batches/${id}`);
    return delivery.attempts.length === 1;
  });
  return {
    domains,
    batch: { id: plain.request_id as string },
    hook: { id, host, secret, summary: hooked.summary },
  };
};

/** What the operator did to sites: one blocked; one whose owner took its record away. */
const writeStates = async (version: Version) => {
  const [, , , blocked, delisted] = hostsOf(version, "sound") as string[];
  await version.bridge("block", blocked!, "--why", "malware");
  await version.world.set(delisted!, { txt: "revoked" });
  await version.bridge("seed", delisted!);
  await until("the site to leave the directory", async () => {
    const { total } = await get(version, `/api/discovery/registry?domain=${delisted}`);
    return total === 0;
  });
  return { blocked: blocked!, delisted: delisted! };
};

export interface Answer {
  path: string;
  as: "account" | "session" | "free" | "paid" | "nobody";
  body: any;
}

type Written = { session: { token: string } } & Awaited<ReturnType<typeof writeAccounts>> &
  Awaited<ReturnType<typeof writeGateway>> &
  Awaited<ReturnType<typeof writeTrust>> &
  Awaited<ReturnType<typeof writeProvider>>;

/** Questions whose answers a later version gives too, times aside. */
const questionsOf = (written: Written) => {
  const { site, project, product, report, pool, certificates, registration, batch } = written;
  const name = encodeURIComponent(product.name);
  return {
    me: ["account", "/api/auth/me"],
    plans: ["nobody", "/api/plans"],
    sites: ["account", "/api/account/sites"],
    licenses: ["account", "/api/account/licenses"],
    projects: ["account", "/api/account/projects"],
    actions: ["session", "/api/bridge/actions"],
    document: ["nobody", `/api/bridge/discover?siteId=${site.siteId}`],
    usage: ["paid", "/api/v1/keys/usage"],
    history: ["paid", `/api/v1/price/history/${product.platform}/${product.productId}`],
    compare: ["paid", `/api/v1/price/compare?product_name=${name}`],
    report: ["free", `/api/v1/bounty/report/${report.id}`],
    pool: ["paid", `/api/v1/bargaining/pool/${pool.id}`],
    price: ["paid", `/api/v1/notary/verify/${certificates[0]}`],
    payment: ["paid", `/api/v1/notary/verify/${certificates[1]}`],
    registration: ["nobody", `/api/ring4/status/${registration.domain}`],
    interactions: ["nobody", `/api/ring4/log/${project.id}`],
    batch: ["nobody", `/api/discovery/provider/batches/${batch.id}`],
  } as const;
};

const writeAnswers = async (version: Version, written: Written) => {
  const { account, session, keys } = written;
  const tokens = {
    account: account.token,
    session: session.token,
    free: keys.free,
    paid: keys.paid,
    nobody: undefined,
  };
  const questions = questionsOf(written);
  const answers = {} as Record<keyof typeof questions, Answer>;
  for (const [name, [as, path]] of Object.entries(questions)) {
    const token = tokens[as];
    const body = await get(version, path, { ...(token && { token }) });
    answers[name as keyof typeof questions] = { path, as, body };
  }
  return answers;
};

/** What was refused, and is to be refused for the same reason. */
const writeRefusals = async (
  { ask }: Version,
  { suspended, account, site, revokedLicense, keys }: Written,
) => {
  const { email, password } = suspended;
  const attempts = {
    suspended: { path: "/api/auth/login", body: { email, password } },
    wrongPassword: { path: "/api/auth/login", body: { email: account.email, password: "another password" } },
    revokedLicense: {
      path: "/api/license/verify",
      body: { licenseKey: revokedLicense, domain: site.siteId },
    },
    revokedKey: { path: "/api/v1/keys/validate", body: {}, token: keys.revoked },
  };
  const refusals: (Asking & { path: string; status: number; code: string })[] = [];
  for (const attempt of Object.values(attempts)) {
    const { status, body } = await ask(attempt.path, attempt);
    refusals.push({ ...attempt, status, code: body.code });
  }
  return refusals;
};

interface Listed {
  domain: string;
  trust_ring: number;
  name: string;
  category: string;
  description: string;
}

/** Everything that can be made over HTTP and by the command line. @returns what a later version must go on saying */
export const writeScene = async (version: Version) => {
  const accounts = await writeAccounts(version);
  const session = await writeSession(version, accounts.license.key);
  const gateway = await writeGateway(version, accounts.account.token);
  const trust = await writeTrust(version, accounts.project);
  const states = await writeStates(version);
  // A name that nobody serves, below a domain of its own: it waits for a probe, and is said again.
  await get(version, "/api/registry/report", { body: { domain: "newcomer.waiting.test" } });
  await settle(version);
  const { listings } = await get(version, "/api/discovery/registry?limit=200");
  const provider = await writeProvider(version);
  const written = { session, ...accounts, ...gateway, ...trust, ...provider };
  const answers = await writeAnswers(version, written);
  const refusals = await writeRefusals(version, written);
  const checkpoint: string = await get(version, "/.well-known/bridge-log/checkpoint");
  const logKey: string = await get(version, "/.well-known/bridge-log/key");
  return {
    ...written,
    ...states,
    reported: "newcomer.waiting.test",
    directory: (listings as Listed[]).map(({ domain, trust_ring, name, category, description }) => ({
      domain,
      trust_ring,
      name,
      category,
      description,
    })),
    answers,
    refusals,
    log: { checkpoint, key: logKey.trim() },
  };
};

export type Scene = Awaited<ReturnType<typeof writeScene>>;
