/** A registry is saved, restored beside itself, and asked the same questions. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { backup, restore } from "../../app/cli/backup.ts";
import { joinRuntime } from "../../app/cli/parts.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { consistencyRanges } from "../../src/domain/trust/tlog/merkle.ts";
import type { Config } from "../../src/runtime/config.ts";
import { enter } from "../support/agent.ts";
import { makeLicense } from "../support/license.ts";
import { createOwner, PASSWORD } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const ENTRIES = 20;
const folder = mkdtempSync(join(tmpdir(), "bridge-test-backup-"));
const file = join(folder, "saved");
let first: TestRegistry;
let second: TestRegistry | undefined;
/** What people and agents hold when the backup is made. */
let held: { email: string; login: string; session: string; checkpoint: string };
let config: Config;

const configOf = (prefix: string): Config => ({
  ...first.config,
  BRIDGE_NATS_URL: inject("natsUrl"),
  BRIDGE_NATS_PREFIX: prefix,
  BRIDGE_NATS_SETUP: false,
});
const newPrefix = () => `r${randomBytes(6).toString("hex")}`;

async function get(at: TestRegistry, path: string, token?: string) {
  const headers = token ? { authorization: `Bearer ${token}` } : undefined;
  const response = await fetch(at.url + path, headers && { headers });
  return { status: response.status, text: await response.text() };
}

beforeAll(async () => {
  first = await startRegistry({ threads: true, world: { sites: 6 } });
  await first.crawl();
  const owner = createOwner(first);
  const { key } = await makeLicense(first.runtime.broker, first.world.hosts[0]!.host);
  const agent = await enter(first.url, key);
  const log = await first.runtime.transparency();
  for (let at = 0; at < ENTRIES; at++)
    await log.append({ kind: "certificate" }, `entry ${at}`, Buffer.from(`entry ${at}`));
  held = {
    email: await owner.email(),
    login: await owner.token(),
    session: agent.token,
    checkpoint: (await get(first, "/.well-known/bridge-log/checkpoint")).text,
  };
  await first.runtime.broker.counters.add("day", "restored.count", 41);
  config = configOf(first.config.BRIDGE_NATS_PREFIX);
  await backup(config, file);
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("a backup", () => {
  it("is readable by its owner alone, replaces no file, and is noted in the audit log", async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(backup(config, file)).rejects.toThrow(/is there already/);
    const { operator_audit: audit } = first.runtime.broker.buckets;
    const entries: string[] = [];
    for await (const key of audit.keys()) entries.push((await audit.get(key))!.text());
    expect(entries).toContainEqual(expect.stringMatching(/"action":"backup".*"outcome":"done"/));
  });

  it("is not restored where something runs, is stored, or was changed in the file; nothing changes then", async () => {
    await expect(restore(config, file, { force: true })).rejects.toThrow(/are running \(bridge-.* Stop all/);
    const lines = gunzipSync(readFileSync(file)).toString().split("\n");
    const changed = join(folder, "changed");
    for (const damaged of [
      lines.toSpliced(5, 1),
      lines.slice(0, -2),
      lines.with(5, lines[5]!.replace(/"key":"/, '"key":"x')),
    ]) {
      writeFileSync(changed, gzipSync(damaged.join("\n")));
      const prefix = newPrefix();
      await expect(restore(configOf(prefix), changed, { force: false })).rejects.toThrow(
        /is no whole backup/,
      );
      await expect(joinRuntime(configOf(prefix))).rejects.toThrow(/holds no registry/);
    }
    writeFileSync(changed, readFileSync(file).subarray(0, -50));
    await expect(restore(configOf(newPrefix()), changed, { force: false })).rejects.toThrow(/is no whole/);
  });

  it("is restored into an empty home, whose broker nothing else uses", async () => {
    const { BRIDGE_NATS_URL: _, ...own } = config;
    const home = join(folder, "home");
    await restore({ ...own, BRIDGE_HOME: home }, file, { force: false });
    await expect(restore({ ...own, BRIDGE_HOME: home }, file, { force: false })).rejects.toThrow(
      /is not empty/,
    );
  });

  it("gives the same listings, log-ins, sessions, counts, log and proofs under another prefix", async () => {
    const prefix = newPrefix();
    await restore(configOf(prefix), file, { force: false });
    await expect(restore(configOf(prefix), file, { force: false })).rejects.toThrow(/is not empty.*--force/);
    await restore(configOf(prefix), file, { force: true });
    second = await startRegistry({ threads: true, join: first, config: { BRIDGE_NATS_PREFIX: prefix } });
    const { url } = second;
    await second.settled();
    const listed = async (at: TestRegistry) => {
      const { body } = await at.getJson("/api/discovery/registry?limit=100");
      return body.listings.map(({ domain }: { domain: string }) => domain).sort();
    };
    expect(await listed(first)).toHaveLength(6);
    await expect.poll(() => listed(second!), { timeout: 10_000 }).toEqual(await listed(first));
    const { host } = first.world.hosts[0]!;
    const siteOf = async ({ runtime }: TestRegistry) => (await runtime.sites.get(hostKey(host)))?.value;
    const known = (await siteOf(first))!;
    expect(await siteOf(second)).toMatchObject({ ring: known.ring, status: known.status });
    expect(await second.runtime.frontier.has(host)).toBe(true);

    const { email, login, session, checkpoint } = held;
    expect((await second.postJson("/api/auth/login", { email, password: PASSWORD })).status).toBe(200);
    expect((await get(second, "/api/auth/me", login)).status).toBe(
      (await get(first, "/api/auth/me", login)).status,
    );
    expect((await get(second, "/api/bridge/actions", session)).status).toBe(200);
    expect(await second.runtime.broker.counters.read("day", "restored.count")).toBe(41);

    expect((await get(second, "/.well-known/bridge-log/checkpoint")).text).toBe(checkpoint);
    expect((await fetch(`${url}/.well-known/bridge-log/tile/entries/000.p/${ENTRIES}`)).status).toBe(200);
    const [before, after] = await Promise.all([first.runtime.transparency(), second.runtime.transparency()]);
    for (const leaf of [0, 7, ENTRIES - 1])
      expect(await after.inclusionProof(leaf, ENTRIES)).toEqual(await before.inclusionProof(leaf, ENTRIES));
    expect(consistencyRanges(11, ENTRIES).length).toBeGreaterThan(0);
    expect(await after.consistencyProof(11, ENTRIES)).toEqual(await before.consistencyProof(11, ENTRIES));
  }, 60_000);
});
