import { describe, expect, it } from "vitest";
import { createRequestQueue } from "../../../app/front/queue.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("work that waits for a turn of the event loop", () => {
  it("is begun in equal amounts for each network: one's large bodies hold up nobody's small requests", async () => {
    const queue = createRequestQueue();
    const begun: string[] = [];
    for (let i = 0; i < 20; i++) queue.later("203.0.113.0/24", 200, () => begun.push("large"));
    for (let i = 0; i < 20; i++) queue.later("198.51.100.0/24", 1, () => begun.push("small"));
    while (begun.length < 40) await turn();
    expect(begun.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => "small"));
  });

  it("is begun in the order of its coming within a network", async () => {
    const queue = createRequestQueue();
    const begun: number[] = [];
    for (const units of [5, 200, 1, 30, 1]) queue.later("203.0.113.0/24", units, () => begun.push(units));
    while (begun.length < 5) await turn();
    expect(begun).toEqual([5, 200, 1, 30, 1]);
  });
});
