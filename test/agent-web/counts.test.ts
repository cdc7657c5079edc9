/** What the status says of a day's looks and imports, over counters in memory. */
import { describe, expect, it } from "vitest";
import type { AgentPresence, ControlGroup, ObservedClass } from "../../schemas/agent-web.ts";
import { agentWebToday, countEntries, countLook } from "../../src/agent-web/counts.ts";
import { periodOf } from "../../src/ports/counters.ts";

const NOW = Date.UTC(2026, 10, 27);

function counting() {
  const totals = new Map<string, number>();
  return {
    add: async (_: string, key: string, amount = 1) => {
      totals.set(key, (totals.get(key) ?? 0) + amount);
      return totals.get(key)!;
    },
    list: async () => [...totals].map(([key, total]) => ({ key, total, period: periodOf("day", NOW) })),
  };
}

const saw = (name: ObservedClass | null): AgentPresence =>
  ({
    descriptors: [],
    services: name === null ? [] : [{ protocol: "mcp", level: "published", observation: { class: name } }],
  }) as unknown as AgentPresence;

describe("looks at the control group", () => {
  it.each<[ControlGroup, ObservedClass | null, number]>([
    ["alive", "open", 0],
    ["alive", "auth", 0],
    ["alive", "dead", 1],
    ["alive", null, 1],
    ["soft_404", null, 0],
    ["soft_404", "open", 1],
    ["broken", "html", 0],
    ["broken", "open", 1],
  ])("a host that is %s and was seen as %s: wrong %i of 1", async (group, seen, wrong) => {
    const counters = counting();
    await countLook(counters, undefined, saw(seen), group);
    await countLook(counters, undefined, saw("open"), undefined);
    expect((await agentWebToday(counters, NOW)).control).toEqual([{ group, looks: 1, wrong }]);
  });
});

describe("entries of imports", () => {
  it("are counted as a pass goes on, each once", async () => {
    const counters = counting();
    await countEntries(counters, {}, { new: 2, refused: 1 });
    await countEntries(counters, { new: 2, refused: 1 }, { new: 5, refused: 1 });
    expect((await agentWebToday(counters, NOW)).imports).toEqual([
      { outcome: "new", entries: 5 },
      { outcome: "refused", entries: 1 },
    ]);
  });
});
