import { randomBytes } from "node:crypto";
import { headers as natsHeaders } from "@nats-io/nats-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import { openFrontier } from "../../src/adapters/nats/frontier.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Frontier, Token } from "../../src/ports/frontier.ts";

const LEASE_MS = 600;
const HOUR_MS = 3_600_000;
const HEARD = { source: "seed", heardAt: 1, visited: false } as const;

describe("the frontier", () => {
  let broker: NatsBroker;
  let frontier: Frontier;
  beforeAll(async () => {
    const prefix = `q${randomBytes(6).toString("hex")}`;
    broker = await openBroker({ url: inject("natsUrl"), prefix, name: "frontier test", clock: systemClock });
    frontier = await openFrontier(broker, LEASE_MS);
  });
  afterAll(() => broker?.close());

  /** Takes tokens until one of this host comes; others are given back. */
  const takeHost = async (host: string): Promise<Token> => {
    let found: Token | undefined;
    const enough = new AbortController();
    const giveUpAt = performance.now() + 10_000;
    while (!found && performance.now() < giveUpAt)
      await frontier.take(
        1,
        (token) => {
          if (token.host !== host) return token.giveBack();
          found = token;
          enough.abort();
        },
        enough.signal,
      );
    return found!;
  };

  const subject = (host: string, kind: string) => `${broker.prefix}.f.${hostKey(host)}.${kind}`;
  const stream = () => `${broker.prefix}_FRONTIER`;
  const scheduledAt = async (host: string): Promise<number | undefined> => {
    const message = await broker.jsm.streams.getMessage(stream(), { last_by_subj: subject(host, "sched") });
    return message ? Date.parse(message.header.get("Nats-Schedule").slice("@at ".length)) : undefined;
  };
  /** The broker acts on an ack when it comes to it: what one leaves is waited for. */
  const messagesOf = async (host: string): Promise<number> => {
    const info = await broker.jsm.streams.info(stream(), { subjects_filter: subject(host, "*") });
    return Object.values(info.state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  };

  it("gives a host one token, however many add it at once", async () => {
    const added = await Promise.all(
      Array.from({ length: 100 }, () => frontier.add("crowd.test", broker.now() + HOUR_MS, HEARD)),
    );
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await messagesOf("crowd.test")).toBe(1);
  });

  it("does not add a host that is due or under way", async () => {
    await frontier.add("busy.test", broker.now(), HEARD);
    const token = await takeHost("busy.test");
    expect(await frontier.add("busy.test", broker.now(), HEARD)).toBe(false);
    token.drop();
  });

  it("brings a visit forward, and never puts one off", async () => {
    const at = Math.ceil(broker.now() + 2 * HOUR_MS);
    await frontier.add("hasty.test", at, HEARD);
    expect(await frontier.hasten("hasty.test", at + HOUR_MS)).toBe(false);
    expect(await scheduledAt("hasty.test")).toBe(at);
    expect(await frontier.hasten("hasty.test", at - HOUR_MS)).toBe(true);
    expect(await scheduledAt("hasty.test")).toBe(at - HOUR_MS);
    expect(await messagesOf("hasty.test")).toBe(1);
  });

  it("lets a hundred hints at once leave one token, at the earliest of their times", async () => {
    const now = Math.ceil(broker.now());
    await frontier.add("popular.test", now + 10 * HOUR_MS, HEARD);
    const hints = Array.from({ length: 100 }, (_, i) => now + HOUR_MS + i * 1_000);
    while (
      !(await frontier.hasten("popular.test", hints[0]!)) &&
      (await scheduledAt("popular.test")) !== hints[0]
    )
      await Promise.all(hints.map((at) => frontier.hasten("popular.test", at)));
    expect(await messagesOf("popular.test")).toBe(1);
    expect(await scheduledAt("popular.test")).toBe(hints[0]);
  });

  it("leaves a visit alone that is due or under way", async () => {
    await frontier.add("due.test", broker.now(), HEARD);
    const token = await takeHost("due.test");
    expect(await frontier.hasten("due.test", broker.now())).toBe(false);
    expect(await messagesOf("due.test")).toBe(1);
    token.drop();
    expect(await frontier.hasten("unknown.test", broker.now())).toBe(false);
  });

  it("knows a token as done whose worker died between schedule and ack", async () => {
    await frontier.add("half.test", broker.now(), HEARD);
    const first = await takeHost("half.test");
    expect(await first.isDone()).toBe(false);
    const headers = natsHeaders();
    headers.set("Nats-Schedule", `@at ${new Date(broker.now() + HOUR_MS).toISOString()}`);
    headers.set("Nats-Schedule-Target", subject("half.test", "due"));
    await broker.js.publish(subject("half.test", "sched"), JSON.stringify(HEARD), { headers });
    const again = await takeHost("half.test");
    expect(again.deliveries).toBe(2);
    expect(await again.isDone()).toBe(true);
    again.drop();
    await expect.poll(() => messagesOf("half.test")).toBe(1);
    expect(await scheduledAt("half.test")).toBeDefined();
  });

  it("takes the schedule that a token came from, and that stayed, for no successor", async () => {
    await frontier.add("stayed.test", broker.now() + HOUR_MS, HEARD);
    // As when the broker stored what fired, and could not take away the schedule.
    await broker.js.publish(subject("stayed.test", "due"), JSON.stringify(HEARD));
    const token = await takeHost("stayed.test");
    expect(await token.isDone()).toBe(false);
    const at = Math.ceil(broker.now() + 2 * HOUR_MS);
    await token.next(at);
    await expect.poll(() => messagesOf("stayed.test")).toBe(1);
    expect(await scheduledAt("stayed.test")).toBe(at);
  });

  it("takes no successor from a worker that was overtaken", async () => {
    await frontier.add("slow.test", broker.now(), HEARD);
    const overtaken = await takeHost("slow.test");
    const other = await takeHost("slow.test");
    const at = Math.ceil(broker.now() + HOUR_MS);
    await other.next(at);
    await broker.connection.flush();
    await overtaken.next(at + HOUR_MS);
    expect(await overtaken.isDone()).toBe(true);
    await expect.poll(() => messagesOf("slow.test")).toBe(1);
    expect(await scheduledAt("slow.test")).toBe(at);
  });

  it("keeps a token with a worker that says it is under way", async () => {
    await frontier.add("long.test", broker.now(), HEARD);
    const token = await takeHost("long.test");
    const ticker = setInterval(() => token.working(), LEASE_MS / 3);
    const others: Token[] = [];
    const end = new AbortController();
    setTimeout(() => end.abort(), 2.5 * LEASE_MS);
    while (!end.signal.aborted) await frontier.take(1, (other) => others.push(other), end.signal);
    clearInterval(ticker);
    expect(others.filter(({ host }) => host === "long.test")).toEqual([]);
    token.drop();
  });

  it("gives a returned token to another, after the time that was asked", async () => {
    await frontier.add("back.test", broker.now(), HEARD);
    const token = await takeHost("back.test");
    const startedMs = performance.now();
    token.giveBack(300);
    const again = await takeHost("back.test");
    expect(again.deliveries).toBe(2);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(290);
    again.drop();
  });
});
