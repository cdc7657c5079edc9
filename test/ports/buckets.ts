/** What every Bucket must do. Each implementation's test calls this with a way to open a fresh, empty one. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bucket, BucketChange } from "../../src/ports/buckets.ts";

export interface OpenedBucket {
  bucket: Bucket;
  close(): Promise<void>;
}

async function keysOf(bucket: Bucket, filter?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of bucket.keys(filter)) keys.push(key);
  return keys.sort();
}

/** Runs the suite against one implementation. */
export function bucketSuite(name: string, open: () => Promise<OpenedBucket>): void {
  describe(name, () => {
    let opened: OpenedBucket;
    let bucket: Bucket;
    beforeAll(async () => {
      opened = await open();
      bucket = opened.bucket;
    });
    afterAll(() => opened?.close());

    it("gives back what was put, byte for byte, and nothing for what was not", async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      await bucket.put("bytes", bytes);
      expect(Array.from((await bucket.get("bytes"))!.value)).toEqual(Array.from(bytes));
      await bucket.put("text", '{"name":"Müller 東京"}');
      const text = (await bucket.get("text"))!;
      expect([text.text(), text.json()]).toEqual(['{"name":"Müller 東京"}', { name: "Müller 東京" }]);
      expect(await bucket.get("nothing")).toBeUndefined();
    });

    it("gives the newest writes, without those that were overwritten or removed since", async () => {
      for (const key of ["n1", "n2", "n3"]) await bucket.put(key, JSON.stringify(key));
      await bucket.put("n2", JSON.stringify("again"));
      await bucket.put("n4", JSON.stringify("n4"));
      await bucket.remove("n4");
      const newest = (await bucket.newest(6)).map((entry) => entry.json());
      expect(newest).toEqual(["again", "n3", "n1"]);
      expect(await bucket.newest(1)).toEqual([]);
      await bucket.put("n5", JSON.stringify("n5"));
      expect((await bucket.newest(1)).map((entry) => entry.json())).toEqual(["n5"]);
    });

    it("says of what is not JSON that it is none", async () => {
      await bucket.put("damaged", "{");
      const entry = (await bucket.get("damaged"))!;
      expect(() => entry.json()).toThrow(SyntaxError);
    });

    it("gives every write a higher revision, which is then the record's", async () => {
      const first = await bucket.put("revised", "1");
      const second = await bucket.put("revised", "2");
      expect(second).toBeGreaterThan(first);
      expect((await bucket.get("revised"))!.revision).toBe(second);
    });

    it("writes over the revision that was read alone", async () => {
      const made = await bucket.compareAndSet("compared", "1", 0);
      expect(await bucket.compareAndSet("compared", "other", 0)).toBeUndefined();
      const next = await bucket.compareAndSet("compared", "2", made!);
      expect(await bucket.compareAndSet("compared", "late", made!)).toBeUndefined();
      expect(next).toBeGreaterThan(made!);
      expect((await bucket.get("compared"))!.text()).toBe("2");
    });

    it("lets one of many writers at once be first", async () => {
      const revision = await bucket.put("crowd", "start");
      const written = await Promise.all(
        Array.from({ length: 50 }, (_, i) => bucket.compareAndSet("crowd", `${i}`, revision)),
      );
      const first = written.findIndex((made) => made !== undefined);
      expect(written.filter((made) => made !== undefined)).toHaveLength(1);
      expect((await bucket.get("crowd"))!.text()).toBe(`${first}`);
    });

    it("counts right when many count in one record, by reading and comparing", async () => {
      const add = async (): Promise<void> => {
        for (;;) {
          const entry = await bucket.get("count");
          const next = String(Number(entry?.text() ?? 0) + 1);
          if ((await bucket.compareAndSet("count", next, entry?.revision ?? 0)) !== undefined) return;
        }
      };
      await Promise.all(Array.from({ length: 20 }, add));
      expect((await bucket.get("count"))!.text()).toBe("20");
    });

    it("forgets what is removed, and takes it anew as what was never there", async () => {
      const revision = await bucket.put("gone", "1");
      await bucket.remove("gone");
      expect(await bucket.get("gone")).toBeUndefined();
      expect(await bucket.compareAndSet("gone", "late", revision)).toBeUndefined();
      expect(await bucket.compareAndSet("gone", "2", 0)).toBeGreaterThan(revision);
      expect((await bucket.get("gone"))!.text()).toBe("2");
    });

    it("removes the revision that was read alone", async () => {
      const first = await bucket.put("removed", "1");
      const second = await bucket.put("removed", "2");
      expect(await bucket.removeRevision("removed", first)).toBe(false);
      expect((await bucket.get("removed"))!.text()).toBe("2");
      expect(await bucket.removeRevision("removed", second)).toBe(true);
      expect(await bucket.get("removed")).toBeUndefined();
    });

    it("names the keys of now, all or those that fit", async () => {
      for (const key of ["tree.a.1", "tree.a.2", "tree.b.1"]) await bucket.put(key, "1");
      await bucket.remove("tree.a.2");
      expect(await keysOf(bucket, "tree.>")).toEqual(["tree.a.1", "tree.b.1"]);
      expect(await keysOf(bucket, "tree.*.1")).toEqual(["tree.a.1", "tree.b.1"]);
      expect(await keysOf(bucket, "nothing.>")).toEqual([]);
      expect(await keysOf(bucket)).toContain("tree.b.1");
      expect(await bucket.count()).toBeGreaterThanOrEqual((await keysOf(bucket)).length);
    });

    it("tells a watcher of all that is there, then of every change, until it stops", async () => {
      for (let n = 0; n < 5; n++) await bucket.put(`watched.${n}`, `${n}`);
      const stop = new AbortController();
      const seen: BucketChange[] = [];
      let all = 0;
      const watching = (async () => {
        for await (const change of bucket.watch("watched.>", stop.signal)) {
          seen.push(change);
          if (change.pending === 0) all ||= seen.length;
        }
      })();
      await expect.poll(() => all).toBe(5);
      expect(seen.map(({ pending }) => pending)).toEqual([4, 3, 2, 1, 0]);
      const revision = await bucket.put("watched.2", "two");
      await bucket.remove("watched.3");
      await bucket.put("elsewhere", "unseen");
      await expect.poll(() => seen.length).toBe(7);
      expect(
        seen.slice(5).map(({ key, entry, pending }) => [key, entry?.text(), entry?.revision, pending]),
      ).toEqual([
        ["watched.2", "two", revision, 0],
        ["watched.3", undefined, undefined, 0],
      ]);
      stop.abort();
      await watching;
    });
  });
}
