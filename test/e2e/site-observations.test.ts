/** What the log says of found hosts and their services, checked by the SDKs as a stranger does. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentPresence, AgentService, ServiceObservation } from "../../schemas/agent-web.ts";
import { Bridge } from "../../sdk/typescript/src/index.ts";
import { loggedKey } from "../../src/stores/logged-hosts.ts";
import { openPresences } from "../../src/stores/presences.ts";
import { type ChangesDeps, logChanges, openChanges, withLeaves } from "../../workers/crawler/log-changes.ts";
import { ensurePython } from "../support/python-sdk.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const ROOT = join(import.meta.dirname, "../..");
const python = ensurePython();
/** Arguments: registry, host, service as JSON. */
const OBSERVATIONS = `
import json, sys
import agent_web_bridge as sdk
with sdk.Bridge(sys.argv[1]) as bridge:
    history = bridge.observations(sys.argv[2], service=json.loads(sys.argv[3]))
    print(json.dumps([each.entry["class"] for each in history.entries]), history.next)
`;

let registry: TestRegistry;
let bridge: Bridge;
let changes: ChangesDeps;
let host: string;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 18, soundShare: 1, agentSites: 18, seed: 5 } });
  await registry.crawl();
  bridge = new Bridge({ registry: registry.url });
  changes = openChanges(registry.runtime);
  const open = registry.world.hosts.filter(({ agent }) => agent?.observed === "open");
  host = open[0]!.host;
}, 180_000);
afterAll(() => registry?.stop());

const path = (of: string): string => `/api/registry/sites/${of}/observations`;
const known = async (of: string): Promise<AgentPresence> =>
  (await openPresences(registry.runtime.broker.buckets.contents).get(of))!;
const spoken = ({ services }: AgentPresence): AgentService =>
  services.find(({ observation }) => observation)!;
const serviceOf = ({ protocol, endpoint }: AgentService) => ({ protocol, endpoint });

/** A later look at the host, which sees its service otherwise. */
async function look(of: string, seen: Partial<ServiceObservation>): Promise<void> {
  const presence = await known(of);
  const services = presence.services.map((service) =>
    service.observation ? { ...service, observation: { ...service.observation, ...seen } } : service,
  );
  const next = { ...presence, services };
  const leaves = await logChanges(changes, of, { presence: next });
  await openPresences(registry.runtime.broker.buckets.contents).put(withLeaves(next, leaves));
}

describe("what the log says of a found host", () => {
  it("is its verdict, and what was seen of its service, each proved", async () => {
    const verdict = await bridge.observations(host);
    expect(verdict).toMatchObject({ next: null, erased: null });
    expect(verdict.entries.map(({ entry }) => entry)).toMatchObject([
      { kind: "verdict", state: "found", reason: "not_claimed", ring: 0, previous: null },
    ]);
    const { observation, auth, ...service } = spoken(await known(host));
    const [seen] = (await bridge.observations(host, { service })).entries;
    const { tools_sha256 } = observation!;
    expect(seen!.entry).toMatchObject({ kind: "observation", class: "open", auth, tools_sha256 });
    expect(observation!.leaf_index).toBe(seen!.leafIndex);
  });

  it("has nothing in it of what the service says of itself, nor its host", async () => {
    const service = spoken(await known(host));
    const { entries } = (await registry.getJson(path(host))).body;
    const text = JSON.stringify(entries);
    for (const word of [host, service.endpoint, service.observation!.name!]) expect(text).not.toContain(word);
  });

  it("is named in the list of servers", async () => {
    const { leaf_index } = spoken(await known(host)).observation!;
    const { servers } = (await registry.getJson("/v0.1/servers?limit=100")).body;
    const named = servers.flatMap(({ _meta }: { _meta: Record<string, any> }) =>
      Object.values(_meta).flatMap(({ observed, page }) =>
        page?.endsWith(host) ? [observed.leaf_index] : [],
      ),
    );
    expect(named).toContain(leaf_index);
  });

  it("has a leaf for a change, and none for what stays the same or is not known", async () => {
    const service = serviceOf(spoken(await known(host)));
    await look(host, { tools_sha256: "a".repeat(64) });
    await look(host, { seen_at: new Date().toISOString(), latency_ms: 7 });
    await look(host, { class: "unknown" });
    await look(host, { class: "open" });
    const { entries, next } = await bridge.observations(host, { service });
    expect(entries.map(({ entry }) => entry.tools_sha256 === "a".repeat(64))).toEqual([true, false]);
    expect(next).toBeNull();
    const { subjects } = (await registry.getJson(path(host))).body;
    const [, row] = subjects;
    expect(row).toMatchObject({ service, waits: false, leaf_index: entries[0]!.leafIndex });
    expect(row.confirmed_at).toBe(spoken(await known(host)).observation!.seen_at);
  });

  it.skipIf("missing" in python)("is checked by Python alike", async () => {
    const service = JSON.stringify(serviceOf(spoken(await known(host))));
    const args = ["-c", OBSERVATIONS, registry.url, host, service];
    const env = { ...process.env, PYTHONPATH: join(ROOT, "sdk/python/src") };
    const { stdout } = await promisify(execFile)((python as { python: string }).python, args, { env });
    expect(stdout.trim()).toBe('["open", "open"] None');
  });

  it("is read page by page, each held to the one before", async () => {
    const service = spoken(await known(host));
    for (const digit of "bcde") await look(host, { tools_sha256: digit.repeat(64) });
    const { subjects } = (await registry.getJson(path(host))).body;
    const asked = `${path(host)}?subject=${subjects[1].subject}&limit=2`;
    const { body } = await registry.getJson(asked);
    expect(body.entries).toHaveLength(2);
    const rest = await registry.getJson(`${asked}&cursor=${body.next_cursor}`);
    expect(rest.body.entries).toHaveLength(2);
    const whole = await bridge.observations(host, { service });
    expect(whole.entries).toHaveLength(6);
    expect(rest.body.entries.map((each: { leaf_index: number }) => each.leaf_index)).toEqual(
      whole.entries.slice(2, 4).map(({ leafIndex }) => leafIndex),
    );
  });

  it("is no more than ten leaves a day, and says that there is more", async () => {
    for (const digit of "0123456789") await look(host, { tools_sha256: digit.repeat(64) });
    const { body } = await registry.getJson(path(host));
    expect(body.subjects[1].waits).toBe(true);
    const { entries } = await bridge.observations(host, { service: spoken(await known(host)) });
    // The verdict is the tenth.
    expect(entries).toHaveLength(9);
    expect(spoken(await known(host)).observation).not.toHaveProperty("leaf_index");
  });

  it("goes on where a process ended with an entry on its way", async () => {
    const other = registry.world.hosts.filter(({ agent }) => agent?.observed === "open")[1]!.host;
    const down = { commit: () => Promise.reject(new Error("the log is away")) };
    const before = await known(other);
    const services = before.services.map((service) => ({
      ...service,
      observation: service.observation && { ...service.observation, class: "auth" as const },
    }));
    const presence = { ...before, services };
    await logChanges({ ...changes, transparency: async () => down }, other, { presence });
    const stored = await changes.logged.get(loggedKey(other));
    const pending = stored!.value.chains.find((chain) => chain.pending)!.pending!;
    await logChanges(changes, other, { presence });
    const { body } = await registry.getJson(path(other));
    const { entries } = (await registry.getJson(`${path(other)}?subject=${body.subjects[1].subject}`)).body;
    expect(entries[0].entry).toBe(pending);
    expect(entries).toHaveLength(2);
  });

  it("ends with a leaf where the service or the whole host is gone", async () => {
    const other = registry.world.hosts.filter(({ agent }) => agent?.observed === "open")[1]!.host;
    const presence = await known(other);
    const { body } = await registry.getJson(path(other));
    const last = async () =>
      Number((await registry.runtime.transparency().then((log) => log.head())).size) - 1;
    await logChanges(changes, other, { presence: { ...presence, services: [] } });
    const log = await registry.runtime.transparency();
    const entryAt = async (index: number) => {
      const found = (await log.leaf(index)) as { opening: { entry: Uint8Array } };
      return JSON.parse(Buffer.from(found.opening.entry).toString());
    };
    expect(await entryAt(await last())).toMatchObject({
      class: "withdrawn",
      subject: body.subjects[1].subject,
      previous: { index: body.subjects[1].leaf_index },
    });
    await logChanges(changes, other, {});
    expect(await entryAt(await last())).toMatchObject({ kind: "verdict", state: "unknown" });
    expect((await registry.getJson(path(other))).body.code).toBe("site_not_registered");
  });

  it("is refused for names that are none, subjects of others and cursors that lead elsewhere", async () => {
    const code = async (of: string): Promise<string> => (await registry.getJson(of)).body.code;
    expect(await code(path("no%20domain"))).toBe("invalid_domain");
    expect(await code(path("nobody.test"))).toBe("site_not_registered");
    expect(await code(`${path(host)}?subject=${"0".repeat(64)}`)).toBe("not_found");
    const { subjects } = (await registry.getJson(path(host))).body;
    expect(await code(`${path(host)}?cursor=${subjects[1].leaf_index}`)).toBe("invalid_cursor");
    expect(await code(`${path(host)}?cursor=999999`)).toBe("invalid_cursor");
  });
});
