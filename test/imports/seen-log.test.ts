/** The transparency log of a registry that is imported: what its next checkpoint is held to, and what operators are told. */
import { expect, it } from "vitest";
import { generateKey } from "../../src/domain/trust/ed25519.ts";
import { LOG_FAULTS, type LogFault } from "../../src/stores/claims.ts";
import { copyOf, entriesOf } from "../domain/trust/tlog/log-copy.ts";
import { remote, serveRegistry } from "./registry-server.ts";
import { openImporter } from "./support.ts";

const key = generateKey();
type Log = Map<string, Uint8Array>;
const logOf = (count: number, of = key): Log => copyOf(entriesOf(count), of);
const rewritten = (count: number): Log =>
  copyOf(
    entriesOf(count).map((entry, at) => (at === 3 ? Buffer.from("{}") : entry)),
    key,
  );
const without = (log: Log, part: string): Log => new Map([...log].filter(([name]) => !name.includes(part)));
const withFile = (log: Log, name: string, file: Uint8Array): Log => new Map(log).set(name, file);

/** A registry whose log was seen with 300 entries. */
async function followed() {
  const importer = await openImporter();
  const registry = await serveRegistry([{ name: "a/0", remotes: remote("https://a.test/mcp") }]);
  registry.log = logOf(300);
  const source = importer.registry(registry.url);
  const first = await importer.run(source);
  const show = async (log: Log | undefined) => {
    registry.log = log;
    return importer.run(source);
  };
  return { ...importer, registry, source, first, show };
}

it("a log that grows is followed, and its newest checkpoint is kept", async () => {
  const { first, show } = await followed();
  expect(first.log).toMatchObject({ size: 300, fault: null });
  for (const size of [300, 301, 512, 70_000])
    expect((await show(logOf(size))).log).toMatchObject({
      size,
      fault: null,
      note: expect.stringContaining(`\n${size}\n`),
    });
});

it("a registry without a log has none, and pages that it serves there are none", async () => {
  const { run, registry } = await openImporter();
  const server = await serveRegistry([]);
  server.log = new Map([["key", Buffer.from("<!doctype html>")]]);
  const state = await run(registry(server.url));
  expect([state.log, state.trouble]).toEqual([undefined, null]);
});

it.each<[string, LogFault, () => Log | undefined]>([
  ["shows none any more", "unreadable", () => undefined],
  ["shows no tiles of what came since", "unreadable", () => without(logOf(900), "tile/0/")],
  ["was signed by another key", "other_key", () => logOf(301, generateKey())],
  [
    "has a checkpoint of two mebibytes",
    "unreadable",
    () => withFile(logOf(301), "checkpoint", Buffer.alloc(2 << 20)),
  ],
  ["is no note", "other_key", () => withFile(logOf(301), "checkpoint", Buffer.from("{}\n\n\n"))],
  ["became smaller", "smaller", () => logOf(299)],
  ["became empty", "smaller", () => logOf(0)],
  ["became smaller and shows no tiles", "smaller", () => without(logOf(200), "tile/")],
  ["is another one of the same size", "fork", () => rewritten(300)],
  ["is a larger one with another past", "fork", () => rewritten(900)],
  [
    "is a smaller one with another past, beside tiles of what was seen",
    "fork",
    () => new Map([...logOf(300), ["checkpoint", rewritten(200).get("checkpoint")!]]),
  ],
  [
    "is a smaller one beside tiles of neither",
    "smaller",
    () => new Map([...rewritten(900), ["checkpoint", logOf(200).get("checkpoint")!]]),
  ],
  [
    "has tiles of another past than its checkpoint",
    "unreadable",
    () => new Map([...rewritten(900), ["checkpoint", logOf(900).get("checkpoint")!]]),
  ],
])("operators are told of a log that %s: %s", async (_, kind, log) => {
  const { show, registry, first, claims } = await followed();
  const { log: seen, trouble, outcomes } = await show(log());
  expect([seen?.fault?.kind, seen?.note, trouble]).toEqual([kind, first.log!.note, null]);
  // What it lists was never more than a hint.
  expect(outcomes).toEqual({});
  expect(LOG_FAULTS[kind]).toMatch(/log|checkpoint/);
  // What was seen once of two histories stays; all else ends with the fault.
  const after = await show(logOf(301));
  if (kind !== "fork") return expect(after.log).toMatchObject({ size: 301, fault: null });
  expect(after.log?.fault).toMatchObject({ kind, note: expect.stringContaining("log.example/bridge") });
  expect(registry.asked).toHaveLength(3);
  expect((await claims.importState.all()).map(({ log }) => log?.fault?.kind)).toEqual([kind]);
});

it("a registry whose log is at another's address shows none", async () => {
  const { show, registry } = await followed();
  const other = await serveRegistry([]);
  other.log = logOf(301);
  registry.logAt = other.url;
  expect((await show(logOf(301))).log).toMatchObject({ size: 300, fault: { kind: "unreadable" } });
});

it("an operator begins anew with a log, by its key", async () => {
  const { show, run, source, registry } = await followed();
  expect((await show(rewritten(300))).log?.fault?.kind).toBe("fork");
  const logKey = Buffer.from(registry.log!.get("key")!).toString("utf8");
  expect((await run(source, { logKey })).log).toMatchObject({ size: 300, fault: null });
  expect((await show(logOf(301, generateKey()))).log?.fault?.kind).toBe("other_key");
});
