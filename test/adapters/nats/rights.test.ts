/** A user for each role: whole registries run on them, and what is another's is refused by the broker itself. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AckPolicy } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenedRuntime } from "../../../app/processes/runtime.ts";
import { ROLES } from "../../../app/roles.ts";
import { operatorServices, services } from "../../../app/services.ts";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import {
  BROKER_USERS,
  type BrokerUser,
  brokerAuthorization,
  foreignBuckets,
  inboxOf,
  RIGHTS,
  type Rights,
  subjectRights,
} from "../../../src/adapters/nats/rights.ts";
import { streamConfigs } from "../../../src/adapters/nats/topology.ts";
import { parseServer } from "../../../src/imports/entry.ts";
import { type ImportSource, runImport } from "../../../src/imports/import.ts";
import { BUCKETS } from "../../../src/ports/storage.ts";
import { type ImportState, openClaims } from "../../../src/stores/claims.ts";
import { enter } from "../../support/agent.ts";
import { hostsOf } from "../../support/frontier-hosts.ts";
import { createOwner } from "../../support/owner.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { startUsersBroker, type UsersBroker } from "../../support/users-broker.ts";

type RoleUser = Exclude<BrokerUser, "operator">;
const USERS = Object.keys(RIGHTS) as RoleUser[];

describe("the table of users", () => {
  it("has one for each role, one for the front and one for the operator", () => {
    expect([...BROKER_USERS].sort()).toEqual([...ROLES, "front", "operator"].sort());
  });

  it("lets every service be answered by one role", () => {
    const served = USERS.flatMap((user) => (RIGHTS[user] as Rights).serves ?? []);
    expect(served.sort()).toEqual([...services, ...operatorServices].map(({ name }) => name).sort());
  });

  it("is what the committed configuration says", () => {
    const committed = readFileSync(join(import.meta.dirname, "../../../deploy/nats-users.conf"), "utf8");
    expect(committed.slice(committed.indexOf("authorization"))).toBe(brokerAuthorization("bridge"));
  });
});

/** Subjects that the broker's server refuses a user who publishes to them, and those that it takes. */
async function tried(connection: NatsConnection, how: "publish" | "subscribe", subjects: string[]) {
  const refused = new Set<string>();
  const read = async () => {
    for await (const each of connection.status())
      if (each.type === "error") {
        const { subject } = each.error as { subject?: string };
        if (subject) refused.add(subject);
      }
  };
  void read();
  for (const subject of subjects) {
    if (how === "publish") connection.publish(subject, "{}");
    else connection.subscribe(subject, { callback: () => undefined });
  }
  await connection.flush();
  await delay(50);
  return { refused, taken: subjects.filter((subject) => !refused.has(subject)) };
}

/** Takes over one entry of a list. */
function importOne({ broker, frontier, blocks }: OpenedRuntime): Promise<ImportState> {
  const { counters, now } = broker;
  const deps = { claims: openClaims(broker.buckets), frontier, blocks, counters, now };
  const source: ImportSource = {
    name: "list",
    from: "test",
    hasChanges: false,
    parse: (value) => parseServer(value, "list"),
    page: async () => {
      const remotes = [{ type: "streamable-http", url: "https://mcp.hotel.test/mcp" }];
      return { ok: true, entries: [{ name: "test.hotel/rooms", remotes }], next: undefined };
    },
  };
  return runImport(deps, source, { signal: new AbortController().signal });
}

describe("a registry whose roles have a user each", () => {
  const prefix = `t${randomBytes(6).toString("hex")}`;
  let broker: UsersBroker;
  let registry: TestRegistry;
  beforeAll(async () => {
    broker = await startUsersBroker(prefix);
    const config = { BRIDGE_NATS_PREFIX: prefix };
    registry = await startRegistry({ threads: true, world: { sites: 12 }, config, users: broker });
    await registry.crawl();
  });
  afterAll(async () => {
    await registry?.stop();
    await broker?.stop();
  });

  const connectAs = (user: BrokerUser): Promise<NatsConnection> =>
    connect({
      servers: broker.url,
      user,
      pass: broker.passwordOf(user),
      inboxPrefix: inboxOf(user),
      ignoreAuthErrorAbort: true,
    });

  it("crawls, searches, logs in, opens sessions, keeps keys and writes its log, and is refused nothing", async () => {
    const { body: found } = await registry.getJson("/api/discovery/registry?limit=50");
    expect(found.total).toBe(12);
    const owner = createOwner(registry);
    const email = await owner.email();
    const login = await registry.postJson("/api/auth/login", { email, password: "correct horse battery" });
    expect(login.status).toBe(200);
    const { host } = registry.world.hosts[0]!;
    const agent = await enter(registry.url, (await owner.license(host)).key);
    expect((await agent.execute("navigate", "/")).status).toBe(200);
    const key = await registry.postJson("/api/v1/keys/generate", {
      plan: "FREE",
      owner: "Ada",
      email: "ada@shop.example",
    });
    expect(key.status).toBe(200);
    const used = await fetch(`${registry.url}/api/v1/dark-pattern/patterns`, {
      headers: { "x-bridge-key": key.body.key },
    });
    expect(used.status).toBe(200);
    const checkpoint = await fetch(`${registry.url}/.well-known/bridge-log/checkpoint`);
    expect(checkpoint.status).toBe(200);
    expect(broker.violations()).toEqual([]);
  }, 60_000);

  it("lets its crawler keep the frontier whole, and take over what others list", async () => {
    const { openRuntime } = await import("../../../app/processes/runtime.ts");
    const settings = {
      ...registry.config,
      BRIDGE_NATS_USER: "crawler",
      BRIDGE_NATS_PASSWORD: broker.passwordOf("crawler"),
      BRIDGE_NATS_SETUP: false,
    };
    const runtime = await openRuntime(settings, broker.url);
    expect(await runtime.frontier.removeAcked()).toEqual([]);
    expect(await runtime.frontier.restartOverdue(60_000)).toEqual([]);
    expect((await hostsOf(runtime.frontier)).size).toBe(12);
    const hosts: string[] = [];
    for await (const key of runtime.sites.keys()) hosts.push(key);
    expect(hosts).toHaveLength(12);
    expect((await importOne(runtime)).outcomes).toEqual({ new: 1 });
    await runtime.close();
    expect(broker.violations()).toEqual([]);
  });

  /** What no role may do, whatever it is. */
  const FOR_NONE = [
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.CREATE.stolen",
    ...["UPDATE", "DELETE", "PURGE", "SNAPSHOT", "RESTORE"].flatMap((verb) =>
      Object.values(streamConfigs(prefix)).map(({ name }) => `$JS.API.STREAM.${verb}.${name}`),
    ),
    ...["UPDATE", "DELETE", "PURGE"].flatMap((verb) =>
      Object.keys(BUCKETS).map((bucket) => `$JS.API.STREAM.${verb}.KV_${prefix}_${bucket}`),
    ),
    ...["DELETE", "PAUSE", "RESET"].flatMap((verb) => [
      `$JS.API.CONSUMER.${verb}.${prefix}_FRONTIER.crawlers`,
      `$JS.API.CONSUMER.${verb}.${prefix}_DISCOVERED.gossip`,
      `$JS.API.CONSUMER.${verb}.${prefix}_WEBHOOKS.webhooks`,
    ]),
    `$KV.${prefix}_service.identity`,
    `${prefix}.f.host.due`,
    "$SYS.REQ.SERVER.PING",
    "$SRV.STATS",
    "_INBOX.anybody",
    "elsewhere",
  ];

  /** What belongs to others: their buckets, requests, topics and inboxes. */
  const foreignTo = (user: RoleUser): string[] => {
    const own = subjectRights(prefix, user)!.publish;
    const others = USERS.filter((each) => each !== user).flatMap((each) => [
      ...subjectRights(prefix, each)!.publish,
      `${inboxOf(each)}.x`,
    ]);
    const concrete = (subject: string): string => subject.replaceAll("*", "x").replace(/>$/, "x");
    const covers = (pattern: string, subject: string): boolean => {
      const [wanted, given] = [pattern.split("."), subject.split(".")];
      return (
        (wanted.at(-1) === ">" ? given.length >= wanted.length : given.length === wanted.length) &&
        wanted.every((token, i) => token === ">" || token === "*" || token === given[i])
      );
    };
    const subjects = [
      ...others,
      ...(user === "front" ? [] : services.map(({ name }) => `${prefix}.op.${name}.x`)),
    ];
    return [...new Set(subjects.map(concrete))].filter(
      (subject) => !own.some((pattern) => covers(pattern, subject)),
    );
  };

  it.each(USERS)("lets %s publish nothing of others, and change no stream", async (user) => {
    const subjects = [...FOR_NONE, ...foreignTo(user)];
    expect(subjects.length).toBeGreaterThan(100);
    for (const bucket of foreignBuckets(user)) expect(subjects.join("\n")).toContain(`_${bucket}`);
    const connection = await connectAs(user);
    expect((await tried(connection, "publish", subjects)).taken).toEqual([]);
    await connection.close();
  });

  it.each(USERS)("lets %s hear nothing that is for others", async (user) => {
    const { serves: served = [] }: Rights = RIGHTS[user];
    const subjects = [
      ">",
      "$SYS.>",
      "$KV.>",
      "$JS.API.>",
      "$JS.EVENT.>",
      `${prefix}.>`,
      `${prefix}.op.>`,
      "_INBOX.>",
      ...services.map(({ name }) => `${prefix}.op.${name}.*`),
      ...(user === "front" ? [] : [`${prefix}.script.*`]),
      ...BROKER_USERS.filter((each) => each !== user).map((each) => `${inboxOf(each)}.>`),
    ];
    const connection = await connectAs(user);
    // Its own service too, out of the queue: that would be listening to what other processes are asked.
    expect((await tried(connection, "subscribe", subjects)).taken).toEqual([]);
    for (const service of served) {
      const mine = connection.subscribe(`${prefix}.op.${service}.probe`, { queue: "bridge" });
      await connection.flush();
      mine.unsubscribe();
    }
    await connection.close();
  });

  it("takes nothing that a consumer of another's own bucket is made to deliver, which the broker does not refuse", async () => {
    const { openBroker } = await import("../../../src/adapters/nats/broker.ts");
    const gossip = await openBroker({
      url: broker.url,
      user: "gossip",
      password: broker.passwordOf("gossip"),
      setUp: false,
      prefix,
      name: "forger",
      clock: systemClock,
    });
    await gossip.buckets.gossip_places.put("forged", JSON.stringify({ body: {} }));
    const forge = (deliver_subject: string, deliver_group?: string) =>
      gossip.jsm.consumers.add(`KV_${prefix}_gossip_places`, {
        name: `forged-${randomBytes(4).toString("hex")}`,
        deliver_subject,
        ...(deliver_group && { deliver_group }),
        filter_subject: `$KV.${prefix}_gossip_places.forged`,
        ack_policy: AckPolicy.None,
        inactive_threshold: 60e9,
      });
    const { stats } = registry.roles.find(({ role }) => role === "accounts")!.servings![0]!;
    const before = stats.get("logIn")!.requests;
    await forge(`$KV.${prefix}_accounts.id.forged`);
    await forge(`${prefix}.op.accounts.logIn`);
    await forge(`${prefix}.op.accounts.logIn`, "bridge");
    await delay(500);
    expect(await registry.runtime.broker.buckets.accounts.get("id.forged")).toBeUndefined();
    expect(stats.get("logIn")!.requests).toBe(before);
    await gossip.buckets.gossip_places.remove("forged");
    await gossip.close();
  });

  it("lets nobody in without a password, or with another's", async () => {
    await expect(connect({ servers: broker.url })).rejects.toThrow(/Authorization Violation/i);
    const wrong = { servers: broker.url, user: "gossip", pass: broker.passwordOf("front") };
    await expect(connect(wrong)).rejects.toThrow(/Authorization Violation/i);
  });

  it("lets the operator do all of it", async () => {
    const connection = await connectAs("operator");
    expect((await tried(connection, "publish", ["$JS.API.STREAM.NAMES", "$SRV.STATS"])).refused.size).toBe(0);
    await connection.close();
  });
});
