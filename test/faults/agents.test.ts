/**
 * Agents of a page that find, check, ask for access and buy, through MCP and through each SDK, killed at every step, or with
 * front or worker killed, or with replies lost: they begin again with the same key for the order, and never buy twice.
 * Everyday it is a few points; `npm run faults -- --only agents` is all of them.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ROLES } from "../../app/roles.ts";
import { getFromWorld } from "../../world/client.ts";
import { createOwner } from "../support/owner.ts";
import { freePort } from "../support/ports.ts";
import { ensurePython } from "../support/python-sdk.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { type Breaking, FAULTS, openBreakingWay, STEPS } from "./breaking-way.ts";
import type { PartOptions } from "./part.ts";
import { pause } from "./programs.ts";

const local = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const SDK = join(import.meta.dirname, "../../sdk/python/src");
/** A command's time: what a killed worker had begun is waited for as long, and some seconds more. */
const OPERATION_MS = 6_000;
/** Beginnings of one agent before it is given up. */
const MOST_TRIES = 12;
const BETWEEN_TRIES_MS = 500;
const FIRST_ORDER = 1_000;

const found = ensurePython();
const WAYS = {
  MCP: [process.execPath, local("agents/by-mcp.ts")],
  "TypeScript SDK": [process.execPath, local("agents/by-sdk.ts")],
  ...("python" in found && { "Python SDK": [found.python, local("agents/by_sdk.py")] }),
} as Readonly<Record<string, [program: string, script: string]>>;

type Point = Breaking & { way: string };
/** Before the site gets the request, while it does, and after it. */
const MOMENTS_MS = [3, 40, 120];
const ALL: Point[] = Object.keys(WAYS).flatMap((way, w) =>
  FAULTS.flatMap((fault, f) =>
    STEPS.map((step, s) => ({ way, fault, step, afterMs: MOMENTS_MS[(w + f + s) % MOMENTS_MS.length]! })),
  ),
);
const FEW: Point[] = [
  { way: "MCP", fault: "front", step: "purchase", afterMs: 40 },
  { way: "TypeScript SDK", fault: "agent", step: "purchase", afterMs: 40 },
  { way: "Python SDK", fault: "replies", step: "purchase", afterMs: 0 },
];
const isWhole = process.env.BRIDGE_FAULT_POINTS === "all";
const points = (isWhole ? ALL : FEW).filter(({ way }) => WAYS[way]);

let registry: TestRegistry;
let frontUrl: string;
let shop: string;
let approving = true;
const running = new Set<ChildProcess>();
const parts: Partial<Record<PartOptions["part"], Promise<ChildProcess>>> = {};

function started(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

function startPart(part: PartOptions["part"]): void {
  const { config, world } = registry;
  const ports = { PORT: Number(new URL(frontUrl).port), BRIDGE_ADMIN_PORT: 0, BRIDGE_OPERATORS_PORT: 0 };
  const options: PartOptions = {
    part,
    config: { ...config, ...ports },
    natsUrl: inject("natsUrl"),
    ca: world.ca,
    operationMs: OPERATION_MS,
  };
  parts[part] = (async () => {
    const env = { ...process.env, PART_OPTIONS: JSON.stringify(options) };
    const child = started(fork(local("part.ts"), { env }));
    await once(child, "message");
    return child;
  })();
}

/** Kills a part and starts it again; the next agent waits for it. */
async function restart(part: PartOptions["part"]): Promise<void> {
  const child = await parts[part];
  child?.kill("SIGKILL");
  startPart(part);
}

/** The shop's owner lets agents ask, and approves whoever does. */
async function ownShop(): Promise<void> {
  const owner = createOwner(registry);
  const { body } = await owner.send("GET", `/api/account/sites/challenge?domain=${shop}`);
  await registry.world.set(shop, { ownerTxt: [body.records[0].value] });
  const added = await owner.send("POST", "/api/account/sites", { domain: shop });
  expect(added.status, JSON.stringify(added.body)).toBeLessThan(300);
  const opened = { permissions: { fillForms: true }, access: "request" };
  const changed = await owner.send("PATCH", `/api/account/sites/${shop}`, opened);
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  const approve = async (): Promise<void> => {
    const { body: queue } = await owner.send("GET", "/api/account/access-requests");
    for (const { request_id, state } of queue.requests ?? [])
      if (state === "pending")
        await owner.send("POST", `/api/account/access-requests/${request_id}/decisions`, {
          decision: "approve",
        });
  };
  void (async () => {
    for (; approving; await pause(200)) await approve().catch(() => undefined);
  })();
}

beforeAll(async () => {
  registry = await startRegistry({
    threads: true,
    world: { sites: 4, soundShare: 0.5, kinds: { shop: 1 }, seed: 11 },
    roles: ROLES.filter((role) => role !== "session"),
    config: { BRIDGE_LIMITS_PERCENT: 100_000 },
  });
  frontUrl = `http://127.0.0.1:${await freePort()}`;
  startPart("front");
  startPart("session");
  shop = registry.world.hosts.find(({ kind }) => kind === "shop")!.host;
  await ownShop();
  await registry.crawl();
  await Promise.all([parts.front, parts.session]);
});
afterAll(async () => {
  approving = false;
  for (const child of running) child.kill("SIGKILL");
  await registry?.stop();
});

interface Outcome {
  point: Point;
  buyer: string;
  broken: number;
  tries: number;
  /** What the agent said at last. */
  told: { outcome?: string; receipt?: string };
  said: string;
}

/** One agent, begun again until it knows what became of its order. */
async function buy(point: Point): Promise<Outcome> {
  const { token } = await createOwner(registry).agent();
  const buyer = `Ada ${randomUUID().slice(0, 8)}`;
  let agent: ChildProcess | undefined;
  const way = await openBreakingWay(frontUrl, point, (what) => {
    if (what === "agent") agent?.kill("SIGKILL");
    else void restart(what === "front" ? "front" : "session");
  });
  const env = {
    ...process.env,
    REGISTRY: way.url,
    TOKEN: token,
    BUYER: buyer,
    ORDER_KEY: randomUUID(),
    PYTHONPATH: SDK,
  };
  const outcome: Outcome = { point, buyer, broken: 0, tries: 0, told: {}, said: "" };
  const [program, script] = WAYS[point.way]!;
  while (outcome.told.outcome === undefined && outcome.tries < MOST_TRIES) {
    if (outcome.tries++ > 0) await pause(BETWEEN_TRIES_MS);
    await Promise.all([parts.front, parts.session]);
    agent = started(spawn(program, [script], { env, stdio: ["ignore", "pipe", "pipe"] }));
    let printed = "";
    agent.stdout!.on("data", (chunk) => {
      printed += chunk;
    });
    agent.stderr!.on("data", (chunk) => {
      outcome.said = (outcome.said + chunk).slice(-1_500);
    });
    const [code] = await once(agent, "close");
    if (code === 0) outcome.told = JSON.parse(printed);
  }
  way.close();
  return { ...outcome, broken: way.broken };
}

/** Names of those who ordered at the shop, one an order. */
async function orderedBy(): Promise<string[]> {
  const names: string[] = [];
  const host = registry.world.hosts.find(({ kind }) => kind === "shop")!;
  for (let number = FIRST_ORDER; ; number++) {
    const { status, body } = await getFromWorld(registry.world, host, `/order/${number}`);
    if (status !== 200) return names;
    names.push(/Thank you, (Ada \w+)\./.exec(body.toString())?.[1] ?? "");
  }
}

const lineOf = ({ point, broken, tries, told }: Outcome): string =>
  `${point.way}, ${point.fault} at ${point.step} after ${point.afterMs} ms: broke ${broken} times, begun ${tries} times, ${JSON.stringify(told)}`;

describe("an agent that is killed on the way to its order, or its front, its worker, or replies", () => {
  it("begins again, and buys at most once: it is done, or its outcome is unknown", {
    timeout: 3_600_000,
  }, async () => {
    const outcomes: Outcome[] = [];
    for (const point of points) {
      outcomes.push(await buy(point));
      if (isWhole) console.log(lineOf(outcomes.at(-1)!));
    }
    const ordered = await orderedBy();
    for (const outcome of outcomes) {
      const line = `${lineOf(outcome)}\n${outcome.said}`;
      const orders = ordered.filter((name) => name === outcome.buyer).length;
      expect(outcome.broken, line).toBeGreaterThan(0);
      if (outcome.told.outcome === "done") {
        expect(orders, line).toBe(1);
        // A tool that is called anew by another session tells no receipt.
        expect(["done", undefined], line).toContain(outcome.told.receipt);
        continue;
      }
      expect(outcome.told.outcome, line).toBe("unknown_outcome");
      expect(orders, line).toBeLessThanOrEqual(1);
    }
    expect(ordered.length).toBe(new Set(ordered).size);
  });
});
