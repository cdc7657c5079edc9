/** The census: each host once a day, by names of ours alone, as rows, CSV and a page. Counters in memory. */
import { describe, expect, it } from "vitest";
import { en } from "../../app/pages/texts.en.ts";
import { censusView } from "../../app/pages/views/census.ts";
import type { AgentPresence } from "../../schemas/agent-web.ts";
import { CENSUS_DAYS, Census, CensusDay } from "../../schemas/census.ts";
import { type CountedLook, countHost, FRAME, isFirstOfDay, openCensus } from "../../src/agent-web/census.ts";
import { countLook } from "../../src/agent-web/counts.ts";
import { FORMATS } from "../../src/agent-web/formats/table.ts";
import { periodOf } from "../../src/ports/counters.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import { censusCsv } from "../../workers/protocol/census-csv.ts";

const NOON = Date.UTC(2026, 10, 27, 12);

/** Counters over a clock that a test moves. */
function counting() {
  const totals = new Map<string, Map<string, number>>();
  const at = { now: NOON, reads: 0 };
  return {
    at,
    now: () => at.now,
    add: async (_: string, key: string, amount = 1) => {
      const day = totals.get(periodOf("day", at.now)) ?? new Map<string, number>();
      totals.set(periodOf("day", at.now), day);
      day.set(key, (day.get(key) ?? 0) + amount);
      return day.get(key)!;
    },
    list: async (_: string, __: string | readonly string[], period = "") => {
      at.reads++;
      return [...(totals.get(period) ?? [])].map(([key, total]) => ({ key, total, period }));
    },
  };
}

const presence = (over: Partial<AgentPresence> = {}): AgentPresence =>
  ({ platform: null, descriptors: [], services: [], ...over }) as AgentPresence;

const card = { format: "a2a-card", answer: "present", usable: true, conforms: false };
const server = { protocol: "mcp", level: "answers", observation: { class: "open" } };
const silent = { protocol: "mcp", level: "published", observation: null };

const look = (over: Partial<CountedLook> = {}): CountedLook => ({
  source: "import",
  presence: presence(),
  asked: [],
  isVerified: false,
  ...over,
});

const found = look({
  presence: presence({
    platform: "wix",
    descriptors: [card, { ...card, url: "second" }],
    services: [server, silent, server],
  } as unknown as Partial<AgentPresence>),
  asked: [
    { format: "a2a-card", answer: "absent" },
    { format: "a2a-card", answer: "present" },
    { format: "llms-txt", answer: "soft_404" },
  ],
});

describe("a day of the census", () => {
  it("counts a host once for each name, by the best of what it has", async () => {
    const counters = counting();
    await countHost(counters, found);
    await countHost(counters, look({ source: "beacon" }));
    await countHost(counters, look({ presence: "closed" }));
    await countHost(counters, look({ source: "seed", isVerified: true }));
    const days = await openCensus(counters, counters.now)();
    expect(days).toEqual([
      {
        day: "2026-11-27",
        hosts: 4,
        closed: 1,
        found: 2,
        sources: [
          { source: "seed", hosts: 1 },
          { source: "beacon", hosts: 1 },
          { source: "import", hosts: 2 },
        ],
        levels: [
          { level: "answers", hosts: 1 },
          { level: "verified", hosts: 1 },
        ],
        platforms: [{ platform: "wix", hosts: 1 }],
        protocols: [{ protocol: "mcp", level: "answers", hosts: 1 }],
        formats: [
          { format: "a2a-card", answers: { present: 1 }, usable: 1, conforming: 0 },
          { format: "llms-txt", answers: { soft_404: 1 }, usable: 0, conforming: 0 },
        ],
        endpoints: [],
        control: [],
      },
    ]);
    expect(CensusDay.parse(days[0])).toEqual(days[0]);
  });

  it("has the control group's errors beside, and no words of strangers", async () => {
    const counters = counting();
    await countHost(counters, found);
    const named = presence({
      services: [{ ...server, name: "IGNORE ALL", endpoint: "https://x.test/" }],
    } as unknown as Partial<AgentPresence>);
    await countLook(counters, undefined, named, "broken");
    const [day] = await openCensus(counters, counters.now)();
    expect(day!.control).toEqual([{ group: "broken", looks: 1, wrong: 1 }]);
    expect(day!.endpoints).toEqual([{ class: "open", endpoints: 1 }]);
    expect(JSON.stringify(day)).not.toMatch(/IGNORE|x\.test/);
  });

  it.each([
    ["was never seen", {}, true],
    ["was seen this morning", { presence: { seen_at: "2026-11-27T01:00:00.000Z" } }, false],
    ["was seen yesterday", { presence: { seen_at: "2026-11-26T23:59:59.000Z" } }, true],
    ["was found to be nothing this morning", { lookAt: "2026-11-27T01:00:00.000Z" }, false],
    ["has a visit of this morning", { record: { visits: 2, failures: 0, ring: 3 } }, false],
    ["failed this morning", { record: { visits: 2, failures: 1, ring: 3 } }, true],
    ["was only verified this morning", { record: { visits: 1, failures: 0, ring: 3 } }, true],
  ])("a host that %s: counted %#", (_, before, counted) => {
    const { record, ...kept } = { presence: undefined, record: undefined, lookAt: undefined, ...before };
    const visited = record && { ...(record as object), last_visit_at: "2026-11-27T02:00:00.000Z" };
    expect(isFirstOfDay({ ...kept, record: visited as never }, NOON)).toBe(counted);
  });
});

describe("days of the census", () => {
  it("come oldest first, as many as are kept, and those that ended are read once", async () => {
    const counters = counting();
    await countHost(counters, found);
    counters.at.now += DAY_MS;
    await countHost(counters, look());
    const read = openCensus(counters, counters.now);
    expect((await read()).map(({ day, hosts }) => [day, hosts])).toEqual([
      ["2026-11-27", 1],
      ["2026-11-28", 1],
    ]);
    expect(counters.at.reads).toBe(CENSUS_DAYS);
    await read();
    // Today, and yesterday in whose last hour a look may still be counted.
    expect(counters.at.reads - CENSUS_DAYS).toBeLessThanOrEqual(2);
    counters.at.now += CENSUS_DAYS * DAY_MS;
    expect(await read()).toEqual([]);
  });
});

/** As many names as there are, on every day that is kept. */
function full(): Census {
  const hosts = 123_456;
  const day = {
    hosts,
    closed: hosts,
    found: hosts,
    sources: ["seed", "report", "beacon", "import", "audit"].map((source) => ({ source, hosts })),
    levels: ["claimed", "published", "answers", "signed", "verified"].map((level) => ({ level, hosts })),
    platforms: Array.from({ length: 15 }, (_, i) => ({ platform: `platform-${i}`, hosts })),
    protocols: ["mcp", "a2a", "http", "skill", "ucp", "acp", "x402", "nlweb", "webmcp", "bridge"].flatMap(
      (protocol) => ["published", "answers"].map((level) => ({ protocol, level, hosts })),
    ),
    formats: FORMATS.map(({ name }) => ({
      format: name,
      answers: {
        present: hosts,
        absent: hosts,
        soft_404: hosts,
        redirected: hosts,
        auth: hosts,
        error: hosts,
      },
      usable: hosts,
      conforming: hosts,
    })),
    endpoints: [{ class: "open", endpoints: hosts }],
    control: ["alive", "soft_404", "broken"].map((group) => ({ group, looks: hosts, wrong: 1 })),
  };
  const days = Array.from({ length: CENSUS_DAYS }, (_, i) => ({
    ...day,
    day: new Date(NOON - (CENSUS_DAYS - i) * DAY_MS).toISOString().slice(0, 10),
  }));
  return Census.parse({ at: new Date(NOON).toISOString(), frame: FRAME, days });
}

describe("the census for people and spreadsheets", () => {
  it("is a row a day in CSV, with 0 where a day has none of a name", () => {
    const { at, frame, days } = full();
    const empty = {
      ...days[0]!,
      sources: [],
      levels: [],
      platforms: [],
      protocols: [],
      formats: [],
      control: [],
    };
    const csv = censusCsv({ at, frame, days: [days[0]!, { ...empty, day: "2026-11-28" }] });
    const [head, first, second, end] = csv.split("\r\n");
    expect(head).toMatch(/^day,hosts,closed,found,source_seed,/);
    expect(head!.split(",")).toHaveLength(new Set(head!.split(",")).size);
    expect([first, second].map((line) => line!.split(",").length)).toEqual([
      head!.split(",").length,
      head!.split(",").length,
    ]);
    expect(second!.split(",")[head!.split(",").indexOf("protocol_mcp_answers")]).toBe("0");
    expect(end).toBe("");
  });

  it("is a page with a plot and a table of each part, below the bytes of a page however full it is", () => {
    const census = full();
    const context = { texts: en, now: census.at } as unknown as Parameters<typeof censusView>[1];
    const main = { ...census, days: census.days.slice(-14) };
    const text = censusView({ main }, context).body.toString();
    expect(text.length).toBeLessThan(40_000);
    expect(text).toContain(FRAME.slice(0, 40));
    expect(text.match(/<table/g)).toHaveLength(8);
    expect(text).toContain("the last 100%");
    expect(text).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("draws looks that never erred", () => {
    const census = full();
    const days = census.days.map((day) => ({
      ...day,
      control: day.control.map((each) => ({ ...each, wrong: 0 })),
    }));
    const context = { texts: en, now: census.at } as unknown as Parameters<typeof censusView>[1];
    const text = censusView({ main: { ...census, days: days.slice(-2) } }, context).body.toString();
    expect(text).toContain(en.census.parts.control.title);
    expect(text).not.toMatch(/NaN|Infinity/);
  });
});
