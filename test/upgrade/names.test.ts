/** Names that others rely on, as this version declares them: upgrade.test.ts holds a running one to the same list. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { services } from "../../app/services.ts";
import { RIGHTS, type Rights } from "../../src/adapters/nats/rights.ts";
import { bucketName, streamConfigs } from "../../src/adapters/nats/topology.ts";
import { openSqliteIndex } from "../../src/adapters/sqlite/site-index.ts";
import { BUCKETS, type BucketName } from "../../src/ports/storage.ts";
import { operationSubject } from "../../src/rpc/contract.ts";
import { SETTINGS } from "../../src/runtime/config.ts";
import { indexerConsumer } from "../../workers/indexer/contract.ts";
import names from "./94144ec.names.json" with { type: "json" };
import { lostNames, MORE_PATHS, pathsOf, tablesOf } from "./names.ts";
import { PREFIX } from "./version.ts";

const declaredTables = async (): Promise<string[]> => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-names-"));
  const file = join(folder, "index.db");
  try {
    await (await openSqliteIndex(file, { readers: 1 })).close();
    return tablesOf(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const ROOT = new URL("../../", import.meta.url);
const NOT_THE_PROGRAM = /^(\.|node_modules$|test$|docs$|deploy$|models$|train$)/;

/** As tough-cookie writes them, in sessions. */
const COOKIE_MEMBERS = new Set(["hostOnly", "lastAccessed", "pathIsDefault"]);

/** Every word of the program's text. */
const programWords = (): Set<string> => {
  const folders = readdirSync(ROOT, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !NOT_THE_PROGRAM.test(entry.name),
  );
  const files = folders.flatMap(({ name }) =>
    readdirSync(new URL(name, ROOT), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => new URL(`${name}/${file}`, ROOT)),
  );
  return new Set(files.flatMap((file) => readFileSync(file, "utf8").match(/\w+/g) ?? []));
};

it("every member of a stored record is a word of the program still, or told in docs/upgrades.md", () => {
  const words = programWords();
  const members = names.members.filter((name) => {
    const member = name.split(" ")[1]!;
    return words.has(member) || COOKIE_MEMBERS.has(member);
  });
  expect(members.length).toBeGreaterThan(0);
  expect(lostNames(names, { members })).toEqual([]);
});

it("every stored, spoken and public name of the old version is kept, or told in docs/upgrades.md", async () => {
  const buckets = (Object.keys(BUCKETS) as BucketName[]).map((bucket) => bucketName(PREFIX, bucket));
  const consumers = (Object.values(RIGHTS) as Rights[]).flatMap(({ consumes }) => consumes?.(PREFIX) ?? []);
  const openapi = new URL("../../schemas/openapi.json", import.meta.url);
  const declared = {
    streams: Object.fromEntries([
      ...buckets.map((name) => [`KV_${name}`, [`$KV.${name}.>`]] as const),
      ...Object.values(streamConfigs(PREFIX)).map(({ name, subjects }) => [name, subjects] as const),
    ]),
    consumers: consumers.map(({ stream, name }) => `${stream} ${name === "*" ? indexerConsumer("*") : name}`),
    operations: services.flatMap(({ name, operations }) =>
      Object.keys(operations).map((operation) => operationSubject(PREFIX, name, operation)),
    ),
    paths: [...pathsOf(JSON.parse(readFileSync(openapi, "utf8"))), ...MORE_PATHS],
    tables: await declaredTables(),
    settings: [...Object.keys(SETTINGS), "NODE_EXTRA_CA_CERTS"],
  };
  expect(lostNames(names, declared)).toEqual([]);
});
