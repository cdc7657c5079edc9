/** Names and functions, as `npm run check` holds them. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

describe("the check of names", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "bridge-test-names-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** What the check says of a folder with these files. */
  function check(files: Readonly<Record<string, string>>): { status: number | null; faults: string[] } {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const run = spawnSync(process.execPath, ["deploy/names.ts", folder], { cwd: ROOT, encoding: "utf8" });
    expect(run.stderr).toBe("");
    return { status: run.status, faults: run.stdout.split("\n").filter(Boolean) };
  }

  it("refuses one name in two files of the program, and says in which", () => {
    const { status, faults } = check({
      "src/search/place.ts": "export interface Place { row: number }\n",
      "workers/gossip/tables.ts": "export type Place = string;\nexport const slots = 4;\n",
      "app/menu.ts": "export function placeOf(): number { return 4; }\n",
    });
    expect(status).toBe(1);
    expect(faults).toEqual(["Place is exported by src/search/place.ts, workers/gossip/tables.ts"]);
  });

  it("takes a schema and its type for one name, and what is exported on for what it is", () => {
    const { status, faults } = check({
      "schemas/site.ts": "export const Site = z.object({});\nexport type Site = z.infer<typeof Site>;\n",
      "src/site.ts": 'import { Site } from "../schemas/site.ts";\nexport { Site };\n',
      "src/sites.ts": 'export { Site } from "../schemas/site.ts";\n',
    });
    expect({ status, faults }).toEqual({ status: 0, faults: [] });
  });

  it("takes names that tests and the SDK have to themselves, and the one that every role is loaded by", () => {
    const start = "export async function start(): Promise<void> {}\n";
    const { status, faults } = check({
      "schemas/site.ts": "export type Site = string;\n",
      "sdk/typescript/src/api.ts": "export type Site = string;\n",
      "test/support/site.ts": "export type Site = string;\n",
      "workers/search/role.ts": start,
      "workers/gossip/role.ts": start,
    });
    expect({ status, faults }).toEqual({ status: 0, faults: [] });
  });

  it("refuses a function with a body as a constant, and takes one whose type is stated elsewhere", () => {
    const { status, faults } = check({
      "src/shapes.ts": [
        "export const area = (width: number): number => {",
        "  return width * width;",
        "};",
        "const round = function (side: number) { return side; };",
        "export const half = (side: number): number => side / 2;",
        "const shape: Shape = (side) => { return side; };",
        "export const curried = (side: number) => (width: number) => { return side * width; };",
        "",
      ].join("\n"),
    });
    expect(status).toBe(1);
    expect(faults).toEqual([
      "src/shapes.ts: area is to be declared as a function",
      "src/shapes.ts: round is to be declared as a function",
    ]);
  });
});
