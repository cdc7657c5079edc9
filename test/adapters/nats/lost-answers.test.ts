/** Reads and writes whose answers are late or lost, over which another may have written meanwhile. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { type Relay, startRelay } from "../../support/relay.ts";

let relay: Relay;
let [far, near]: NatsBroker[] = [];
const listsOf = (broker: NatsBroker) => openRecords(broker.buckets.accounts, z.array(z.string()));

beforeAll(async () => {
  const url = new URL(inject("natsUrl"));
  relay = await startRelay(url.href.replace(/^nats/, "http"));
  const open = (host: string, setUp = false) =>
    openBroker({
      url: `nats://${url.username ? `${url.username}:${url.password}@` : ""}${host}`,
      prefix: "lost-answers",
      name: "test",
      clock: systemClock,
      setUp,
    });
  near = await open(url.host, true);
  far = await open(new URL(relay.url).host);
});
afterAll(async () => {
  relay.set("open");
  await Promise.all([far!.close(), near!.close()]);
  await relay.close();
});

/** Longer than a write is waited for. */
const LATE_MS = 3_000;

describe("a conditional write whose answer comes late", () => {
  it("was done once, and says so, though another wrote over it", async () => {
    const [ours, theirs] = [listsOf(far!), listsOf(near!)];
    const revision = await theirs.put("changed", ["first"]);
    const removed = await theirs.put("removed", ["first"]);
    relay.set("deaf");
    const writes = Promise.all([
      ours.compareAndSet("changed", ["first", "ours"], revision),
      ours.compareAndSet("new", ["ours"], 0),
      ours.removeRevision("removed", removed),
    ]);
    const seen = async (key: string) => (await theirs.get(key))?.value.at(-1);
    for (const [key, last] of [
      ["changed", "ours"],
      ["new", "ours"],
      ["removed", undefined],
    ] as const)
      await expect.poll(() => seen(key), { timeout: 10_000 }).toBe(last);
    for (const key of ["changed", "new", "removed"])
      await theirs.update(key, (before = []) => ({ next: [...before, "theirs"], result: undefined }));
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    relay.set("open");
    const [changed, made, isRemoved] = await writes;
    expect(changed).toBeGreaterThan(revision);
    expect(made).toBeGreaterThan(0);
    expect(isRemoved).toBe(true);
    expect((await theirs.get("changed"))!.value).toEqual(["first", "ours", "theirs"]);
    expect((await theirs.get("new"))!.value).toEqual(["ours", "theirs"]);
    expect((await theirs.get("removed"))!.value).toEqual(["theirs"]);
  });

  it("still tells a conflict: another was first", async () => {
    const lists = listsOf(near!);
    const revision = await lists.put("contended", ["first"]);
    await lists.put("contended", ["theirs"]);
    relay.set("deaf");
    const write = listsOf(far!).compareAndSet("contended", ["ours"], revision);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    relay.set("open");
    expect(await write).toBeUndefined();
    expect((await lists.get("contended"))!.value).toEqual(["theirs"]);
  });

  it("creates over a mark of removal", async () => {
    const lists = listsOf(near!);
    await lists.put("again", ["first"]);
    await lists.remove("again");
    expect(await lists.compareAndSet("again", ["second"], 0)).toBeGreaterThan(0);
    expect(await lists.compareAndSet("again", ["third"], 0)).toBeUndefined();
  });
});

describe("a connection that is lost, and comes back", () => {
  // As programs do once they have started.
  beforeAll(() => far!.connectionState.failFast());

  it("costs no read, write or count: what was under way is asked again, the next waits", async () => {
    const lists = listsOf(far!);
    const { counters } = far!;
    await lists.put("lasting", ["first"]);
    const revision = await lists.put("followed", ["first"]);
    const before = await counters.add("day", "lost");
    const work = () =>
      Promise.all([
        lists.get("lasting"),
        lists.put("written", ["ours"]),
        lists.update("added", (list = []) => ({ next: [...list, "ours"], result: undefined })),
        counters.add("day", "lost"),
      ]);
    relay.set("stalled");
    const underWay = Promise.all([work(), lists.compareAndSet("followed", ["ours"], revision)]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    relay.set("cut");
    relay.set("open");
    const [[read], followed] = await underWay;
    expect(read!.value).toEqual(["first"]);
    expect(followed).toBeGreaterThan(revision);
    relay.set("cut");
    relay.set("open");
    await work();
    expect((await listsOf(near!).get("added"))!.value).toEqual(["ours", "ours"]);
    expect(await counters.add("day", "lost")).toBe(before + 3);
  });

  it("fails what comes later than a second after it at once", async () => {
    const lists = listsOf(far!);
    relay.set("cut");
    await expect(lists.get("lasting")).rejects.toThrow("the broker is away");
    const startedMs = performance.now();
    await expect(lists.get("lasting")).rejects.toThrow("the broker is away");
    await expect(lists.put("lasting", [])).rejects.toThrow("the broker is away");
    expect(performance.now() - startedMs).toBeLessThan(900);
    relay.set("open");
    await expect.poll(() => lists.get("lasting").catch(() => undefined)).toBeDefined();
  });
});
