/** The frontier after its broker could not write: acked messages that remain, and what did not fire. */
import { headers as natsHeaders } from "@nats-io/nats-core";
import { expect, it, onTestFinished } from "vitest";
import { openFrontier } from "../../../src/adapters/nats/frontier.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import type { Frontier, Token } from "../../../src/ports/frontier.ts";
import { HOUR_MS } from "../../../src/ports/time.ts";
import { until } from "../../faults/programs.ts";
import { joinBroker } from "../../support/gate.ts";
import { ownBroker } from "./own-broker.ts";

const LEASE_MS = 600;
const HEARD = { source: "seed", discoveredAt: 1, visited: false } as const;
const PREFIX = "kept";

const subject = (prefix: string, host: string, kind: string) => `${prefix}.f.${hostKey(host)}.${kind}`;
async function tokensOf({ jsm, prefix }: NatsBroker): Promise<string[]> {
  const info = await jsm.streams.info(`${prefix}_FRONTIER`, { subjects_filter: ">" });
  return Object.keys(info.state.subjects ?? {}).sort();
}
/** Takes until there are so many, or for as long as said: 2 s at most. */
async function takeUpTo(count: number, frontier: Frontier, forMs = 2_000): Promise<Map<string, Token>> {
  const taken = new Map<string, Token>();
  await frontier.take(count, (token) => taken.set(token.host, token), AbortSignal.timeout(forMs));
  return taken;
}
/** Enough to see that nothing comes: a token that was in hand comes again after its lease. */
const NEVER_MS = LEASE_MS + 200;

it("gives back its one token to a host whose ack the stream could not write down", async () => {
  const server = ownBroker(PREFIX, `${PREFIX}_FRONTIER`);
  const start = async () => {
    const { broker, stop } = await server.start();
    return { broker, frontier: openFrontier(broker, LEASE_MS), stop };
  };

  const before = await start();
  for (const host of ["scheduled.test", "dropped.test", "waiting.test"])
    await before.frontier.add(host, before.broker.now(), HEARD);
  await until("all to be due", async () =>
    (await tokensOf(before.broker)).every((name) => name.endsWith(".due")),
  );
  const [scheduled, dropped] = [
    subject(PREFIX, "scheduled.test", "sched"),
    subject(PREFIX, "dropped.test", "due"),
  ];
  const headers = natsHeaders();
  headers.set("Nats-Schedule", `@at ${new Date(before.broker.now() + HOUR_MS).toISOString()}`);
  headers.set("Nats-Schedule-Target", subject(PREFIX, "scheduled.test", "due"));
  await before.broker.js.publish(scheduled, JSON.stringify(HEARD), { headers });
  await before.stop();
  server.copy();

  const during = await start();
  for (const [host, token] of await takeUpTo(3, during.frontier))
    if (host === "waiting.test") token.giveBack(HOUR_MS);
    else token.drop();
  await expect.poll(async () => (await during.frontier.lag()).inFlight).toBe(1);
  await during.stop();
  server.putBack();

  const { broker, frontier } = await start();
  expect(await tokensOf(broker)).toHaveLength(4);
  expect(await frontier.add("dropped.test", broker.now(), HEARD)).toBe(false);
  expect([...(await takeUpTo(1, frontier, NEVER_MS)).keys()]).toEqual([]);

  expect((await frontier.removeAcked()).sort()).toEqual(["dropped.test", "scheduled.test"]);
  expect(await frontier.removeAcked()).toEqual([]);
  const again = await takeUpTo(1, frontier);
  expect([...again.keys()]).toEqual(["dropped.test"]);
  expect(await tokensOf(broker)).toEqual([dropped, scheduled, subject(PREFIX, "waiting.test", "due")].sort());
  again.get("dropped.test")!.drop();
  await expect.poll(() => frontier.has("dropped.test")).toBe(false);
});

it("makes a host due whose schedule fired while its firing could not be stored", async () => {
  const broker = await joinBroker();
  onTestFinished(() => broker.close());
  const frontier = openFrontier(broker, LEASE_MS);
  const stream = `${broker.prefix}_FRONTIER`;
  await frontier.add("silent.test", broker.now() + 100, HEARD);
  await frontier.add("later.test", broker.now() + HOUR_MS, HEARD);
  // Nothing fits, as where an account's limit is reached.
  await broker.jsm.streams.update(stream, { max_msg_size: 1 });
  await takeUpTo(1, frontier, NEVER_MS);
  await broker.jsm.streams.update(stream, { max_msg_size: -1 });
  expect([...(await takeUpTo(1, frontier, NEVER_MS)).keys()]).toEqual([]);

  expect(await frontier.restartOverdue(HOUR_MS)).toEqual([]);
  expect(await frontier.restartOverdue(500)).toEqual(["silent.test"]);
  const taken = await takeUpTo(1, frontier);
  expect([...taken.keys()]).toEqual(["silent.test"]);
  expect(taken.get("silent.test")!.data).toEqual(HEARD);
  expect(await tokensOf(broker)).toHaveLength(2);
});
