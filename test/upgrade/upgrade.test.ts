/**
 * What an old version wrote is read by this one: its home is unpacked, this program is started on it, and asked. First all
 * roles but the crawler, in processes of their own, so that every answer is from what was stored; then the whole program,
 * which visits the sites again. The last test names each stream of the old store that no other reads.
 */

import { execFileSync } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream } from "@nats-io/jetstream";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { SitePages } from "../../schemas/site-pages.ts";
import { trustHeaders } from "../../src/domain/trust/trust-headers.ts";
import { type ForkedWorld, forkWorld } from "../../world/control.ts";
import { type Program, processesOf, until } from "../faults/programs.ts";
import { keyOf } from "../support/site-keys.ts";
import facts from "./94144ec.json" with { type: "json" };
import names from "./94144ec.names.json" with { type: "json" };
import { connectTo, type Moved, restoreMoved } from "./moved.ts";
import { lostNames, namesOf } from "./names.ts";
import type { Answer, Scene } from "./scene.ts";
import { bySubject, issuedNow, lasting, messagesNow, type Stored } from "./stored.ts";
import {
  openVersion,
  PREFIX,
  PUBLIC_URL,
  type Received,
  receiveHooks,
  startStore,
  stopWell,
  type Version,
  WORLD,
} from "./version.ts";

const { keys } = facts;
type Refusal = Scene["refusals"][number];
const FIXTURE = "94144ec";
/** Roles have kept their names, too: operators' service files hold them. */
const ALL_BUT_CRAWLER = "indexer gossip search protocol trust accounts provider session keys gateway".split(
  " ",
);

const folder = mkdtempSync(join(tmpdir(), "bridge-upgrade-"));
const home = join(folder, "home");
const storedStreams = (): string[] => readdirSync(join(home, "nats", "store", "jetstream", "$G", "streams"));

/** A busy machine included. */
const SOON = { timeout: 15_000 };

let world: ForkedWorld;
let version: Version;
let running: Program[] = [];
let stopStore: () => Promise<void> = async () => undefined;
let natsUrl: string;
let hooks: { received: Received[]; stop(): Promise<void> };
/** Streams with what they held when this version was first started. */
let before: Map<string, Map<string, Stored>>;
/** What gossip had still to hear. */
let heard: Stored[];

/** Streams that the old version made. */
let streams: string[];
let loggedIn: string;

/** Which test reads which stream. */
const readBy = new Map<string, string>();
const reads = (streams: string, title: string, test: () => Promise<void>): void => {
  for (const stream of streams.split(" ")) readBy.set(stream, title);
  it(title, test);
};
const bucket = (name: string): string => `KV_${PREFIX}_${name}`;
const buckets = (names: string): string => names.split(" ").map(bucket).join(" ");

const get = async (path: string, asking?: Parameters<Version["ask"]>[1]): Promise<any> => {
  const { status, body } = await version.ask(path, asking);
  expect(status, `${path}: ${JSON.stringify(body)}`).toBeLessThan(300);
  return body;
};

const recordsOf = async (stream: string): Promise<Map<string, Stored>> =>
  bySubject(await messagesNow(natsUrl, stream));

const start = async (...args: string[]): Promise<void> => {
  running.push(await version.start(...args));
};
const stopAll = async (): Promise<void> => {
  const programs = running;
  running = [];
  await Promise.all(programs.map(stopWell));
};

beforeAll(async () => {
  execFileSync("tar", ["-xzf", join(import.meta.dirname, `${FIXTURE}.tar.gz`), "-C", folder]);
  const moved: Moved = JSON.parse(readFileSync(join(folder, "moved.json"), "utf8"));
  const store = await startStore(inject("natsBinary"), home);
  stopStore = store.stop;
  natsUrl = store.url;
  await restoreMoved(natsUrl, moved);
  streams = storedStreams();
  before = new Map(await Promise.all(streams.map(async (name) => [name, await recordsOf(name)] as const)));
  heard = await messagesNow(natsUrl, `${PREFIX}_HEARD`);
  world = await forkWorld(WORLD);
  await world.set(facts.site.siteId, { ownerTxt: facts.site.ownerTxt });
  await world.set(facts.delisted, { txt: "revoked" });
  hooks = await receiveHooks(world, facts.hook.host);
  version = await openVersion({ home, world, natsUrl });
  await expect(version.bridge("worker", "search")).rejects.toThrow(
    /ended with 6:\n.*storage version 0; .* Run `bridge migrate`/,
  );
  await version.bridge("migrate");
  await Promise.all([start("front"), start("worker", ...ALL_BUT_CRAWLER)]);
});
afterAll(async () => {
  await stopAll().catch(() => undefined);
  await hooks?.stop();
  await stopStore();
  await world?.stop();
  for (const pid of processesOf(folder)) process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const signedAgain = (token: string, use: "login" | "session"): string =>
  issuedNow(token, before.get(bucket("service"))!.get(`$KV.${PREFIX}_service.tokens.${use}`)!.json.keys);

/** Asks what the old version was asked, and takes all that it answered; more members may stand beside. */
const isAnsweredAsBefore = async (name: keyof typeof facts.answers, omitted: string[] = []): Promise<any> => {
  const { path, as, body } = facts.answers[name];
  const tokens: Record<Answer["as"], () => string | undefined> = {
    account: () => loggedIn,
    session: () => signedAgain(facts.session.token, "session"),
    free: () => keys.free,
    paid: () => keys.paid,
    nobody: () => undefined,
  };
  const token = tokens[as as Answer["as"]]();
  const now = await get(path, { ...(token && { token }) });
  expect(lasting(now, omitted)).toMatchObject(lasting(body, omitted));
  return now;
};

const findsListed = async (): Promise<void> => {
  for (const { domain, name } of facts.directory.slice(0, 3)) {
    const { results } = await get(`/api/bridge/search?q=${encodeURIComponent(name)}`);
    expect(results[0].domain).toBe(domain);
  }
};

describe("what an old version stored, before anything is visited again:", () => {
  const { account, license, site } = facts;

  reads(buckets("accounts service"), "people log in with their passwords", async () => {
    const { email, password } = account;
    ({ token: loggedIn } = await get("/api/auth/login", { body: { email, password } }));
    // What the plan has room for is stated since.
    await isAnsweredAsBefore("me", ["plan"]);
  });

  it("what was refused is refused for the same reason", async () => {
    for (const { path, body, token, status, code } of facts.refusals as Refusal[]) {
      const now = await version.ask(path, { body, ...(token && { token }) });
      expect([path, now.status, now.body.code]).toEqual([path, status, code]);
    }
  });

  reads(buckets("sessions session_pages"), "who had logged in is logged in, sessions are open", async () => {
    const { user } = await get("/api/auth/me", { token: signedAgain(account.token, "login") });
    expect(user.id).toBe(account.id);
    await isAnsweredAsBefore("actions");
    const token = signedAgain(facts.session.token, "session");
    const { success, result } = await get("/api/bridge/execute", { token, body: { action: "read" } });
    expect([success, result.url]).toEqual([true, facts.answers.actions.body.page_url]);
  });

  reads(buckets("plans"), "plans are as the operator changed them", async () => {
    const { plans } = await isAnsweredAsBefore("plans", ["max_sites", "features"]);
    // An account's record has room for so many.
    expect(plans.at(-1).max_sites).toBe(500);
    expect(plans.find(({ tier }: { tier: string }) => tier === "pro").price).toBe(49);
  });

  reads(buckets("account_sites"), "owners have their sites, as they configured them", async () => {
    await isAnsweredAsBefore("sites");
  });

  reads(buckets("licences"), "licenses open what they opened", async () => {
    const body = { licenseKey: license.key, domain: site.siteId };
    expect(await get("/api/license/verify", { body })).toMatchObject({ valid: true });
    await isAnsweredAsBefore("licenses");
  });

  reads(buckets("api_keys"), "keys of the gateway have their plans", async () => {
    const validate = (key: string) => version.ask("/api/v1/keys/validate", { token: key, body: {} });
    expect((await validate(keys.free)).body).toMatchObject({ valid: true, plan: "FREE" });
    expect((await validate(keys.paid)).body).toMatchObject({ valid: true, plan: "BUSINESS" });
  });

  reads(
    `${PREFIX}_COUNT_MINUTE ${PREFIX}_COUNT_DAY ${PREFIX}_COUNT_MONTH`,
    "what was used of a quota is used",
    async () => {
      const was = facts.answers.usage.body;
      const { day, minute, by_day } = await get(facts.answers.usage.path, { token: keys.paid });
      expect(day.used).toBeGreaterThanOrEqual(was.day.used);
      expect(minute.used).toBeGreaterThanOrEqual(was.minute.used);
      for (const [module, calls] of Object.entries(was.by_day[0]!.by_module))
        expect(by_day[0].by_module[module]).toBeGreaterThanOrEqual(calls);
      const me = await get("/api/auth/me", { token: loggedIn });
      expect(me.usage.actions_this_month).toBeGreaterThanOrEqual(
        facts.answers.me.body.usage.actions_this_month,
      );
    },
  );

  reads(buckets("sites"), "the directory lists the sites that it listed", async () => {
    const listed = async () => (await get("/api/discovery/registry?limit=200")).listings;
    // An index that cannot be used is filled from the start.
    await expect
      .poll(async () => (await listed()).length, SOON)
      .toBeGreaterThanOrEqual(facts.directory.length);
    const listings = await listed();
    for (const site of facts.directory) expect(listings).toContainEqual(expect.objectContaining(site));
    const domains: string[] = listings.map(({ domain }: { domain: string }) => domain);
    const known = [...facts.directory.map(({ domain }) => domain), ...facts.late];
    expect(domains.filter((domain) => !known.includes(domain))).toEqual([]);
    // Evidence was of a visit, not of pages: it is projected anew all the same.
    const reasons = listings.flatMap(({ neutrality_reasons }: any) => neutrality_reasons);
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(reason.max_points).toBeGreaterThanOrEqual(Math.abs(reason.points));
  });

  reads(buckets("contents"), "a site's document is given as it was", async () => {
    await isAnsweredAsBefore("document");
  });

  it("search finds the listed sites", findsListed);

  reads(buckets("registrations"), "a registration for ring 4 holds", async () => {
    expect(await isAnsweredAsBefore("registration")).toMatchObject({ trust_ring: 4, status: "registered" });
  });

  reads(
    `${bucket("log")} ${bucket("project_keys")} ${PREFIX}_LOG`,
    "the transparency log goes on from where it was, by the same key",
    async () => {
      const { project, log } = facts;
      await isAnsweredAsBefore("projects");
      await isAnsweredAsBefore("interactions");
      const body = { project_id: project.id, event_type: "verify", outcome: "success" };
      const { leaf_index } = await get("/api/ring4/log", { token: project.key, body });
      expect(leaf_index).toBe(Number(log.checkpoint.split("\n")[1]));
      expect((await get("/.well-known/bridge-log/key")).trim()).toBe(log.key);
    },
  );

  reads(buckets("trust_nonces"), "a nonce that was used is used", async () => {
    const { domain, random } = facts.nonce;
    const path = "/api/bridge/ping";
    const { privateKey } = keyOf({ worldSeed: WORLD.seed }, domain);
    const request = {
      method: "GET",
      authority: new URL(PUBLIC_URL).host,
      target: path,
      body: Buffer.alloc(0),
    };
    const headers = trustHeaders(
      request,
      { domain, privateKey },
      Date.now(),
      Buffer.from(random, "base64url"),
    );
    // A nonce is of its minute: this one is of now, and remembered as the old version remembered its own.
    const nonce = headers["x-bridge-trust-nonce"];
    const subject = (said: string): string =>
      `$KV.${PREFIX}_trust_nonces.${createHash("sha256").update(`${domain}\n${said}`).digest("base64url")}`;
    expect([...before.get(bucket("trust_nonces"))!.keys()]).toEqual([subject(facts.nonce.nonce)]);
    const connection = await connectTo(natsUrl);
    await jetstream(connection).publish(subject(nonce!), "");
    await connection.close();
    expect((await version.ask(path, { headers })).body.code).toBe("trust_nonce_replayed");
  });

  reads(
    buckets("prices price_offers"),
    "prices that were told are known, as claims (decision 45)",
    async () => {
      await isAnsweredAsBefore("history", ["assessment"]);
      await isAnsweredAsBefore("compare", ["model_version"]);
    },
  );

  reads(
    buckets("bounty_reports bounty_targets"),
    "reports are there, and known from those that repeat them",
    async () => {
      await isAnsweredAsBefore("report");
      const { url, id } = facts.report;
      const { kind, description } = facts.answers.report.body.report;
      const again = await get("/api/v1/bounty/report", {
        token: keys.free,
        body: { url, kind, description },
      });
      expect(again.report.duplicate_of).toBe(id);
    },
  );

  reads(
    buckets("pools pool_products"),
    "pools of buyers are there; those that counted keys clear no more (decision 44)",
    async () => {
      const { pool } = await isAnsweredAsBefore("pool", ["state", "privacy"]);
      expect(pool.state).toBe("expired");
    },
  );

  reads(buckets("certificates"), "the notary's certificates hold", async () => {
    for (const name of ["price", "payment"] as const)
      expect(await isAnsweredAsBefore(name, ["checkpoint", "inclusion_proof"])).toMatchObject({
        valid: true,
      });
  });

  reads(
    `${bucket("batches")} ${PREFIX}_WEBHOOKS`,
    "batches are there, and a webhook that waited is delivered, signed",
    async () => {
      await isAnsweredAsBefore("batch");
      const { id, secret, summary } = facts.hook;
      await expect
        .poll(async () => (await get(`/api/discovery/provider/batches/${id}`)).delivery, SOON)
        .toMatchObject({ state: "delivered" });
      const [{ headers, body }] = hooks.received as [Received];
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
      const signature = createHmac("sha256", key).update(signed).digest("base64");
      expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
      expect(JSON.parse(body)).toMatchObject({ request_id: id, summary });
    },
  );

  reads(buckets("dead_letters"), "there were no dead letters", async () => {
    expect(before.get(bucket("dead_letters"))!.size).toBe(0);
    expect(JSON.parse(await version.bridge("dead-letters", "--json"))).toEqual([]);
  });

  reads(`${PREFIX}_HEARD`, "who was heard of at last will be visited", async () => {
    const names: string[] = heard.flatMap(({ json }) =>
      json.flatMap(({ hosts }: { hosts: string[] }) => hosts),
    );
    const invented = names.filter((host) => host.startsWith("invented-"));
    expect(invented.length).toBeGreaterThan(0);
    await expect
      .poll(async () => {
        const frontier = [...(await recordsOf(`${PREFIX}_FRONTIER`)).keys()];
        return invented.filter((host) => frontier.some((subject) => subject.includes(host.split(".")[0]!)));
      }, SOON)
      .toEqual(invented);
  });

  reads(
    buckets("candidates reporters gossip_places"),
    "a host that was said within the hour is not said again: its place and its reporter are remembered",
    async () => {
      const of = async (name: string) => [...(await recordsOf(bucket(name)))];
      const was = (name: string) => [...before.get(bucket(name))!];
      const [reporter, { revision, json }] = was("reporters").find(([, each]) =>
        each.json.reported.includes("waiting.test"),
      )!;
      await get("/api/registry/report", { body: { domain: facts.reported } });
      const reporterNow = async () => new Map(await of("reporters")).get(reporter)!;
      await expect.poll(async () => (await reporterNow()).revision, SOON).toBeGreaterThan(revision);
      expect((await reporterNow()).json.reported).toEqual(expect.arrayContaining(json.reported));
      await expect.poll(async () => (await recordsOf(`${PREFIX}_HEARD`)).size, SOON).toBe(0);
      const places = (all: Awaited<ReturnType<typeof of>>) =>
        all.flatMap(([key, each]) => (each.json.host === facts.reported ? [key] : []));
      expect(places(was("gossip_places"))).toHaveLength(1);
      expect(places(await of("gossip_places"))).toEqual(places(was("gossip_places")));
      const waiting = (all: Awaited<ReturnType<typeof of>>) =>
        all.find(([key]) => key.endsWith(".waiting/test"));
      expect(waiting(await of("candidates"))).toEqual(waiting(was("candidates")));
    },
  );
});

describe("the whole program, on the home of an old version,", () => {
  beforeAll(async () => {
    await stopAll();
    await stopStore();
    stopStore = async () => undefined;
    version = await openVersion({ home, world });
    // No seeds: the home says which web it crawls.
    await start("up");
    natsUrl = JSON.parse(readFileSync(join(home, "broker.json"), "utf8")).url;
  });

  reads(`${PREFIX}_FRONTIER ${bucket("gate")}`, "visits every host that it knew", async () => {
    const keyOfSubject = (subject: string): string => subject.split(".").at(-2)!;
    // A token may have been read twice: while it waited, and when it was due.
    const hosts = [...new Set([...before.get(`${PREFIX}_FRONTIER`)!.keys()].map(keyOfSubject))];
    // All but the one that is blocked.
    expect(hosts).toHaveLength(WORLD.sites - 1);
    const names = hosts.map((key) => key.replace("/", "."));
    expect(await version.bridge("seed", ...names)).toContain(`0 added, ${names.length} known`);
    const visits = (sites: typeof knownSites, key: string): number =>
      sites.get(`$KV.${PREFIX}_sites.${key}`)?.json.visits ?? 0;
    const knownSites = before.get(bucket("sites"))!;
    await until(
      "every site to be visited",
      async () => {
        const sites = await recordsOf(bucket("sites"));
        return hosts.every((key) => visits(sites, key) > visits(knownSites, key));
      },
      45_000,
    );
    const subjects = facts.directory.map(({ domain }) => `$KV.${PREFIX}_gate.h/${domain.replace(".", "/")}`);
    await until(
      "every listed site to have passed the gate",
      async () => {
        const gate = await recordsOf(bucket("gate"));
        const old = before.get(bucket("gate"))!;
        return subjects.every((each) => (gate.get(each)?.revision ?? 0) > old.get(each)!.revision);
      },
      45_000,
    );
  });

  it("gathers evidence by page where there was evidence by visit", async () => {
    // A host that was forgotten leaves a marker.
    const stored = [...(await recordsOf(bucket("page_evidence"))).values()];
    const pages = stored.filter(({ json }) => json !== "");
    expect(pages.length).toBeGreaterThanOrEqual(facts.directory.length);
    for (const { json } of pages) expect(SitePages.parse(json).pages.length).toBeGreaterThan(0);
  });

  it("keeps sites' states: listed, delisted, blocked", async () => {
    const { listings } = await get("/api/discovery/registry?limit=200");
    const domains = listings.map(({ domain }: { domain: string }) => domain);
    expect(domains).toEqual(expect.arrayContaining(facts.directory.map(({ domain }) => domain)));
    expect(domains).not.toContain(facts.delisted);
    expect(domains).not.toContain(facts.blocked);
  });

  it("finds the listed sites in an index that is built anew", async () => {
    expect(await version.bridge("reindex")).toMatch(/is in use: \d+ sites/);
    await findsListed();
  });

  reads(buckets("blocks"), "does not let a blocked host in", async () => {
    expect(await version.bridge("seed", facts.blocked)).toContain("1 blocked");
  });

  it("opens a session by an old license", async () => {
    const { session } = await get("/api/bridge/authenticate", {
      body: { licenseKey: facts.license.key, agentId: "agent-1", agentName: "Test" },
    });
    const { token } = session;
    const execute = (target: string) =>
      version.ask("/api/bridge/execute", { token, body: { action: "navigate", target } });
    expect((await execute("/")).body.success).toBe(true);
    expect((await execute(facts.site.deniedPath)).body.code).toBe("permission_denied");
  });

  it("has a log that begins with the one that was", async () => {
    const earlier = join(folder, "earlier");
    writeFileSync(earlier, facts.log.checkpoint);
    const url = `${new URL("/.well-known/bridge-log", version.url)}`;
    const report = JSON.parse(
      await version.bridge("log", "verify", url, "--key", facts.log.key, "--earlier", earlier, "--json"),
    );
    expect(report).toMatchObject({ faults: [], keyIsPinned: true });
    expect(report.checkpoint.size).toBeGreaterThan(Number(facts.log.checkpoint.split("\n")[1]));
  });
});

it("a running registry has every name that the old version had, or docs/upgrades.md tells of it", async () => {
  // What is stored just now says nothing of members: names.test.ts looks for them in the program's text.
  const { members: _members, ...running } = await namesOf(version, home, natsUrl);
  expect(lostNames(names, running)).toEqual([]);
});

it("no stream of the old version is left unread", () => {
  expect(streams.filter((name) => !readBy.has(name))).toEqual([]);
});
