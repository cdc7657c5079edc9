/** The order of what can be done, over a real index. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Level } from "../../schemas/agent-web.ts";
import { openSqliteIndex } from "../../src/adapters/sqlite/site-index.ts";
import { doableIndexDocument } from "../../src/agent-web/search/documents.ts";
import { findDoables, indexFilterOf } from "../../src/agent-web/search/find.ts";
import type { Gravity, IndexWrite, SiteIndex } from "../../src/ports/index.ts";

const SEEN_AT = "2026-11-27T12:00:00.000Z";
const HOURS = Array.from({ length: 24 }, (_, hour) => 490_000 + hour);

interface Sketch {
  host: string;
  description: string;
  level?: Level;
  gravity?: Gravity;
}

function put({ host, description, level = "answers", gravity = "none" }: Sketch): IndexWrite {
  const tool = { name: "do_it", description, effect: "read" as const, screened: "clear" as const };
  const service = {
    ...{
      host,
      protocol: "mcp" as const,
      endpoint: `https://${host}/mcp`,
      transports: [],
      auth: "none" as const,
    },
    ...{
      payment: "not_stated" as const,
      name: host,
      description: "",
      screened: "clear" as const,
      by: "owner",
    },
    ...{ hosts: [host], level, tools: 1, seen_at: SEEN_AT, seen_by: "answer" as const },
  };
  const texts = { name: tool.name, description, parameters: [], service: "" };
  const document = doableIndexDocument(
    { id: host, kind: "tool", doable: { tool, service }, texts },
    { revision: 1, changedAt: 1 },
    { gravity, secret: "secret" },
  );
  return { kind: "put", document };
}

describe("tools that fit alike", () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-tool-order-"));
  let index: SiteIndex;
  beforeAll(async () => {
    index = await openSqliteIndex(join(folder, "index.db"));
    await index.apply(
      [
        { host: "verified.example", description: "Prints labels in Vienna", level: "verified" as const },
        { host: "answers.example", description: "Prints labels in Verona" },
        { host: "published.example", description: "Prints labels in Vilnius", level: "published" as const },
        { host: "poor.example", description: "Prints labels in Varna", gravity: "poor" as const },
        {
          host: "critical.example",
          description: "Prints labels, labels, labels",
          gravity: "critical" as const,
        },
        { host: "mirror-a.example", description: "Solves crosswords" },
        { host: "mirror-b.example", description: "Solves crosswords" },
        { host: "other.example", description: "Sells books of crosswords by post" },
        { host: "twin-a.example", description: "Tunes pianos at home" },
        { host: "twin-b.example", description: "Tunes guitars at home" },
      ].map(put),
    );
  });
  afterAll(async () => {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  });
  async function found(words: string, epoch: number): Promise<string[]> {
    const filter = indexFilterOf("tool", {});
    const { ranked } = await findDoables(index, { words, filter, secret: "secret", epoch });
    return ranked.map(({ siteId }) => siteId.split(".")[0]!);
  }

  it("come by how well they are known, then those of poor conduct, and last those with critical findings, at every hour", async () => {
    for (const hour of HOURS)
      expect(await found("print labels", hour)).toEqual([
        "verified",
        "answers",
        "published",
        "poor",
        "critical",
      ]);
  });

  it("take turns by the hour where they are equals", async () => {
    const first = await Promise.all(HOURS.map(async (hour) => (await found("tunes at home", hour))[0]));
    expect(new Set(first)).toEqual(new Set(["twin-a", "twin-b"]));
  });

  it("come behind all others where they say what one before them says", async () => {
    const [first, second, third] = await found("crosswords", HOURS[0]!);
    expect([first, third].toSorted()).toEqual(["mirror-a", "mirror-b"]);
    expect(second).toBe("other");
  });
});
