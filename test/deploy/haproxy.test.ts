/** The balancer of deploy/haproxy.cfg before two servers that say what a front would. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Balancer, ensureHaproxy, startBalancer } from "../support/balancer.ts";

const haproxy = ensureHaproxy();

/** A front as a balancer sees it: each answer is its name. */
async function startFront(name: string) {
  const state = { isReady: true, breaksOff: false, asked: 0 };
  const server: Server = createServer((request, response) => {
    if (request.url === "/readyz") return void response.writeHead(state.isReady ? 200 : 503).end();
    state.asked++;
    if (state.breaksOff) return void request.socket.destroy();
    response.end(name);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { state, port: (server.address() as AddressInfo).port, close };
}

describe.skipIf("missing" in haproxy)("the balancer", () => {
  let fronts: Awaited<ReturnType<typeof startFront>>[];
  let balancer: Balancer;
  beforeAll(async () => {
    if ("missing" in haproxy) return;
    fronts = await Promise.all(["one", "two"].map(startFront));
    const ports = fronts.map(({ port }) => port);
    balancer = await startBalancer(haproxy, ports);
  });
  afterAll(async () => {
    await balancer?.stop();
    for (const front of fronts ?? []) front.close();
  });

  const ask = async (method = "GET") => {
    try {
      const answer = await fetch(`${balancer.url}/x`, { method });
      return `${answer.status} ${(await answer.text()).slice(0, 3)}`;
    } catch {
      // On a connection that was used before: the client is to decide whether it repeats.
      return "closed";
    }
  };
  const answers = async () => [...new Set(await Promise.all(Array.from({ length: 8 }, () => ask())))].sort();
  const become = (isReady: readonly boolean[]) => {
    fronts.forEach(({ state }, at) => {
      state.isReady = isReady[at]!;
    });
  };

  it("asks the fronts that are ready, and all of them where none is", async () => {
    await expect.poll(answers, { timeout: 10_000 }).toEqual(["200 one", "200 two"]);
    become([false, true]);
    await expect.poll(answers, { timeout: 10_000 }).toEqual(["200 two"]);
    become([false, false]);
    await expect.poll(answers, { timeout: 10_000 }).toEqual(["200 one", "200 two"]);
    become([true, true]);
    await expect.poll(answers, { timeout: 10_000 }).toEqual(["200 one", "200 two"]);
  }, 60_000);

  it("repeats a read whose front ended before it answered, and nothing else", async () => {
    const [broken] = fronts as [(typeof fronts)[number]];
    broken.state.breaksOff = true;
    expect(await answers()).toEqual(["200 two"]);
    const before = broken.state.asked;
    const posts = await Promise.all(Array.from({ length: 8 }, () => ask("POST")));
    expect(posts.filter((answer) => answer !== "200 two")).toHaveLength(broken.state.asked - before);
    expect(broken.state.asked).toBeGreaterThan(before);
  }, 30_000);
});
