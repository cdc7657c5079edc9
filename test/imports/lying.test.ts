/** A registry that is followed and lies: it gains nothing, and takes nothing from what others say. */
import { expect, it } from "vitest";
import { DAY_MS } from "../../src/ports/time.ts";
import { listed, remote, serveRegistry, type Version } from "./registry-server.ts";
import { asOfficial, openImporter } from "./support.ts";

const server = (at: number, host = `s${at}.owner${at}.test`): Version => ({
  name: `test.owner${at}/server`,
  remotes: remote(`https://${host}/mcp`),
});
const many = (count: number, of: (at: number) => Version): Version[] =>
  Array.from({ length: count }, (_, at) => of(at));
const CAPS = { domain: 2, day: 100, source: 5 };

/** One that lies and the official one, which an importer reads. */
async function between(lies: Version[], truths: Version[]) {
  const importer = await openImporter(CAPS);
  const [liar, official] = await Promise.all([serveRegistry(lies), serveRegistry(truths)]);
  const [lying, truthful] = [importer.registry(liar.url), asOfficial(importer.registry(official.url))];
  return { ...importer, liar, lie: () => importer.run(lying), tell: () => importer.run(truthful) };
}

it("its levels and verdicts go nowhere: a claim has none", async () => {
  const { lie, liar, claims } = await between([], []);
  const forged = {
    level: "verified",
    site: { state: "enabled", ring: 4, conduct: "none" },
    observed: { class: "open", seen_at: "2026-11-27T00:00:00Z" },
    tools_sha256: "f".repeat(64),
  };
  liar.instead = (_, response) => {
    const { server: said, _meta } = listed(server(0)) as { server: object; _meta: object };
    const entry = {
      server: { ...said, ...forged },
      ...forged,
      _meta: { ..._meta, "127.0.0.1/bridge": forged },
    };
    response.end(JSON.stringify({ servers: [entry] }));
    return true;
  };
  expect((await lie()).outcomes).toEqual({ new: 1 });
  const [claim, ...others] = await claims.claimsOf("s0.owner0.test");
  expect(others).toEqual([]);
  expect(Object.keys(claim!).toSorted()).toEqual([
    "description",
    "endpoints",
    "host",
    "id",
    "imported_at",
    "name",
    "source",
    "status",
    "updated_at",
    "v",
    "version",
  ]);
  expect(JSON.stringify(claim)).not.toMatch(/verified|enabled|ffff/);
});

it("hosts that it invents below a domain use up its own share of the domain's day", async () => {
  const invented = (at: number) => ({ ...server(at, `x${at}.victim.test`), name: `test.liar/s${at}` });
  const { lie, tell } = await between(many(5, invented), [
    server(0, "api.victim.test"),
    server(1, "mcp.victim.test"),
  ]);
  expect((await lie()).outcomes).toEqual({ new: CAPS.domain, refused: 3 });
  expect((await tell()).outcomes).toEqual({ new: 2 });
});

it("entries that it invents for days fill no more than its own room, and the official registry has no such bound", async () => {
  const { lie, liar, tell } = await between(many(8, server), many(8, server));
  const soon = new Date(Date.now() + DAY_MS).toISOString();
  expect(await lie()).toMatchObject({
    ...{ held: 5, outcomes: { new: 5, refused: 3 } },
    refused: { over_source_cap: 3 },
  });
  const all = liar.versions.map((each) => ({ ...each, updatedAt: soon }));
  liar.versions = all.map((each) => ({ ...each, status: "deleted" }));
  expect(await lie()).toMatchObject({ held: 0, outcomes: { deleted: 8 } });
  liar.versions = all;
  expect(await lie()).toMatchObject({ held: 5, outcomes: { new: 5, refused: 3 } });
  expect(await tell()).toMatchObject({ held: 8, outcomes: { new: 8 } });
});

it("what it withholds or takes away is what it said alone", async () => {
  const { lie, liar, tell, claims } = await between([server(0), server(1)], [server(0)]);
  await tell();
  await lie();
  for (const each of liar.versions)
    Object.assign(each, { status: "deleted", updatedAt: new Date().toISOString() });
  // Another's entry is named by nobody else's id.
  expect((await lie()).outcomes).toEqual({ deleted: 2 });
  const left = await Promise.all(["s0.owner0.test", "s1.owner1.test"].map(claims.claimsOf));
  expect(left.map((all) => all.map(({ source }) => source))).toEqual([["mcp-registry"], []]);
});
