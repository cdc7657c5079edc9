import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EncoderProcess } from "../../../src/adapters/encoder/encoder-process.ts";
import { encoderOver, serveEncoder } from "../../../src/adapters/encoder/over-port.ts";
import type { EncodeOptions, Encoder } from "../../../src/ports/encoder.ts";

const opened: Encoder[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((encoder) => encoder.close()));
});

async function open() {
  const failures: string[] = [];
  const encoder = new EncoderProcess({
    folder: "",
    name: "fake",
    program: new URL("hanging-program.ts", import.meta.url).pathname,
    onFailure: (why) => failures.push(why),
    stuckAfterMs: 400,
  });
  opened.push(encoder);
  await vi.waitFor(() => expect(encoder.state).toBe("running"), { timeout: 20_000 });
  return { encoder, failures };
}
const query: EncodeOptions = { for: "query", waitMs: 10_000 };
const site: EncodeOptions = { for: "site", waitMs: 10_000 };
const lengthOf = async (encoder: Encoder, text: string, options = query) =>
  (await encoder.encode(text, options))?.[0];

describe("the encoder's process", () => {
  it("answers; whoever asks before it started, or no longer than they wait, goes without", async () => {
    const { encoder } = await open();
    expect(await lengthOf(encoder, "three")).toBe(5);
    expect(await lengthOf(encoder, "fail")).toBeUndefined();
    expect(await encoder.encode("slow", { for: "query", waitMs: 20 })).toBeUndefined();
    // It was encoded all the same, and is known from then on.
    await vi.waitFor(async () =>
      expect((await encoder.encode("slow", { for: "query", waitMs: 1 }))?.[0]).toBe(4),
    );
    await encoder.close();
    expect([encoder.state, await lengthOf(encoder, "three!")]).toEqual(["closed", undefined]);
  });

  it("is ended when it is stuck or ends by itself, and another takes its place", async () => {
    const { encoder, failures } = await open();
    const pid = (await encoder.encode("x", query))![1];
    expect(await lengthOf(encoder, "hang")).toBeUndefined();
    expect(failures).toEqual(["it said nothing for 400 ms"]);
    expect(await lengthOf(encoder, "four")).toBeUndefined();
    await vi.waitFor(async () => expect(await lengthOf(encoder, "four")).toBe(4), { timeout: 20_000 });
    expect((await encoder.encode("xy", query))![1]).not.toBe(pid);
    expect(await lengthOf(encoder, "end")).toBeUndefined();
    expect(failures).toEqual(["it said nothing for 400 ms", "it ended (7)"]);
  });

  it("lets queries pass sites, and takes in no more than wait with use", async () => {
    const { encoder } = await open();
    const order: string[] = [];
    const note = async (text: string, options: EncodeOptions) => {
      const vector = await encoder.encode(text, options);
      order.push(`${text} ${vector === undefined ? "refused" : "done"}`);
    };
    const slow = note("slow", query);
    const sites = Array.from({ length: 66 }, (_, i) => note(`site ${i}`, { ...site, waitMs: 600 }));
    const queries = Array.from({ length: 34 }, (_, i) => note(`query ${i}`, query));
    await Promise.all([slow, ...queries]);
    expect(order.slice(0, 4)).toEqual([
      "site 64 refused",
      "site 65 refused",
      "query 32 refused",
      "query 33 refused",
    ]);
    expect(order[4]).toBe("slow done");
    expect(order.slice(5, 37)).toEqual(Array.from({ length: 32 }, (_, i) => `query ${i} done`));
    await Promise.all(sites);
    expect(order).toContain("site 0 done");
  });

  it("is told whether a text is foreign, and knows the same text both ways", async () => {
    const { encoder } = await open();
    for (const foreign of [true, false, true]) {
      const vector = await encoder.encode("taxi", { ...query, foreign });
      expect(vector?.[2]).toBe(foreign ? 1 : 0);
    }
  });

  it("is one for all threads of a process", async () => {
    const { encoder } = await open();
    const { port1, port2 } = new MessageChannel();
    serveEncoder(encoder, port1);
    const other = encoderOver("fake", port2);
    opened.push(other);
    expect(await lengthOf(other, "over there")).toBe(10);
    expect((await other.encode("là-bas", { ...query, foreign: true }))?.[2]).toBe(1);
    expect(other.state).toBe("running");
    expect(await other.encode("hang", { for: "query", waitMs: 50 })).toBeUndefined();
  });
});
