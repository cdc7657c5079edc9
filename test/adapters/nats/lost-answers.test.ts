/** A conditional write that was done, whose answer is late, and over which another has written meanwhile. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { type Relay, startRelay } from "../../support/relay.ts";

let relay: Relay;
let [far, near]: NatsBroker[] = [];
const listsOf = (broker: NatsBroker) => openRecords(broker.buckets.plans, z.array(z.string()));

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
