import { describe, expect, it } from "vitest";
import type { AccessQueueRecord, QueueEntry } from "../../../schemas/access.ts";
import type { AgentBlock } from "../../../schemas/account.ts";
import {
  cleanText,
  emptyQueue,
  enqueued,
  isReadOnly,
  MOST_PENDING,
  MOST_PENDING_OF_ACCOUNT,
  settledQueue,
  underWay,
  waiting,
} from "../../../workers/access/rules.ts";

const NOW = Date.UTC(2026, 0, 20);
const LATER = NOW + 1_000;
const entry = (nth: number, accountId = `account ${nth}`, more: Partial<QueueEntry> = {}): QueueEntry => ({
  requestId: `request ${nth}`,
  siteId: "shop.example",
  agentId: `agent ${nth}`,
  accountId,
  state: "pending",
  expiresAt: LATER,
  ...more,
});
const agentOf = ({ agentId, accountId }: QueueEntry) => ({ agentId, accountId, name: "helper" });
const mute = (accountId: string): AgentBlock => ({
  agentId: "agent",
  accountId,
  name: "helper",
  kind: "mute",
  at: "2026-01-20T00:00:00.000Z",
});

const filled = (entries: QueueEntry[], blocks: AgentBlock[] = []) =>
  entries.reduce<AccessQueueRecord | "full" | "many">(
    (queue, each) => (typeof queue === "string" ? queue : enqueued(queue, each, agentOf(each), blocks, NOW)),
    emptyQueue(),
  );
function queueOf(entries: QueueEntry[], blocks: AgentBlock[] = []): AccessQueueRecord {
  const queue = filled(entries, blocks);
  if (typeof queue === "string") throw new Error(queue);
  return queue;
}
const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => entry(from + i));

describe("an owner's queue", () => {
  it("takes 200 requests, and again one once another has expired or is decided", () => {
    const queue = queueOf(many(MOST_PENDING));
    const one = entry(9_999);
    expect(enqueued(queue, one, agentOf(one), [], NOW)).toBe("full");
    expect(enqueued(queue, { ...one, expiresAt: LATER + 2_000 }, agentOf(one), [], LATER)).toMatchObject({
      open: [{ requestId: "request 9999" }],
    });
    const decided = settledQueue(queue, "request 7", undefined);
    expect(typeof enqueued(decided, one, agentOf(one), [], NOW)).toBe("object");
  });

  it("takes ten of one account, so that a few strangers do not fill it", () => {
    const own = Array.from({ length: MOST_PENDING_OF_ACCOUNT }, (_, i) => entry(i, "greedy"));
    expect(filled([...own, entry(11, "greedy")])).toBe("many");
    expect(typeof filled([...own, entry(11, "another")])).toBe("object");
  });

  it("does not count muted agents against others, keeps the newest of theirs, and shows none", () => {
    const blocks = Array.from({ length: 30 }, (_, i) => mute(`muted ${i}`));
    const muted = Array.from({ length: 250 }, (_, i) => entry(1_000 + i, `muted ${i % 30}`));
    const queue = queueOf([...muted, ...many(MOST_PENDING)], blocks);
    expect(queue.open).toHaveLength(2 * MOST_PENDING);
    expect(waiting(queue, blocks, NOW)).toHaveLength(MOST_PENDING);
    expect(waiting(queue, [], NOW)).toHaveLength(2 * MOST_PENDING);
  });

  it("stays within its record, however much comes: 200 approvals, 500 agents", () => {
    const approved = Array.from({ length: 900 }, (_, i) => entry(i, `account ${i}`, { state: "approved" }));
    const queue = queueOf(approved);
    expect([queue.open.length, queue.agents.length]).toEqual([200, 500]);
    expect(queue.open.at(-1)).toMatchObject({ requestId: "request 899" });
    expect(queue.agents[0]).toMatchObject({ agentId: "agent 899" });
  });

  it("knows the request that an agent has under way for a site, until it expires", () => {
    const queue = queueOf([entry(1), entry(2)]);
    const asked = { siteId: "shop.example", agentId: "agent 2" };
    expect(underWay(queue, asked, NOW)?.requestId).toBe("request 2");
    expect(underWay(queue, asked, LATER)).toBeUndefined();
    expect(underWay(queue, { ...asked, siteId: "other.example" }, NOW)).toBeUndefined();
  });
});

describe("what a stranger writes", () => {
  it.each([
    ["  buy\ttea\nfor me ", "buy tea for me"],
    ["invoice \u202Egnp.exe", "invoice gnp.exe"],
    ["\u0000\u0007\u001B[31mred", "[31mred"],
    ["a\u200B\u2066b\u2069", "ab"],
    ["\u2028\u2029", ""],
  ])("has no control or formatting characters: %j", (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it("reads, where it asks for reading alone", () => {
    expect(isReadOnly(["readContent", "scroll"])).toBe(true);
    expect(isReadOnly(["readContent", "click"])).toBe(false);
  });
});
