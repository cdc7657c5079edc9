/** An agent buys, and the session worker is killed on the way: it repeats its request with the same key, and never buys twice. */
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { session } from "../../workers/session/contract.ts";
import { getFromWorld } from "../../world/client.ts";
import { type Acted, type Agent, enter } from "../support/agent.ts";
import { makeLicense } from "../support/license.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const MORTAL = fileURLToPath(new URL("mortal-session.ts", import.meta.url));
/** A command's time: what a killed worker had begun is waited for as long, and some seconds more. */
const EXECUTE_MS = 8_000;
const GIVE_UP_MS = 90_000;
/** Steps of a purchase at which the worker dies; two numbers are one write, before and after. */
const POINTS =
  process.env.BRIDGE_FAULT_POINTS === "all" ? [1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20] : [1, 8, 12, 16];
/** The last points may come after the end of a purchase. */
const MAY_LIVE = 2;
const AT_ONCE = 3;

let registry: TestRegistry;
const children = new Set<ChildProcess>();
const usual = session.operations.executeAction.timeoutMs;
beforeAll(async () => {
  (session.operations.executeAction as { timeoutMs: number }).timeoutMs = EXECUTE_MS;
  registry = await startRegistry({
    threads: true,
    world: { sites: 4, soundShare: 0.5, kinds: { shop: 1 }, seed: 11 },
    roles: [],
  });
});
afterAll(async () => {
  (session.operations.executeAction as { timeoutMs: number }).timeoutMs = usual;
  for (const child of children) child.kill("SIGKILL");
  await registry?.stop();
});

const shopOf = () => registry.world.hosts.find(({ kind }) => kind === "shop")!;

async function startWorker({ config, world }: TestRegistry, dieAt: number): Promise<ChildProcess> {
  const options = { config, natsUrl: inject("natsUrl"), ca: world.ca, dieAt };
  const child = fork(MORTAL, { env: { ...process.env, MORTAL_OPTIONS: JSON.stringify(options) } });
  children.add(child);
  child.once("exit", () => children.delete(child));
  await once(child, "message");
  return child;
}

async function toCheckout(agent: Agent): Promise<string> {
  await agent.execute("navigate", "/");
  await agent.execute("click", ".products a");
  await agent.execute("submit-buy", undefined, undefined, { quantity: 1 });
  await agent.execute("navigate", "/checkout");
  return (await agent.execute("read", "#due")).result.elements[0].text;
}

/** Orders of the shop in this buyer's name. */
async function ordersOf(name: string): Promise<number> {
  let count = 0;
  for (let number = 1_000; number < 1_000 + 2 * POINTS.length; number++) {
    const { body } = await getFromWorld(registry.world, shopOf(), `/order/${number}`);
    if (body.toString().includes(`Thank you, ${name}.`)) count++;
  }
  return count;
}

/** What the agent was told, in a word. */
const wordOf = ({ status, success, code, result }: Acted): string =>
  code ?? (success ? "done" : `${status} ${result.error?.code ?? JSON.stringify(result).slice(0, 200)}`);

interface Outcome {
  point: number;
  killed: boolean;
  last: Acted;
  again: Acted;
  orders: number;
}

/** One purchase whose worker dies at a step, in a registry of its own over the one shop. */
async function buyAndDie(point: number): Promise<Outcome> {
  const own = await startRegistry({
    threads: true,
    join: registry,
    ownPrefix: true,
    roles: [],
    config: { BRIDGE_IP_DELAY_MS: 0 },
  });
  try {
    const { key } = await makeLicense(own.runtime.broker, shopOf().host, {
      permissions: { fillForms: true },
    });
    const worker = await startWorker(own, point);
    const agent = await enter(own.url, key, `buyer-${point}`);
    const confirm_total = await toCheckout(agent);
    const name = `Ada ${point} ${randomUUID().slice(0, 8)}`;
    const order = (idempotencyKey?: string) =>
      agent.execute(
        "submit-checkout",
        undefined,
        undefined,
        { name, email: "ada@example.test", terms: true },
        { confirm_total },
        idempotencyKey,
      );
    worker.send("arm");
    await once(worker, "message");
    const once_ = randomUUID();
    let last = await order(once_);
    const killed = worker.signalCode === "SIGKILL";
    if (!killed) worker.kill("SIGKILL");
    const second = await startWorker(own, Number.MAX_SAFE_INTEGER);
    const giveUpAt = performance.now() + GIVE_UP_MS;
    const isSettled = ({ status, success, code }: Acted) =>
      (status === 200 && success) || code === "unknown_outcome";
    while (!isSettled(last) && performance.now() < giveUpAt) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      last = await order(once_);
    }
    // Without its key, from the page that the session is still on.
    const again = last.code === "unknown_outcome" ? await order() : last;
    second.kill("SIGKILL");
    return { point, killed, last, again, orders: await ordersOf(name) };
  } finally {
    await own.stop();
  }
}

describe("a purchase whose worker is killed on the way", () => {
  it("is made at most once, whenever that is, and is told of: done, or of an unknown outcome", {
    timeout: 600_000,
  }, async () => {
    const outcomes: Outcome[] = [];
    const left = [...POINTS];
    const lane = async (): Promise<void> => {
      for (let point = left.shift(); point !== undefined; point = left.shift())
        outcomes.push(await buyAndDie(point));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    const told = outcomes
      .sort((a, b) => a.point - b.point)
      .map(
        ({ point, killed, last, orders }) =>
          `${point} ${killed ? "killed" : "lived"} ${wordOf(last)}, orders ${orders}`,
      );
    expect(outcomes.filter(({ killed }) => killed).length, told.join("\n")).toBeGreaterThanOrEqual(
      POINTS.length - MAY_LIVE,
    );
    for (const { last, again, orders } of outcomes) {
      expect(orders, told.join("\n")).toBeLessThanOrEqual(1);
      if (last.code === "unknown_outcome") {
        expect(last.status).toBe(409);
        expect(again, told.join("\n")).toMatchObject({ status: 409, code: "unknown_outcome" });
      } else expect([wordOf(last), orders], told.join("\n")).toEqual(["done", 1]);
    }
    // Killed before anything was written, it is made all the same; killed after the site had answered, it is known.
    expect(told[0], told.join("\n")).toMatch(/done, orders 1$/);
  });
});
