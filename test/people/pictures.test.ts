/** Pictures of data on pages: what each day and each share of a whole is drawn as, and times as people say them. */
import { describe, expect, it } from "vitest";
import { stackedBar, stepLine } from "../../app/pages/charts.ts";
import { ago } from "../../app/pages/parts.ts";
import { DEFAULT_TEXTS } from "../../app/pages/texts.ts";
import { servicesPicture } from "../../app/pages/views/agent-web.ts";
import { daysOf } from "../../app/pages/views/site-history.ts";
import type { SiteVerdict } from "../../schemas/verdict.ts";
import type { RegistryStatus } from "../../workers/protocol/registry-contract.ts";

const NOW = "2026-03-31T12:00:00.000Z";

describe("a strip of days", () => {
  const states = (history: [at: string, state: string][]) =>
    daysOf(history.map(([at, state]) => ({ at, state, reason: "verified" })) as SiteVerdict["history"], NOW);

  it("has the state that held at each day's end, and none before the first change on record", () => {
    const days = states([
      ["2026-03-28T00:00:00.000Z", "enabled"],
      ["2026-03-30T00:00:00.000Z", "stale"],
      ["2026-03-30T01:00:00.000Z", "disabled"],
    ]);
    expect(days).toHaveLength(30);
    expect(days.slice(-5)).toEqual(["unknown", "enabled", "enabled", "disabled", "disabled"]);
  });

  it("is one state where the last change is older than it", () => {
    expect(new Set(states([["2025-01-01T00:00:00.000Z", "enabled"]]))).toEqual(new Set(["enabled"]));
  });
});

describe("a stacked bar", () => {
  const bar = (...counts: number[]) =>
    stackedBar(
      DEFAULT_TEXTS,
      "hosts",
      counts.map((count, i) => ({ tone: "good", label: `part ${i}`, count })),
    ).toString();
  const widths = (markup: string) =>
    [...markup.matchAll(/<rect [^>]*?width="(\d+)"/g)].map(([, width]) => Number(width));

  it.each([
    [[1, 1], 2],
    [[1_000_000, 1], 2],
    [[5, 0], 1],
    [[1, 0, 3], 2],
  ])("of %j has %i parts that can be seen, says each number, and is no wider than it may", (counts, seen) => {
    const markup = bar(...counts);
    expect(widths(markup)).toHaveLength(seen);
    for (const width of widths(markup)) expect(width).toBeGreaterThan(1);
    expect(widths(markup).reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(1_000);
    for (const count of counts) expect(markup).toContain(`<b>${DEFAULT_TEXTS.format.number(count)}</b>`);
  });

  it("of nothing is nothing", () => {
    expect(bar(0, 0)).toBe("");
  });
});

describe("a price over time", () => {
  const line = (...readings: [at: number, value: number][]) =>
    stepLine(
      "prices",
      readings.map(([at, value]) => ({ at, value })),
    )?.toString();

  it("stays at each reading until the next, the lowest at the bottom", () => {
    expect(line([0, 200], [50, 100], [100, 200])).toContain('d="M0 2H500V30H1000V2"');
    expect(line([0, 100], [10, 100])).toContain('d="M0 16H1000V16"');
  });

  it("is no line of one reading, or of none", () => {
    expect([line(), line([1, 1]), line([1, 1], [1, 2])]).toEqual([undefined, undefined, undefined]);
  });
});

describe("the services of a day", () => {
  const picture = (
    ...services: [protocol: "mcp" | "a2a", level: "published" | "answers", services: number][]
  ) =>
    servicesPicture(DEFAULT_TEXTS, {
      services: services.map(([protocol, level, count]) => ({ protocol, level, services: count })),
    } as RegistryStatus["agent_web"]).toString();

  it("are a row for each protocol that was seen, the most first, to one scale and with every number", () => {
    const markup = picture(["a2a", "published", 10], ["mcp", "published", 30], ["mcp", "answers", 10]);
    const rows = markup.split("<tr>").slice(2);
    expect(rows).toHaveLength(2);
    const seen = rows.map((row) => ({
      name: row.match(/<th scope="row">([^<]+)/)?.[1],
      width: [...row.matchAll(/ width="(\d+)"/g)].reduce((sum, [, width]) => sum + Number(width), 0),
      numbers: [...row.matchAll(/<td class="num">(\d+)/g)].map(([, n]) => n),
    }));
    expect(seen.map(({ name, numbers }) => [name, numbers])).toEqual([
      ["MCP", ["30", "10"]],
      ["A2A", ["10", "0"]],
    ]);
    expect(seen[1]!.width / seen[0]!.width).toBeCloseTo(0.25, 1);
  });

  it("are no picture where there are none", () => {
    expect(picture()).toBe("");
  });
});

it.each([
  ["2026-03-31T11:59:30.000Z", "just now"],
  ["2026-03-31T11:58:00.000Z", "2 min ago"],
  ["2026-03-31T09:00:00.000Z", "3 hr ago"],
  ["2026-03-28T12:00:00.000Z", "3 days ago"],
  ["2026-03-31T14:30:00.000Z", "in 2 hr"],
])("%s is said as %s, with its minute for who points at it", (iso, said) => {
  const time = ago(DEFAULT_TEXTS, iso, NOW).toString();
  expect(time).toContain(`>${said}<`);
  expect(time).toContain(`title="${DEFAULT_TEXTS.format.minute(iso)}"`);
});
