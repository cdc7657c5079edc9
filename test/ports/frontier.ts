/** What every Frontier must do. Each implementation's test calls this with a way to open a fresh, empty one. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Frontier, Token } from "../../src/ports/frontier.ts";
import { HOUR_MS } from "../../src/ports/time.ts";
import { hostsOf } from "../support/frontier-hosts.ts";

export interface OpenedFrontier {
  frontier: Frontier;
  /** The clock that its times are of, milliseconds. */
  now(): number;
  close(): Promise<void>;
}

const DATA = { source: "seed", discoveredAt: 1, visited: false } as const;
const GIVE_UP_AFTER_MS = 10_000;

/**
 * Runs the suite against one implementation.
 * @param open a frontier whose workers lose a token to another when they are silent for `leaseMs`
 */
export function frontierSuite(name: string, open: (leaseMs: number) => Promise<OpenedFrontier>): void {
  const LEASE_MS = 600;
  describe(name, () => {
    let opened: OpenedFrontier;
    let frontier: Frontier;
    beforeAll(async () => {
      opened = await open(LEASE_MS);
      frontier = opened.frontier;
    });
    afterAll(() => opened?.close());
    const inHours = (hours: number): number => Math.ceil(opened.now() + hours * HOUR_MS);
    const tokens = async (): Promise<number> => (await frontier.lag()).tokens;

    /** Takes tokens until one of this host comes; others are given back. */
    const takeHost = async (host: string): Promise<Token> => {
      let found: Token | undefined;
      const enough = new AbortController();
      const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
      while (!found && performance.now() < giveUpAt)
        await frontier.take(
          1,
          (token) => {
            if (found || token.host !== host) return token.giveBack();
            found = token;
            enough.abort();
          },
          enough.signal,
        );
      if (!found) throw new Error(`${host} was not due within 10 s`);
      return found;
    };
    /** Ends a token, and waits until it is gone. */
    const drop = async (token: Token): Promise<void> => {
      token.drop();
      await expect.poll(() => frontier.has(token.host)).toBe(false);
    };
    /** Adds a host that is due at once, and takes it. */
    const takeNew = async (host: string): Promise<Token> => {
      await frontier.add(host, opened.now(), DATA);
      return takeHost(host);
    };
    /** Whether the host is due at this time, to the second: bringing it forward says so. */
    const isScheduledAt = async (host: string, atMs: number): Promise<boolean> =>
      !(await frontier.bringForward(host, atMs)) && (await frontier.bringForward(host, atMs - 1_000));

    it("gives a host one token, however many add it at once", async () => {
      const before = await tokens();
      const at = inHours(1);
      const added = await Promise.all(
        Array.from({ length: 100 }, () => frontier.add("crowd.test", at, DATA)),
      );
      expect(added.filter(Boolean)).toHaveLength(1);
      expect(await tokens()).toBe(before + 1);
      expect([await frontier.has("crowd.test"), await frontier.has("nobody.test")]).toEqual([true, false]);
    });

    it("makes a host due at its time, with what it was added with", async () => {
      const at = opened.now() + 300;
      await frontier.add("soon.test", at, { source: "report", discoveredAt: 7, visited: true });
      const token = await takeHost("soon.test");
      expect(opened.now()).toBeGreaterThanOrEqual(at - 10);
      expect([token.deliveries, token.data]).toEqual([
        1,
        { source: "report", discoveredAt: 7, visited: true },
      ]);
      await drop(token);
    });

    it("names its hosts, and tells those that are due from those that wait", async () => {
      await frontier.add("waits.test", inHours(1), DATA);
      const token = await takeNew("due-now.test");
      const hosts = await hostsOf(frontier);
      expect([hosts.get("waits.test"), hosts.get("due-now.test"), hosts.get("nobody.test")]).toEqual([
        "sched",
        "due",
        undefined,
      ]);
      expect((await frontier.lag()).inFlight).toBe(1);
      await drop(token);
      await expect.poll(async () => (await frontier.lag()).inFlight).toBe(0);
    });

    it("resolves without a token where none is due, and at once when it is told to stop", async () => {
      const stopped = new AbortController();
      setTimeout(() => stopped.abort(), 100);
      const startedMs = performance.now();
      const taken: Token[] = [];
      await frontier.take(5, (token) => taken.push(token), stopped.signal);
      expect(taken).toEqual([]);
      expect(performance.now() - startedMs).toBeLessThan(1_500);
    });

    it("does not add a host that is due or under way", async () => {
      const token = await takeNew("busy.test");
      expect(await frontier.add("busy.test", opened.now(), DATA)).toBe(false);
      await drop(token);
    });

    it("brings a visit forward, and never puts one off", async () => {
      const at = inHours(3);
      await frontier.add("hasty.test", at, DATA);
      const before = await tokens();
      expect(await frontier.bringForward("hasty.test", at + HOUR_MS)).toBe(false);
      expect(await frontier.bringForward("hasty.test", at - HOUR_MS)).toBe(true);
      expect(await tokens()).toBe(before);
      expect(await isScheduledAt("hasty.test", at - HOUR_MS)).toBe(true);
      expect(await frontier.bringForward("unknown.test", opened.now())).toBe(false);
    });

    it("lets a hundred hints at once leave one token, at the earliest of their times", async () => {
      const first = inHours(1);
      await frontier.add("popular.test", inHours(10), DATA);
      const before = await tokens();
      const hints = Array.from({ length: 100 }, (_, i) => first + i * 2_000);
      // One that loses against another's says so, and whoever gives it says it again.
      for (let round = 0; round < 100; round++)
        if (!(await Promise.all(hints.map((at) => frontier.bringForward("popular.test", at)))).some(Boolean))
          break;
      expect(await tokens()).toBe(before);
      expect(await isScheduledAt("popular.test", first)).toBe(true);
    });

    it("leaves a visit alone that is due or under way", async () => {
      const token = await takeNew("under-way.test");
      const before = await tokens();
      expect(await frontier.bringForward("under-way.test", opened.now())).toBe(false);
      expect(await tokens()).toBe(before);
      await drop(token);
    });

    it("schedules the next visit of a host whose token is ended so", async () => {
      const token = await takeNew("again.test");
      expect(await token.isDone()).toBe(false);
      await token.next(opened.now() + 200);
      const next = await takeHost("again.test");
      expect([next.deliveries, next.data]).toEqual([1, { ...DATA, visited: true }]);
      await drop(next);
    });

    it("takes no successor from a worker that was overtaken", async () => {
      const overtaken = await takeNew("slow.test");
      const other = await takeHost("slow.test");
      expect(other.deliveries).toBe(2);
      const at = inHours(1);
      await other.next(at);
      await overtaken.next(at + HOUR_MS);
      expect(await overtaken.isDone()).toBe(true);
      await expect.poll(async () => (await hostsOf(frontier)).get("slow.test")).toBe("sched");
      expect(await isScheduledAt("slow.test", at)).toBe(true);
    });

    it("keeps a token with a worker that says it is under way", async () => {
      const token = await takeNew("long.test");
      const ticker = setInterval(() => token.working(), LEASE_MS / 3);
      const others: Token[] = [];
      const end = new AbortController();
      setTimeout(() => end.abort(), 2.5 * LEASE_MS);
      while (!end.signal.aborted) await frontier.take(1, (other) => others.push(other), end.signal);
      clearInterval(ticker);
      expect(others.filter(({ host }) => host === "long.test")).toEqual([]);
      await drop(token);
    });

    it("gives a returned token to another, after the time that was asked", async () => {
      const token = await takeNew("back.test");
      const startedMs = performance.now();
      token.giveBack(300);
      const again = await takeHost("back.test");
      expect(again.deliveries).toBe(2);
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(290);
      await drop(again);
    });

    it("has nothing to put right where nothing went wrong", async () => {
      expect([await frontier.removeAcked(), await frontier.restartOverdue(HOUR_MS)]).toEqual([[], []]);
    });
  });
}
