/** For each row of the table of limits: how a stranger makes the cost that it bounds, at the real front and workers. */
import { randomBytes } from "node:crypto";
import { get as httpGet } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { newRecord } from "../../src/crawl/judgement.ts";
import { hostedDocument } from "../../src/domain/listing/hosted-document.ts";
import { encodeBase64Url } from "../../src/domain/protocols/base64url.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { LimitName } from "../../src/rpc/limit-table.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { hashOfKey, makeKey } from "../../src/stores/api-keys.ts";
import { openUploadedDocuments, uploadedKey } from "../../src/stores/hosted-documents.ts";
import { ACCOUNT_KEY_PREFIXES } from "../../src/stores/keys.ts";
import { loggedKey } from "../../src/stores/logged-hosts.ts";
import { openRecords } from "../../src/stores/records.ts";
import { tasksOf } from "../../src/threads/task.ts";
import type { ThreadTasks } from "../../src/threads/thread-tasks.ts";
import { openMailbox } from "../../workers/accounts/mail/outbox.ts";
import { logChanges, openChanges } from "../../workers/crawler/log-changes.ts";
import { openNewTable } from "../../workers/gossip/new-table.ts";
import { Holder } from "../../workers/gossip/tables.ts";
import type { Webhooks } from "../../workers/provider/webhooks.ts";
import { makeLicense } from "../support/license.ts";
import type { TestRegistry } from "../support/registry.ts";
import { registrationOf } from "../support/site-keys.ts";
import { givenAgent, givenKey, givenOpenedSite, givenSite } from "../support/visitor.ts";
import type * as poolTasks from "../threads/pool-tasks.ts";
import {
  type Answer,
  accountToken,
  ask,
  emptyAccount,
  joinWebsocket,
  let_in,
  type Outcome,
  outcomeOf,
  turned_away,
} from "./stranger.ts";

const WAIT = tasksOf<typeof poolTasks>(new URL("../threads/pool-tasks.ts", import.meta.url))("wait");

export interface Rig {
  registry: TestRegistry;
  webhooks: Webhooks;
  /** Jobs of threads that wait as those of sessions do. */
  tasks: ThreadTasks;
  /** Called after all: ends what strangers left open. */
  onEnd(end: () => void): void;
}

/** Makes a stranger at `network`.1 …; each call of what it gives is one try. */
export type Driver = (rig: Rig, network: string) => Promise<(nth: number) => Promise<Outcome>>;

let made = 0;
/** Newest leaves of hosts that change. */
const known = new Map<string, number | undefined>();
const fresh = (): string => `${process.pid}-${++made}`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** One request a try, always the same or a new one each time. */
const requests =
  (
    row: LimitName,
    prepare: (
      rig: Rig,
      network: string,
    ) => Promise<(nth: number) => [line: string, body?: unknown, headers?: Record<string, string>]>,
  ): Driver =>
  async (rig, network) => {
    const next = await prepare(rig, network);
    return async (nth) => outcomeOf(row, await ask(rig.registry, `${network}.1`, ...next(nth)));
  };

interface Burst {
  /** Requests of a try, and how many of them at once. */
  size: number;
  lanes: number;
  /** Addresses of the network that they come from. */
  addresses?: number;
}

/** Many requests a try: refused when any of them was. */
const bursts =
  (
    row: LimitName,
    { size, lanes, addresses = 1 }: Burst,
    prepare: (rig: Rig) => Promise<(nth: number) => [string, unknown?, Record<string, string>?]>,
  ): Driver =>
  async (rig, network) => {
    const next = await prepare(rig);
    return async (nth) => {
      const answers: Answer[] = [];
      const send = async (i: number) =>
        answers.push(await ask(rig.registry, `${network}.${1 + (i % addresses)}`, ...next(nth * size + i)));
      // The first try of whoever is not to be refused is one request.
      const count = nth === 0 ? 1 : size;
      const lane = async (from: number) => {
        for (let i = from; i < count; i += lanes) await send(i);
      };
      await Promise.all(Array.from({ length: lanes }, (_, from) => lane(from)));
      const outcomes = answers.map((answer) => outcomeOf(row, answer));
      return outcomes.find(({ refused }) => refused) ?? outcomes[0]!;
    };
  };

async function account({ registry }: Rig, change: object = {}) {
  const accountId = uuidv7();
  await emptyAccount(registry, accountId, change);
  return { accountId, headers: bearer(await accountToken(registry, accountId)) };
}

/** A socket that stays; refused when the front closes it at once. */
const holdConnection = (
  { registry, onEnd }: Rig,
  localAddress: string,
  port = Number(new URL(registry.url).port),
): Promise<Outcome> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    onEnd(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(turned_away("closed")));
    setTimeout(() => resolve(let_in("open")), 150);
  });

/** A stream of events that stays; refused with a problem. */
const holdStream = ({ registry, onEnd }: Rig, localAddress: string): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const sent = httpGet(`${registry.url}/status/events`, { localAddress, agent: false }, (reply) => {
      if (reply.statusCode === 200) {
        onEnd(() => sent.destroy());
        reply.on("error", () => undefined).resume();
        return resolve(let_in("open"));
      }
      json(reply).then((body) => {
        const retryAfter = Number(reply.headers["retry-after"] ?? 0);
        resolve(outcomeOf("status_streams", { status: reply.statusCode ?? 0, retryAfter, body }));
      }, reject);
    });
    sent.on("error", reject);
  });

/** Asks for far more than the system's buffers hold and reads none of it; refused when the front cuts it off. */
const readNothing = (
  { registry, onEnd }: Rig,
  path: string,
  localAddress: string,
  waitMs: number,
): Promise<Outcome> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(registry.url);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    onEnd(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: registry.test\r\n\r\n`.repeat(20));
    // Only a socket that reads hears of its end; one that writes is told by the reset.
    const poke = setInterval(() => socket.write("GET /healthz HTTP/1.1\r\nHost: registry.test\r\n\r\n"), 200);
    const end = (outcome: Outcome) => {
      clearInterval(poke);
      resolve(outcome);
    };
    socket.once("close", () => end(turned_away("cut off")));
    setTimeout(() => end(let_in("open")), waitMs);
  });

/** Many at once; refused when one of them was told that too much of its own waits. */
const waits =
  (size: number, sendOne: (rig: Rig, network: string) => Promise<() => Promise<string>>): Driver =>
  async (rig, network) => {
    const send = await sendOne(rig, network);
    return async (nth) => {
      const told = await Promise.all(Array.from({ length: nth === 0 ? 1 : size }, send));
      const refusal = told.find((detail) => /^Too much of (yours|this site) waits/.test(detail));
      return refusal ? turned_away(refusal) : let_in(told[0]);
    };
  };

async function registered({ registry }: Rig, network: string) {
  const [email, password] = [`${fresh()}@example.test`, "correct horse battery"];
  const reply = await ask(registry, `${network}.9`, "POST /api/auth/register", {
    email,
    password,
    name: "Ada",
  });
  if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
  return { email, password, accountId: reply.body.user.id as string };
}

const sendHook =
  (bytes: number): Driver =>
  async ({ webhooks }, network) => {
    const host = `hooks-${fresh()}.test`;
    return async () => {
      const hook = { v: 1 as const, id: uuidv7(), url: `https://${host}/`, secret: null, made: 0 };
      const refused = await webhooks.send({ ...hook, body: "x".repeat(bytes) }, `${network}.1`);
      return refused === undefined ? let_in() : turned_away(refused);
    };
  };

/** Names said one a try; refused when the registry took no notice. */
const reports =
  (nameOf: (stranger: string, nth: number) => string): Driver =>
  async ({ registry }, network) => {
    const stranger = fresh();
    return async (nth) => {
      const domain = nameOf(stranger, nth);
      const reply = await ask(registry, `${network}.1`, "POST /api/registry/report", { domain });
      if (reply.status !== 200) throw new Error(`a report was answered ${reply.status}`);
      return (await registry.runtime.frontier.has(domain)) ? let_in() : turned_away("dropped");
    };
  };

/** Announces a body and sends none of it; refused when it is told so at once. */
const announceBody = ({ registry, onEnd }: Rig, localAddress: string, bytes: number): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(registry.url);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    onEnd(() => socket.destroy());
    socket.once("error", reject);
    socket.once("data", (said) => {
      const line = said.toString("latin1").split("\r\n", 1)[0]!;
      resolve(line.includes(" 429 ") ? turned_away(line) : let_in(line));
    });
    setTimeout(() => resolve(let_in("waits for it")), 500);
    socket.write(
      `POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
  });

/** For each row, by the operation that is asked most; and for its other ways, `<row> <way>`. */
export const DRIVERS: Record<LimitName, Driver> & Record<`${LimitName} ${string}`, Driver> = {
  connections: async (rig, network) => () => holdConnection(rig, `${network}.1`),
  unread_bytes: async (rig, network) => async (nth) => {
    // One of pages is a slow reader like any other; several of the longest reply hold more than their address may.
    if (nth === 0) return readNothing(rig, "/docs", `${network}.1`, 6_000);
    const read = (host: number) => readNothing(rig, "/openapi.json", `${network}.${host}`, 12_000);
    const outcomes = await Promise.all([1, 2, 3].map(read));
    return outcomes.find(({ refused }) => refused) ?? outcomes[0]!;
  },
  "requests for documents": requests("requests", async () => () => ["GET /openapi.json"]),
  request_bytes: async (rig, network) => async (nth) => {
    const sent = Array.from({ length: nth === 0 ? 1 : 8 }, () => announceBody(rig, `${network}.1`, 60_000));
    const outcomes = await Promise.all(sent);
    return outcomes.find(({ refused }) => refused) ?? outcomes[0]!;
  },
  requests: bursts("requests", { size: 700, lanes: 8, addresses: 4 }, async () => () => [
    "GET /api/bridge/ping",
  ]),
  requests_under_way: bursts(
    "requests_under_way",
    { size: 40, lanes: 10, addresses: 4 },
    async () => (nth) => [`GET /api/discovery/search?q=shop${nth}`],
  ),
  status_streams: async (rig, network) => () => holdStream(rig, `${network}.1`),
  websockets: async (rig, network) => {
    const { key } = await makeLicense(rig.registry.runtime.broker, `shop-${fresh()}.test`);
    const reply = await ask(rig.registry, `${network}.1`, "POST /api/bridge/authenticate", {
      licenseKey: key,
    });
    return async () => {
      const { socket, code } = await joinWebsocket(rig.registry, `${network}.1`, reply.body.session.token);
      rig.onEnd(() => socket.terminate());
      return code === 1013 ? turned_away("1013") : let_in();
    };
  },
  websockets_unauthenticated: async (rig, network) => async () => {
    const { socket, code } = await joinWebsocket(rig.registry, `${network}.1`);
    rig.onEnd(() => socket.terminate());
    return code === 1013 ? turned_away("1013") : let_in();
  },
  password_hashes: async (rig, network) => async (nth) => {
    const guess = (i: number) =>
      ask(rig.registry, `${network}.${i + 1}`, "POST /api/auth/login", {
        email: `${fresh()}@example.test`,
        password: "guess",
      });
    const answers = await Promise.all(Array.from({ length: nth === 0 ? 1 : 3 }, (_, i) => guess(i)));
    const busy = answers.find(({ status }) => status === 503);
    return busy ? turned_away(busy.body.code) : let_in();
  },

  "thread_tasks of the gateway": waits(36, async (rig, network) => {
    const key = await givenKey(rig.registry, "PRO", null);
    // Few bytes: at this scale one address may have few under way.
    const html = "<p>An offer of the day</p>".repeat(600);
    let nth = 0;
    return async () => {
      // From several addresses: one may hold few connections at this scale.
      const address = `${network}.${1 + (nth++ % 4)}`;
      const reply = await ask(rig.registry, address, "POST /api/v1/firewall/scan", { html }, bearer(key));
      return String(reply.body.detail ?? reply.status);
    };
  }),
  // What a session reads takes a thread a few milliseconds: jobs of a known length stand for it, in a line like its own.
  thread_tasks: waits(140, async ({ tasks }, network) => {
    const principal = { kind: "session", sessionId: "", agentId: "", licenseId: "" } as const;
    const session = { ...principal, siteId: `shop-${fresh()}.test`, accountId: uuidv7() };
    const caller = { clientAddress: `${network}.1`, timeoutMs: 30_000, principal: session };
    return async () => {
      const result = await tasks.run(WAIT, 10, caller, session.siteId);
      return result instanceof Failure ? result.detail : "read";
    };
  }),

  calls: bursts("calls", { size: 130, lanes: 8, addresses: 4 }, async (rig) => {
    const { headers } = await account(rig);
    return () => ["GET /api/auth/me", undefined, headers];
  }),
  "calls of an agent": bursts("calls", { size: 130, lanes: 8, addresses: 4 }, async (rig) => {
    const { accountId } = await account(rig, { tier: "enterprise", generation: 1 });
    const headers = bearer(await givenAgent(rig.registry, accountId));
    return () => ["GET /api/account/wallet", undefined, headers];
  }),
  registrations: requests("registrations", async () => () => [
    "POST /api/auth/register",
    { email: `${fresh()}@example.test`, password: "correct horse battery", name: "Ada" },
  ]),
  "registrations of an address that has an account": requests("registrations", async (rig) => {
    const { email, password } = await registered(rig, "127.250.1");
    return () => ["POST /api/auth/register", { email, password, name: "Ada" }];
  }),
  log_ins: requests("log_ins", async (rig, network) => {
    const { email } = await registered(rig, network);
    return () => ["POST /api/auth/login", { email, password: "guess" }];
  }),
  mails: requests("mails", async () => () => [
    "POST /api/auth/password/link",
    { email: `${fresh()}@example.test` },
  ]),
  mails_of_news: async ({ registry }) => {
    const { post } = await openMailbox(registry.runtime);
    const email = `${fresh()}@example.test`;
    const receiver = { accountId: uuidv7(), email, provedEmail: email };
    return async () => {
      const until = registry.runtime.broker.now() + 1;
      const posted = await post(receiver, { subject: "News", text: "News." }, until, { kind: "news" });
      return posted instanceof Failure ? turned_away(posted.code) : let_in("accepted");
    };
  },
  "log_ins by a link": requests("log_ins", async () => () => ["POST /api/auth/email", { token: "guess" }]),
  "log_ins by a change of the password": requests("log_ins", async (rig, network) => {
    const { accountId } = await registered(rig, network);
    const headers = bearer(await accountToken(rig.registry, accountId));
    return () => [
      "POST /api/auth/password",
      { current_password: "guess", new_password: "battery staple" },
      headers,
    ];
  }),
  "account_changes by a proof": requests("account_changes", async (rig) => {
    const { headers } = await account(rig);
    return () => ["POST /api/account/sites", { domain: `${fresh()}.test` }, headers];
  }),
  access_requests: requests("access_requests", async (rig) => {
    const owner = (await account(rig)).accountId;
    const { accountId } = await account(rig, { generation: 1 });
    const headers = bearer(await givenAgent(rig.registry, accountId));
    const sites = await Promise.all(Array.from({ length: 16 }, () => givenOpenedSite(rig.registry, owner)));
    return (nth) => [
      "POST /api/bridge/access-requests",
      { domain: sites[nth % sites.length], purpose: "try" },
      headers,
    ];
  }),
  "log_ins by a passkey": requests("log_ins", async () => () => [
    "POST /api/auth/passkeys/log-in",
    {
      credential: {
        id: "aWQ",
        client_data: "e30",
        authenticator_data: "AA",
        signature: "AA",
        user_handle: "AA",
      },
    },
  ]),
  requests_to_operators: requests("requests_to_operators", async (rig) => {
    const { accountId, headers } = await account(rig);
    const siteId = await givenSite(rig.registry, accountId, `${fresh()}.test`);
    const appeal = { kind: "block", decision: "none", reason: "It is clean" };
    return () => [`POST /api/account/sites/${siteId}/appeals`, appeal, headers];
  }),
  "requests_to_operators for a plan": requests("requests_to_operators", async (rig) => {
    const { headers } = await account(rig);
    return () => ["PUT /api/account/plan", { tier: "pro" }, headers];
  }),
  "account_changes of access": requests("account_changes", async (rig) => {
    const { accountId, headers } = await account(rig);
    const siteId = await givenOpenedSite(rig.registry, accountId);
    return (nth) => [
      `PATCH /api/account/sites/${siteId}`,
      { access: nth % 2 === 0 ? "none" : "request" },
      headers,
    ];
  }),
  account_changes: requests("account_changes", async (rig) => {
    const { headers } = await account(rig);
    return () => ["POST /api/account/keys", { kind: "project", name: "log" }, headers];
  }),
  idempotency_keys: requests("idempotency_keys", async (rig) => {
    const { headers } = await account(rig);
    // What the worker refuses: the key is counted all the same.
    const body = { siteId: "nowhere.test" };
    return () => ["POST /api/bridge/site-token", body, { ...headers, "idempotency-key": fresh() }];
  }),
  license_checks: bursts("license_checks", { size: 65, lanes: 2 }, async () => () => [
    "POST /api/license/verify",
    { licenseKey: "none", domain: "shop.test" },
  ]),
  sessions: requests("sessions", async ({ registry }) => {
    const { key } = await makeLicense(registry.runtime.broker, `shop-${fresh()}.test`);
    return () => ["POST /api/bridge/authenticate", { licenseKey: key }];
  }),
  actions: bursts("actions", { size: 650, lanes: 8, addresses: 2 }, async ({ registry }) => {
    const { key } = await makeLicense(registry.runtime.broker, `shop-${fresh()}.test`);
    const reply = await ask(registry, "127.251.0.1", "POST /api/bridge/authenticate", { licenseKey: key });
    return () => ["GET /api/bridge/actions?siteId=another.test", undefined, bearer(reply.body.session.token)];
  }),
  "log_entries of receipts": requests("log_entries", async ({ registry }) => {
    const { broker, publicUrl } = registry.runtime;
    const host = `shop-${fresh()}.test`;
    const { key, accountId } = await makeLicense(broker, host, { permissions: { navigate: false } });
    const proved = (await openAccountStore(broker).site(host))!.value;
    const note = {
      name: "note",
      description: "Takes a note",
      category: "custom" as const,
      effect: "write" as const,
    };
    const document = {
      ...hostedDocument(proved, { tier: "free", rate_limit: 60, access: "none" }, publicUrl),
      actions: [{ ...note, parameters: [], permissions_required: [] }],
    };
    await openUploadedDocuments(broker).put(uploadedKey(host), { v: 1, accountId, document });
    const reply = await ask(registry, "127.251.0.1", "POST /api/bridge/authenticate", { licenseKey: key });
    return () => ["POST /api/bridge/execute", { action: "note" }, bearer(reply.body.session.token)];
  }),
  "fetches of pages": requests("fetches", async () => () => [
    "GET /api/bridge/page-info?siteId=nowhere.test",
  ]),

  fetches: requests("fetches", async ({ registry }) => () => [
    `GET /api/discovery/provider/status?domain=${registry.world.hosts[0]!.host}`,
  ]),
  "fetches by visits": requests("fetches", async ({ registry }) => () => [
    `POST /api/registry/sites/${registry.world.hosts[0]!.host}/recheck`,
  ]),
  batch_domains: requests("batch_domains", async () => () => [
    "POST /api/discovery/provider/verify-batch",
    { domains: Array.from({ length: 50 }, () => "no domain") },
  ]),
  "dns_names of receivers": requests("dns_names", async () => () => [
    "POST /api/discovery/provider/verify-batch",
    { domains: ["no domain"], callback_url: "https://10.0.0.1/" },
  ]),
  webhooks: sendHook(10),
  "webhooks of many bytes": sendHook(125_000),

  "dns_names of evidence": requests("dns_names", async ({ registry }) => () => [
    `GET /api/registry/sites/${registry.world.hosts[0]!.host}/evidence`,
  ]),
  dns_names: requests("dns_names", async ({ registry }) => () => [
    `GET /api/ring4/status/${registry.world.hosts[0]!.host}`,
  ]),
  "dns_names of trust headers": requests("dns_names", async () => () => [
    "GET /api/bridge/ping",
    undefined,
    {
      "x-bridge-trust-domain": `${fresh()}.test`,
      "x-bridge-trust-nonce": `${Math.floor(Date.now() / 1_000)}.${encodeBase64Url(randomBytes(16))}`,
      "x-bridge-signature": encodeBase64Url(randomBytes(64)),
    },
  ]),
  registrations_of_domains: requests("registrations_of_domains", async () => () => [
    "POST /api/ring4/register",
    { domain: `${fresh()}.test` },
  ]),
  "registrations_of_domains of one domain": async ({ registry }, network) => {
    const { host } = registry.world.hosts[made++ % registry.world.hosts.length]!;
    const second = Number(network.split(".")[1]);
    // Each from a network of its own: what is bounded is the domain's share of the log.
    return async (nth) => {
      const issued_at = new Date(Date.now() - 50_000 + nth * 1_000).toISOString();
      const body = registrationOf(registry, host, { issued_at });
      const from = `127.${second + 100 + 2 * nth}.0.1`;
      return outcomeOf(
        "registrations_of_domains",
        await ask(registry, from, "POST /api/ring4/register", body),
      );
    };
  },
  logged_changes: async ({ registry }, network) => {
    const deps = openChanges(registry.runtime);
    const host = `${network.replaceAll(".", "-")}.flips.test`;
    return async (nth) => {
      const record = newRecord(host, deps.now(), deps.now());
      const reason = nth % 2 === 0 ? "unsigned" : "signature_invalid";
      await logChanges(deps, host, { record: { ...record, status: "partial", reason } });
      const [chain] = (await deps.logged.get(loggedKey(host)))?.value.chains ?? [];
      // A host that is refused from the start has no chain yet.
      const isIn = chain !== undefined && known.get(host) !== chain.newest?.index;
      if (isIn) known.set(host, chain.newest?.index);
      return isIn ? let_in() : turned_away("the change is not in the log");
    };
  },
  log_entries: requests("log_entries", async (rig) => {
    const key = makeKey(ACCOUNT_KEY_PREFIXES.project);
    const [projectId, accountId] = [uuidv7(), uuidv7()];
    const createdAt = new Date().toISOString();
    const keyHash = hashOfKey(key);
    const project = { kind: "project", id: projectId, createdAt };
    const listed = { ...project, name: "log", keyHash, keyHint: key.slice(0, 15) };
    await emptyAccount(rig.registry, accountId, { keys: [listed] });
    const { buckets } = rig.registry.runtime.broker;
    await buckets.keys.put(keyHash, JSON.stringify({ v: 1, ...project, accountId }));
    const entry = { project_id: projectId, event_type: "recognize", outcome: "success" };
    return () => ["POST /api/ring4/log", entry, bearer(key)];
  }),

  gateway_keys: requests("gateway_keys", async (rig) => {
    const { headers } = await account(rig);
    const email = `${fresh()}@example.test`;
    return () => ["POST /api/v1/keys/generate", { owner: "Ada", email }, headers];
  }),
  "gateway_keys rotated": async (rig, network) => {
    let key = await givenKey(rig.registry, "PRO", null);
    return async () => {
      const reply = await ask(rig.registry, `${network}.1`, "POST /api/v1/keys/rotate", {}, bearer(key));
      key = reply.body.key ?? key;
      return outcomeOf("gateway_keys", reply);
    };
  },
  gateway_calls: requests("gateway_calls", async (rig) => {
    const { accountId } = await account(rig);
    const key = await givenKey(rig.registry, "PRO", accountId);
    return () => ["GET /api/v1/dark-pattern/patterns", undefined, bearer(key)];
  }),
  trial_scans: requests("trial_scans", async () => () => ["POST /api/v1/firewall/try", { input: "Tea." }]),
  gateway_records: requests("gateway_records", async (rig) => {
    const key = await givenKey(rig.registry, "PRO", null);
    const price = { platform: "shop.example", productId: fresh(), price: 10, currency: "EUR" };
    return () => ["POST /api/v1/price/track", price, bearer(key)];
  }),
  pool_calls: requests("pool_calls", async (rig) => {
    const { accountId } = await account(rig, { createdAt: new Date(0).toISOString() });
    const key = await givenKey(rig.registry, "PRO", accountId);
    const sealed = { quantity: 1, currency: "EUR", commitment: "0".repeat(64) };
    return () => ["POST /api/v1/bargaining/join", { ...sealed, product_ref: fresh() }, bearer(key)];
  }),
  "pool_calls with offers": requests("pool_calls", async (rig) => {
    const { accountId } = await account(rig, { createdAt: new Date(0).toISOString() });
    const key = await givenKey(rig.registry, "PRO", accountId);
    const offer = { site: "shop.example", price: 5, valid_until: new Date().toISOString() };
    return () => [
      "POST /api/v1/bargaining/offer",
      { ...offer, pool_id: "01890000-0000-7000-8000-000000000000" },
      bearer(key),
    ];
  }),
  gateway_fetches: requests("gateway_fetches", async (rig) => {
    const key = await givenKey(rig.registry, "PRO", null);
    const said = { kind: "other", description: "An odd page it is" };
    return () => ["POST /api/v1/bounty/report", { ...said, url: `https://${fresh()}.test/` }, bearer(key)];
  }),
  "gateway_fetches of the notary": requests("gateway_fetches", async (rig) => {
    const key = await givenKey(rig.registry, "BUSINESS", null);
    const wanted = { observed_by: "registry", product: "Tea", currency: "EUR" };
    return () => ["POST /api/v1/notary/price", { ...wanted, url: `https://${fresh()}.test/` }, bearer(key)];
  }),
  "gateway_fetches of offers": async (rig, network) => {
    const key = await givenKey(rig.registry, "PRO", null);
    return async () => {
      const platform = `shop-${fresh()}.test`;
      const url = `https://${platform}:${rig.registry.config.BRIDGE_HTTPS_PORT}/tea`;
      const body = { platform, productId: "tea", price: 10, currency: "EUR", url };
      const reply = await ask(rig.registry, `${network}.1`, "POST /api/v1/price/track", body, bearer(key));
      return reply.body.look === "limit" ? turned_away("limit") : let_in(reply.body.look);
    };
  },

  reported_names: reports((stranger, nth) => `name-${stranger}-${nth}.test`),
  "places of one domain": reports((stranger, nth) => `host-${nth}.domain-${stranger}.test`),
  places: async ({ registry }, network) => {
    const { broker, sites, identity } = registry.runtime;
    const table = openNewTable({
      slots: openRecords(broker.buckets.gossip_places, Holder),
      // Names that wait for their probe.
      frontier: { has: async () => true },
      sites,
      secret: identity.secret,
      now: broker.now,
    });
    return async (nth) => {
      const names = nth === 0 ? 1 : 2_000;
      const taken = await Promise.all(
        Array.from({ length: names }, (_, i) => table.take(`n-${nth}-${i}.test`, network)),
      );
      return taken.some((place) => !place) ? turned_away("no place") : let_in();
    };
  },
};
