/**
 * Random sequences of what the registry asks of its broker, through the adapters and the client of production, with what a
 * caller sees of each. The same sequence is run on the model and on a real nats-server: what is seen must be equal.
 */

import { openFrontier } from "../../src/adapters/nats/frontier.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { type QueueName, queueSubjects, streamConfigs } from "../../src/adapters/nats/topology.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Frontier, Token } from "../../src/ports/frontier.ts";
import type { DelayedQueue, Work } from "../../src/ports/queue.ts";
import { HOUR_MS } from "../../src/ports/time.ts";
import { type Random, randomFrom } from "../../world/random.ts";

const HOSTS = ["a.example", "b.example", "c.example", "d.example"];
const KEYS = ["k.1", "k.2", "k.3"];
const DATA = { source: "seed", discoveredAt: 1, visited: false } as const;
/** Longer than a sequence takes on the real broker: what is in hand stays there. */
const LEASE_MS = 600_000;
/** Acks are not answered: what they change is there within this. */
const SETTLE_MS = 150;
/** A schedule for now has fired within this, on a busy machine too. */
const FIRED_MS = 10_000;
const LOOK_MS = 20;

interface Hands {
  broker: NatsBroker;
  clock: Clock;
  frontier: Frontier;
  webhooks: DelayedQueue;
  random: Random;
  /** Tokens and work in hand, by what they are about. */
  tokens: Map<string, Token>;
  work: Map<string, Work>;
  /** Revisions by the order in which they were first seen: sequences of two brokers need not be the same. */
  revisions: (number | undefined)[];
}

type Operation = (hands: Hands) => Promise<unknown>;

const CLASS = (error: unknown): string => (error instanceof Error ? error.constructor.name : String(error));

/** A revision that was seen before, or one that never was. */
const someRevision = ({ revisions, random }: Hands): number =>
  revisions.length > 0 && random.next() < 0.8 ? (random.pick(revisions) ?? 0) : 0;

const bucketOf = ({ broker }: Hands) => broker.buckets.accounts;

/** The first in hand, by name: the order in which a broker hands out is not looked at. */
const first = <T>(held: Map<string, T>): [string, T] | undefined =>
  [...held].sort(([one], [other]) => (one < other ? -1 : 1))[0];

/** What follows goes by a schedule that has fired, and not by how soon it does. */
async function fired({ broker, clock }: Hands, queue: QueueName, key: string): Promise<void> {
  const { sched } = queueSubjects(broker.prefix, queue, key);
  const stream = streamConfigs(broker.prefix)[queue].name;
  const giveUpAt = clock.monotonicMs() + FIRED_MS;
  while (clock.monotonicMs() < giveUpAt) {
    if (!(await broker.jsm.streams.getMessage(stream, { last_by_subj: sched }))) return;
    await clock.sleep(LOOK_MS);
  }
}

/** Schedules a host's token for now or for later. */
const scheduling =
  (schedule: (hands: Hands, host: string, atMs: number) => Promise<boolean>): Operation =>
  async (hands) => {
    const host = hands.random.pick(HOSTS);
    const isNow = hands.random.next() < 0.6;
    const isDone = await schedule(hands, host, hands.broker.now() + (isNow ? 0 : HOUR_MS));
    if (isDone && isNow) await fired(hands, "frontier", hostKey(host));
    return [host, isNow, isDone];
  };

async function take(hands: Hands): Promise<string[]> {
  const { frontier, clock, tokens } = hands;
  await clock.sleep(SETTLE_MS);
  const taken: string[] = [];
  const enough = new AbortController();
  const waiting = await frontier.lag();
  if (waiting.due === 0) return taken;
  await frontier.take(
    waiting.due,
    (token) => {
      tokens.set(token.host, token);
      taken.push(`${token.host} ${token.deliveries} ${token.data.visited}`);
      if (taken.length === waiting.due) enough.abort();
    },
    enough.signal,
  );
  return taken.sort();
}

async function takeWork({ webhooks, clock, work }: Hands): Promise<string[]> {
  await clock.sleep(SETTLE_MS);
  const taken: string[] = [];
  await webhooks.take(
    8,
    (item) => {
      work.set(item.key, item);
      taken.push(`${item.key} ${JSON.stringify(item.json())}`);
    },
    new AbortController().signal,
  );
  return taken.sort();
}

/** Ends one token that is in hand. */
const withToken =
  (end: (token: Token, hands: Hands) => Promise<unknown>): Operation =>
  async (hands) => {
    const [host, token] = first(hands.tokens) ?? [];
    if (!host || !token) return "none in hand";
    hands.tokens.delete(host);
    const seen = await end(token, hands);
    await hands.clock.sleep(SETTLE_MS);
    return [host, seen];
  };

const OPERATIONS: Record<string, Operation> = {
  put: async (hands) => {
    const key = hands.random.pick(KEYS);
    hands.revisions.push(await bucketOf(hands).put(key, `{"n":${hands.revisions.length}}`));
    return key;
  },
  "compare and set": async (hands) => {
    const key = hands.random.pick(KEYS);
    const written = await bucketOf(hands).compareAndSet(key, '"set"', someRevision(hands));
    if (written !== undefined) hands.revisions.push(written);
    return [key, written !== undefined];
  },
  get: async (hands) => {
    const key = hands.random.pick(KEYS);
    const entry = await bucketOf(hands).get(key);
    return [key, entry?.text(), entry && hands.revisions.lastIndexOf(entry.revision)];
  },
  remove: async (hands) => {
    const key = hands.random.pick(KEYS);
    await bucketOf(hands).remove(key);
    return key;
  },
  "remove revision": async (hands) => {
    const key = hands.random.pick(KEYS);
    const revision = someRevision(hands);
    return revision === 0 ? "no revision" : [key, await bucketOf(hands).removeRevision(key, revision)];
  },
  keys: async (hands) => {
    const keys: string[] = [];
    for await (const key of bucketOf(hands).keys("k.>")) keys.push(key);
    return keys.sort();
  },
  count: ({ broker, random }) => broker.counters.add("day", `c.${random.below(3)}`, 1 + random.below(3)),
  "read count": ({ broker, random }) => broker.counters.read("day", `c.${random.below(4)}`),
  "list counts": async ({ broker }) =>
    (await broker.counters.list("day", "c.*")).map(({ key, total }) => `${key} ${total}`).sort(),
  add: scheduling(({ frontier }, host, atMs) => frontier.add(host, atMs, DATA)),
  "bring forward": scheduling(({ frontier }, host, atMs) => frontier.bringForward(host, atMs)),
  has: ({ frontier, random }) => frontier.has(random.pick(HOSTS)),
  hosts: async ({ frontier, clock }) => {
    await clock.sleep(SETTLE_MS);
    const hosts: string[] = [];
    for await (const [host, state] of frontier.hosts()) hosts.push(`${host} ${state}`);
    return hosts.sort();
  },
  lag: async ({ frontier, clock }) => {
    await clock.sleep(SETTLE_MS);
    return frontier.lag();
  },
  take: take,
  next: withToken(async (token, hands) => {
    const isNow = hands.random.next() < 0.5;
    await token.next(hands.broker.now() + (isNow ? 0 : HOUR_MS));
    if (isNow) await fired(hands, "frontier", hostKey(token.host));
    return isNow;
  }),
  drop: withToken(async (token) => token.drop()),
  "give back": withToken(async (token) => token.giveBack()),
  "is done": async ({ tokens }) => {
    const [host, token] = first(tokens) ?? [];
    return token ? [host, await token.isDone()] : "none in hand";
  },
  "end twice": withToken(async (token, { broker }) => {
    await token.next(broker.now() + HOUR_MS);
    return token.isDone();
  }),
  repair: async ({ frontier }) => [
    (await frontier.removeAcked()).sort(),
    (await frontier.restartOverdue(HOUR_MS)).sort(),
  ],
  "add webhook": ({ webhooks, random }) => webhooks.add(`w${random.below(3)}`, '{"v":1}'),
  "schedule webhook": async (hands) => {
    const key = `w${hands.random.below(3)}`;
    const isNow = hands.random.next() < 0.7;
    await hands.webhooks.schedule(key, hands.broker.now() + (isNow ? 0 : HOUR_MS), '{"v":2}');
    if (isNow) await fired(hands, "webhooks", key);
    return [key, isNow];
  },
  "take webhooks": takeWork,
  "ack webhook": async ({ work, clock }) => {
    const [key, item] = first(work) ?? [];
    if (!key || !item) return "none in hand";
    work.delete(key);
    item.ack();
    await clock.sleep(SETTLE_MS);
    return key;
  },
  "webhooks left": async ({ webhooks, clock }) => {
    await clock.sleep(SETTLE_MS);
    return (await webhooks.size()).messages;
  },
};

/**
 * Runs a sequence that a seed draws.
 * @returns what a caller saw, a line an operation
 */
export async function operate(
  broker: NatsBroker,
  clock: Clock,
  { seed, count }: { seed: number; count: number },
): Promise<string[]> {
  const random = randomFrom(seed, "operations");
  // Tokens come into hands more often than by chance: most operations end them.
  const names = [...Object.keys(OPERATIONS), "add", "add", "bring forward", "take", "take"];
  const hands: Hands = {
    broker,
    clock,
    random,
    frontier: openFrontier(broker, LEASE_MS),
    webhooks: await broker.webhooks(LEASE_MS),
    tokens: new Map(),
    work: new Map(),
    revisions: [],
  };
  // The consumer is made by whoever takes first.
  await hands.frontier.take(1, (token) => token.giveBack(), AbortSignal.timeout(1));
  const seen: string[] = [];
  for (let i = 0; i < count; i++) {
    const name = random.pick(names);
    const outcome = await OPERATIONS[name]!(hands).catch((error: unknown) => `threw ${CLASS(error)}`);
    seen.push(`${name}: ${JSON.stringify(outcome)}`);
  }
  return seen;
}
