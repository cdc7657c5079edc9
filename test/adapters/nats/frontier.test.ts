import { randomBytes } from "node:crypto";
import { headers as natsHeaders } from "@nats-io/nats-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import { openFrontier } from "../../../src/adapters/nats/frontier.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import type { Frontier, Token } from "../../../src/ports/frontier.ts";
import { HOUR_MS } from "../../../src/ports/time.ts";

const LEASE_MS = 600;
const HEARD = { source: "seed", discoveredAt: 1, visited: false } as const;

describe("the frontier's tokens in the broker", () => {
  let broker: NatsBroker;
  let frontier: Frontier;
  beforeAll(async () => {
    const prefix = `q${randomBytes(6).toString("hex")}`;
    broker = await openBroker({
      url: inject("natsUrl"),
      prefix,
      name: "frontier test",
      clock: systemClock,
      setUp: true,
    });
    frontier = openFrontier(broker, LEASE_MS);
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
});
