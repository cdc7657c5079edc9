import pino from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { followRecords } from "../../../src/stores/follow.ts";
import { joinBroker } from "../../support/gate.ts";

const Entry = z.looseObject({ n: z.number() });

async function following(key?: string) {
  const broker = await joinBroker();
  onTestFinished(() => broker.close());
  const bucket = broker.buckets.gossip_places;
  const seen = new Map<string, number>();
  const errors: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void errors.push(line) });
  const begin = async () => {
    const followed = await followRecords({
      bucket,
      schema: Entry,
      ...(key && { key }),
      onPut: (name, { n }) => seen.set(name, n),
      onRemove: (name) => seen.delete(name),
      clock: systemClock,
      log,
    });
    onTestFinished(followed.stop);
  };
  const put = (name: string, n: unknown) => bucket.put(name, JSON.stringify({ n }));
  return { broker, bucket, seen, errors, begin, put };
}

describe("a bucket followed in memory", () => {
  it("tells of all that is there before it returns, then of every change", async () => {
    const { bucket, seen, begin, put } = await following();
    for (let n = 0; n < 50; n++) await put(`tried.${n}.1`, n);
    await begin();
    expect(seen.size).toBe(50);
    await put("tried.7.1", 700);
    await bucket.remove("tried.8.1");
    await vi.waitFor(() => expect([seen.get("tried.7.1"), seen.has("tried.8.1")]).toEqual([700, false]));
  });

  it("returns at once when nothing of the wanted keys is there", async () => {
    const { seen, begin, put } = await following("tried.>");
    await put("new.1.1", 1);
    await begin();
    expect(seen.size).toBe(0);
    await put("tried.1.1", 2);
    await vi.waitFor(() => expect([...seen]).toEqual([["tried.1.1", 2]]));
  });

  it("says which unreadable record and goes on with the others", async () => {
    const { seen, errors, begin, put } = await following();
    await put("tried.1.1", "not a number");
    await put("tried.2.1", 2);
    await begin();
    expect([...seen]).toEqual([["tried.2.1", 2]]);
    expect(errors.join()).toContain("tried.1.1");
  });
});
