/** Names of servers, and how long those that are gone are told of. */
import { describe, expect, it } from "vitest";
import type { AgentService } from "../../schemas/agent-web.ts";
import { doablesOf, type Kept } from "../../src/agent-web/search/documents.ts";
import { removedDocuments } from "../../src/agent-web/search/entry-times.ts";
import { serverNames } from "../../src/agent-web/search/service-entry.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import { presence, service } from "./presences.ts";

const NOW = Date.parse("2026-11-27T12:00:00.000Z");
const LONG = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.example.com`;

const named = (endpoint: string, more: Partial<AgentService> = {}) =>
  service("x", "", [], { endpoint, ...more });
const namesOf = (host: string, services: AgentService[]) =>
  [...serverNames(presence(host, services)).values()].map(({ name }) => name);
const official = (id: string, version: string | undefined = "1.0.0") => ({
  claimed_by: [{ source: "mcp-registry", id, ...(version !== undefined && { version }) }],
});

describe("the name of an MCP server", () => {
  it.each([
    ["example.com", "https://example.com/mcp", /^com\.example\/mcp$/],
    ["example.com", "https://example.com/mcp/", /^com\.example\/mcp$/],
    ["example.com", "https://example.com/", /^com\.example\/mcp-[0-9a-f]{8}$/],
    ["example.com", "https://api.example.com/mcp", /^com\.example\/mcp-[0-9a-f]{8}$/],
    ["example.com", "https://example.com/a/b?c=d", /^com\.example\/a-b-c-d-[0-9a-f]{8}$/],
    ["example.com", "https://example.com/{tenant}/mcp", /^com\.example\/[\w-]*mcp-[0-9a-f]{8}$/],
    [LONG, `https://${LONG}/mcp`, /^com\.example\/mcp-[0-9a-f]{8}$/],
  ])("of %s at %s is of its host and path", (host, endpoint, form) => {
    const [name] = namesOf(host, [named(endpoint)]);
    expect(name).toMatch(form);
    expect(name!.length).toBeLessThanOrEqual(200);
  });

  it("is the official registry's for the first server that has it, where it is a name and of this host first", () => {
    const first = named("https://example.com/mcp", official("io.github.ann/tea"));
    const second = named("https://example.com/sse", official("io.github.ann/tea"));
    const third = named("https://example.com/bad", official("no name"));
    const fourth = named("https://example.com/other", {
      claimed_by: [{ source: "mcp-registry", id: "io.github.ann/elsewhere" }],
    });
    expect(namesOf("example.com", [first, second, third, fourth])).toEqual([
      "io.github.ann/tea",
      "com.example/sse",
      "com.example/bad",
      "com.example/other",
    ]);
  });
});

describe("a server that is gone", () => {
  const keptOf = (host: string): Kept => {
    const [made] = doablesOf(presence(host, [service(host, "Tea", [])]), {
      isVerified: false,
      gravity: "none",
    });
    return { ...made!.doable, siteId: host };
  };
  const since = (host: string, ms: number): Kept => {
    const kept = keptOf(host);
    return { ...kept, entry: { ...kept.entry!, removed_at: iso(NOW - ms) } };
  };

  it("is told of for thirty days", () => {
    const told = removedDocuments(
      [keptOf("now.com")],
      [since("lately.com", 29 * DAY_MS), since("long-ago.com", 31 * DAY_MS)],
      NOW,
    );
    expect(told.map(({ id, doable }) => [id, doable.entry!.removed_at])).toEqual([
      ["now.com", iso(NOW)],
      ["lately.com", iso(NOW - 29 * DAY_MS)],
    ]);
  });

  it("is one of at most twenty of its host", () => {
    const before = Array.from({ length: 60 }, (_, i) => since(`s${i}.com`, DAY_MS));
    expect(removedDocuments([], before, NOW)).toHaveLength(20);
  });
});
