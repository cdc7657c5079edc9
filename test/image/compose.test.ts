/**
 * The compose file on a real engine: three brokers, Elasticsearch, every role, two fronts behind the balancer, over the
 * synthetic web. The public images are stand-ins (bases.ts); Elasticsearch's has no passwords.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROLES } from "../../app/roles.ts";
import { listedDomains } from "../faults/account.ts";
import { until } from "../faults/programs.ts";
import { mountSmallDisk } from "../faults/small-disk.ts";
import { elasticsearchStandIn, haproxyStandIn, natsStandIn, STAND_INS } from "./bases.ts";
import { command, docker, ENGINE, inspect, load } from "./docker.ts";

const {
  BRIDGE_IMAGE_COMPOSE: binary,
  BRIDGE_IMAGE_TOOLS: tools,
  BRIDGE_IMAGE_ELASTICSEARCH: installation,
  BRIDGE_IMAGE_NATS: nats,
} = process.env;
const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ENGINE, "compose");
const FILES = [
  ...["compose.yaml", "compose.world.yaml"].map((file) => join(ROOT, "deploy", file)),
  join(FOLDER, "disk.json"),
].flatMap((file) => ["--file", file]);
const URL_OF_FRONTS = "http://127.0.0.1:8080";
const START_TIMEOUT_MS = 420_000;
const CRAWL_TIMEOUT_MS = 240_000;

/** The first broker's disk; more than it takes here. */
const disk = binary ? mountSmallDisk(256) : undefined;
/** Laid over the compose file: that disk in place of the volume. */
const DISK = {
  services: { "nats-1": { volumes: [{ type: "bind", source: disk?.folder, target: "/data" }] } },
};

const compose = (...args: string[]): Promise<string> =>
  command(binary!, ["--env-file", join(FOLDER, "env"), ...FILES, ...args], {
    env: { ...STAND_INS, NATS_TLS: join(FOLDER, "tls"), BRIDGE_WORLD_SITES: "60" },
    timeout: START_TIMEOUT_MS,
  });

interface Container {
  ID: string;
  Service: string;
  State: string;
  Health: string;
}
const containers = async (): Promise<Container[]> =>
  (await compose("ps", "--all", "--format", "json")).split("\n").map((line) => JSON.parse(line));
const ofService = async (service: string): Promise<Container[]> =>
  (await containers()).filter((each) => each.Service === service);

async function loadStandIns(): Promise<void> {
  await load(natsStandIn("amd64", tools!, nats!));
  await load(haproxyStandIn(tools!));
  await load(elasticsearchStandIn(tools!, JSON.parse(installation!)));
}

describe.skipIf(!binary)("the compose file", () => {
  beforeAll(async () => {
    if (!binary) return;
    mkdirSync(FOLDER, { recursive: true });
    const passwords = await docker("run", "--rm", "bridge", "broker-users", "--passwords");
    writeFileSync(join(FOLDER, "env"), `${passwords}\nELASTIC_PASSWORD=elastic\n`);
    writeFileSync(join(FOLDER, "disk.json"), JSON.stringify(DISK));
    await command(join(ROOT, "deploy/nats-certificates.sh"), [
      join(FOLDER, "tls"),
      "nats-1",
      "nats-2",
      "nats-3",
    ]);
    await loadStandIns();
    const startedMs = performance.now();
    await compose("up", "--detach", "--no-build", "--scale", "front=2");
    process.stdout.write(`compose up took ${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
  });
  afterAll(async () => {
    if (!binary) return;
    if (process.env.BRIDGE_IMAGE_LOGS)
      writeFileSync(process.env.BRIDGE_IMAGE_LOGS, await compose("logs", "--no-color"));
    await compose("down", "--volumes", "--timeout", "30");
    disk?.remove();
    rmSync(FOLDER, { recursive: true, force: true });
  });

  it("starts every role, two fronts and what they need, all healthy", async () => {
    const unhealthy = async () =>
      (await containers()).filter(({ Service, State, Health }) =>
        ["setup", "seed"].includes(Service) ? State !== "exited" : Health !== "healthy",
      );
    let left: Container[] = [];
    await until(
      () => `health of ${left.map(({ Service, State, Health }) => `${Service} ${State} ${Health}`)}`,
      async () => {
        left = await unhealthy();
        return left.length === 0;
      },
      CRAWL_TIMEOUT_MS,
    );
    const services = (await containers()).map(({ Service }) => Service);
    expect(services).toEqual(expect.arrayContaining([...ROLES, "setup", "balancer"]));
    expect(services.filter((service) => service === "front")).toHaveLength(2);
  });

  it("crawls, and lists and finds what it verified", async () => {
    await until(
      "thirty sites listed",
      async () => ((await listedDomains(URL_OF_FRONTS))?.length ?? 0) >= 30,
      CRAWL_TIMEOUT_MS,
    );
    const found = await fetch(
      `${URL_OF_FRONTS}/api/bridge/search?q=somewhere+to+eat+without+meat&explain=true&limit=3`,
    );
    expect(found.status).toBe(200);
    expect(((await found.json()) as { results: unknown[] }).results.length).toBeGreaterThan(0);
    const generated = await fetch(`${URL_OF_FRONTS}/api/v1/keys/generate`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ owner: "Ada", email: "ada@example.com" }),
    });
    expect(await generated.text()).toContain("bridge_live_");
  });

  it("answers on, when one of two fronts is stopped and when one is killed", async () => {
    const fronts = await ofService("front");
    let failed = 0;
    let asked = 0;
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        asked++;
        const reply = await fetch(`${URL_OF_FRONTS}/api/discovery/registry?limit=1`).catch(() => undefined);
        if (reply?.status !== 200) failed++;
        await reply?.body?.cancel();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    await docker("stop", "--time", "30", fronts[0]!.ID);
    await docker("start", fronts[0]!.ID);
    await until(
      "both fronts",
      async () => (await ofService("front")).every(({ Health }) => Health === "healthy"),
      60_000,
    );
    expect({ failed, when: "a front is stopped" }).toEqual({ failed: 0, when: "a front is stopped" });
    await docker("kill", fronts[1]!.ID);
    await docker("start", fronts[1]!.ID);
    await until(
      "both fronts",
      async () => (await ofService("front")).every(({ Health }) => Health === "healthy"),
      60_000,
    );
    isOver = true;
    await asking;
    process.stdout.write(`${failed} of ${asked} requests failed, all while a front was killed\n`);
    // What was on the killed one's connections, and no more.
    expect(failed).toBeLessThanOrEqual(2);
  });

  it("shows metrics of each container to its network, and the operators' API on loopback", async () => {
    const [front] = await ofService("front");
    const { NetworkSettings } = await inspect(front!.ID);
    const reply = await fetch(`http://${NetworkSettings.Networks.bridge_default.IPAddress}:9464/metrics`);
    expect(await reply.text()).toContain("bridge_");
    const operators = await fetch("http://127.0.0.1:9465/api/operators/reports");
    expect(operators.status).toBe(401);
  });

  it("serves on while a broker's disk is full, which works again by itself once there is room", async () => {
    const [broker] = await ofService("nats-1");
    const restarts = async () => (await inspect(broker!.ID)).RestartCount;
    // Each request is counted, which is written to all three.
    const statuses = new Set<number>();
    const ask = async () => {
      const reply = await fetch(`${URL_OF_FRONTS}/api/discovery/registry?limit=1`);
      statuses.add(reply.status);
      await reply.body?.cancel();
    };
    disk!.fill();
    const filledMs = performance.now();
    await until(
      "a restart of the broker",
      async () => {
        await ask();
        return (await restarts()) > 0;
      },
      120_000,
    );
    const seconds = ((performance.now() - filledMs) / 1_000).toFixed(1);
    process.stdout.write(`a broker with a full disk was ended after ${seconds} s\n`);
    disk!.free();
    await until(
      "a healthy broker",
      async () => {
        await ask();
        return (await ofService("nats-1"))[0]?.Health === "healthy";
      },
      120_000,
    );
    expect([...statuses]).toEqual([200]);
  });

  it("keeps what it knew when all of it is stopped and started", async () => {
    const before = (await listedDomains(URL_OF_FRONTS))!.length;
    await compose("stop", "--timeout", "30");
    await compose("start");
    await until(
      "the listings",
      async () => ((await listedDomains(URL_OF_FRONTS))?.length ?? 0) >= before,
      CRAWL_TIMEOUT_MS,
    );
  });
});
