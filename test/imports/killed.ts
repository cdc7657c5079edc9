/** An import as an operator runs it, killed three times: what is taken in the end is what is taken at once. */
import { randomBytes } from "node:crypto";
import { expect, inject } from "vitest";
import { OFFICIAL_SOURCE } from "../../schemas/agent-web.ts";
import { openClaims } from "../../src/stores/claims.ts";
import { newHome, runBridge, until } from "../faults/programs.ts";
import { joinBroker } from "../support/gate.ts";
import { type RegistryServer, remote, serveRegistry, type Version } from "./registry-server.ts";

/** Of the owner who lists most, by the caps of the program. */
const MOST_OF_DOMAIN = 50;
const OF_ONE_OWNER = 80;

export async function importKilledThreeTimes(entries: number): Promise<void> {
  const registry = await serveRegistry(madeEntries(entries));
  const prefix = `t${randomBytes(6).toString("hex")}`;
  const broker = await joinBroker(prefix);
  const claims = openClaims(broker.buckets);
  const environment = {
    BRIDGE_HOME: newHome(),
    BRIDGE_NATS_URL: inject("natsUrl"),
    BRIDGE_NATS_PREFIX: prefix,
    BRIDGE_EGRESS_ALLOW: registry.allow,
  };
  const source = `${OFFICIAL_SOURCE}:${new URL(registry.url).host}`;
  const run = () => runBridge(["import", "mcp-registry", "--from", registry.url, "--json"], environment);
  const pagesDone = async () => (await claims.importState.get(source))?.pages ?? 0;

  const pages = entries / 100;
  for (const share of [0.1, 0.4, 0.8]) {
    const program = run();
    await until(`page ${pages * share}`, async () => (await pagesDone()) >= pages * share, 120_000);
    program.kill("SIGKILL");
    await program.ended;
  }
  const last = run();
  expect(await last.ended, last.output).toEqual({ code: 0, signal: null });

  const state = (await claims.importState.get(source))!;
  expect([state.outcomes, state.refused]).toEqual([
    { new: entries - refusedOf(entries), refused: refusedOf(entries) },
    {
      no_remote: entries / 10,
      private_address: entries / 50,
      over_domain_cap: OF_ONE_OWNER - MOST_OF_DOMAIN,
    },
  ]);
  for (const at of [1, 3, entries / 2 + 3, entries - 167]) {
    const host = `s${at}.owner${Math.floor(at / 20)}.test`;
    expect(
      (await claims.claimsOf(host)).map(({ id }) => id),
      host,
    ).toEqual([nameOf(at)]);
  }
  // Each death cost one page at most.
  expect(registry.asked.length).toBeLessThanOrEqual(pages + 3);
  await expectNoChange(registry, entries, run);
  await broker.close();
}

/** A second import asks for what changed alone. */
async function expectNoChange(
  registry: RegistryServer,
  entries: number,
  run: () => ReturnType<typeof runBridge>,
): Promise<void> {
  registry.versions[3] = { ...registry.versions[3]!, status: "deleted", updatedAt: new Date().toISOString() };
  const before = registry.asked.length;
  const again = run();
  expect(await again.ended, again.output).toEqual({ code: 0, signal: null });
  expect(registry.asked.length - before).toBe(1);
  expect(again.output).toContain('"outcomes":{"deleted":1}');
  expect(registry.versions).toHaveLength(entries);
}

const nameOf = (at: number): string => `test.owner${Math.floor(at / 20)}/server-${at}`;
const refusedOf = (entries: number): number => entries / 10 + entries / 50 + OF_ONE_OWNER - MOST_OF_DOMAIN;

/** A tenth without an address, a fiftieth with a private one, the last eighty others of one owner. */
function madeEntries(entries: number): Version[] {
  let ofOne = 0;
  const isOwners = (at: number) => at % 10 !== 0 && at % 50 !== 2;
  const of = Array.from({ length: entries }, (_, at) => at);
  const last = new Set(of.filter(isOwners).slice(-OF_ONE_OWNER));
  return of.map((at) => {
    const name = nameOf(at);
    if (at % 10 === 0) return { name };
    if (at % 50 === 2) return { name, remotes: remote(`http://10.0.0.7:${at % 1_000}/mcp`) };
    if (last.has(at)) return { name, remotes: remote(`https://s${++ofOne}.many.test/mcp`) };
    return { name, remotes: remote(`https://s${at}.owner${Math.floor(at / 20)}.test/mcp`) };
  });
}
