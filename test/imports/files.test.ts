import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { dumpPages, hostPages } from "../../src/imports/file-pages.ts";
import { importEntries } from "../eval/agent-web/imports.ts";
import { dataFile } from "../support/data.ts";
import { listed, remote } from "./registry-server.ts";
import { openImporter } from "./support.ts";

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "bridge-imports-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "list");
  writeFileSync(path, text);
  return path;
}

const entry = (at: number) => listed({ name: `a/${at}`, remotes: remote(`https://s${at}.test/mcp`) });
const entries = [entry(0), entry(1), { name: "a/2", remotes: remote("https://s2.test/mcp") }];

it.each([
  ["JSON lines", `\uFEFF${entries.map((each) => JSON.stringify(each)).join("\r\n")}\n\n`],
  ["a list", JSON.stringify(entries, null, 2)],
  ["a page of the API", JSON.stringify({ servers: entries, metadata: {} })],
])("a dump of a registry is read as %s", async (_, text) => {
  const { run } = await openImporter();
  const path = fileOf(text);
  expect((await run(await dumpPages(path))).outcomes).toEqual({ new: 3 });
  expect((await run(await dumpPages(path))).outcomes).toEqual({ known: 3 });
});

it("lines of a dump that are too long or no JSON are told, and the others are taken", async () => {
  const { run } = await openImporter();
  const lines = [entry(0), "x".repeat(2 << 20), entry(1)].map((each) => JSON.stringify(each));
  const state = await run(await dumpPages(fileOf([...lines, "{broken"].join("\n"))));
  expect(state).toMatchObject({ outcomes: { new: 2, refused: 2 }, refused: { invalid: 2 }, trouble: null });
});

it("hosts of a list are visited, each once, whether they are ranked or not, and nothing is claimed of them", async () => {
  const { run, tokens, claims } = await openImporter();
  const path = fileOf(
    "# mine\na.test\n1,b.test\n2,B.test\nhttps://c.test/shop\n\n3,printer.local\nrank,domain\n",
  );
  const state = await run(await hostPages(path));
  expect(state).toMatchObject({
    outcomes: { new: 3, known: 1, refused: 2 },
    refused: { private_address: 1, not_a_host: 1 },
  });
  expect([...(await tokens()).keys()].sort()).toEqual(["a.test", "b.test", "c.test"]);
  expect(await claims.claimsOf("a.test")).toEqual([]);
  expect((await run(await hostPages(path))).outcomes).toEqual({ known: 4, refused: 2 });
});

it("a file of another content begins anew, one of the same goes on", async () => {
  const { run, later } = await openImporter({ domain: 50, day: 500 });
  const lines = Array.from({ length: 1_200 }, (_, i) => `s${i}.owner${i}.test`);
  const path = fileOf(lines.join("\n"));
  expect(await run(await hostPages(path))).toMatchObject({ cursor: "500", outcomes: { new: 500 } });
  later.ms = 86_400_000;
  expect(await run(await hostPages(path))).toMatchObject({ cursor: "1000", outcomes: { new: 1_000 } });
  expect(await run(await hostPages(fileOf("s3.owner3.test")))).toMatchObject({
    cursor: null,
    outcomes: { known: 1 },
  });
});

const data = dataFile("agent-web-2");

it.skipIf(!data)(
  "a published dump has an outcome for each of its entries, as the evaluation counts them",
  async () => {
    const { run } = await openImporter({ domain: 1_000, day: 10_000 });
    const { entries_imported, entries, by_outcome } = importEntries(data!);
    const { outcomes, refused, trouble } = await run(
      await dumpPages(join(data!, "mcp-registry", "servers.jsonl")),
    );
    const { refused: _, ...taken } = outcomes;
    expect(trouble).toBeNull();
    expect({ ...taken, ...refused }).toEqual(by_outcome);
    expect(entries_imported).toBe(outcomes.new);
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(entries);
  },
);
