/**
 * `/v0.1/servers` as the MCP Registry's own importer reads it and its own validators judge it: the Go module of that registry, which
 * shares no code with this one. Both are internal to the module, so a test of ours is built within a copy of it, once, in the cache.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openPresences } from "../../src/stores/presences.ts";
import { startRegistry } from "../support/registry.ts";
import { presence, service, tool } from "./presences.ts";

const MODULE = "github.com/modelcontextprotocol/registry@v1.8.9";
const FOLDER = join(import.meta.dirname, "../../node_modules/.cache/official-registry");
const READER = join(FOLDER, "v1.8.9");
const env = { ...process.env, GOTOOLCHAIN: "auto", GOFLAGS: "-mod=mod -modcacherw" };

/** Builds the reader, where it is not yet. @returns why it could not be built, else "" */
function whyNot(): string {
  if (existsSync(READER)) return "";
  const copy = mkdtempSync(join(tmpdir(), "official-registry-"));
  try {
    const found = spawnSync("go", ["mod", "download", "-json", MODULE], { env, encoding: "utf8" });
    if (found.error || found.status !== 0)
      return `Go does not find it: ${found.error?.message ?? found.stdout}`;
    cpSync((JSON.parse(found.stdout) as { Dir: string }).Dir, copy, { recursive: true });
    execFileSync("chmod", ["-R", "u+w", copy]);
    copyFileSync(
      join(import.meta.dirname, "official-registry.go"),
      join(copy, "internal/importer/peer_test.go"),
    );
    const arguments_ = ["test", "./internal/importer", "-c", "-o", READER];
    const built = spawnSync("go", arguments_, { cwd: copy, env, encoding: "utf8" });
    return existsSync(READER) ? "" : `Go did not build it: ${built.error?.message ?? built.stderr}`;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
const why = whyNot();

interface Read {
  name: string;
  remotes: number;
  issues: unknown[];
}

describe.skipIf(why !== "")(`the MCP Registry's own importer${why && ` (skipped: ${why})`}`, () => {
  it("reads every server, page by page, and its validators find no fault in one", async () => {
    const registry = await startRegistry({ world: { sites: 2 } });
    onTestFinished(() => registry.stop());
    const presences = openPresences(registry.runtime.broker.buckets.contents);
    const hostile = ["x".repeat(200), "名前 \u202e\u0007<b>", "a/b c", ""];
    const hosts = Array.from({ length: 40 }, (_, i) => `host${i}.com`);
    for (const [i, host] of hosts.entries()) {
      const name = hostile[i % hostile.length]!;
      await presences.put(presence(host, [service(host, name, [tool("look", name)], { description: name })]));
    }
    await vi.waitUntil(
      async () => {
        const { body } = await registry.getJson("/v0.1/servers?limit=100");
        return ((body as { servers?: unknown[] }).servers ?? []).length >= hosts.length;
      },
      { timeout: 15_000 },
    );
    const run = promisify(execFile)(READER, ["-test.run", "TestPeer"], {
      env: { ...env, PEER: `${registry.url}/v0.1/servers?limit=7` },
    });
    const lines = (await run).stdout.split("\n").filter((line) => line.startsWith("{"));
    const read = lines.map((line) => JSON.parse(line) as Read);
    expect(read.map(({ name }) => name)).toEqual(
      expect.arrayContaining(hosts.map((h) => `com.${h.split(".")[0]}/mcp`)),
    );
    expect(new Set(read.map(({ name }) => name)).size).toBe(read.length);
    expect(
      read.filter(({ issues, remotes }) => (issues !== null && issues.length > 0) || remotes === 0),
    ).toEqual([]);
  });
});
