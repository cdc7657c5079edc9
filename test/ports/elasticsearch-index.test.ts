import { afterAll, describe, expect, inject, it } from "vitest";
import { connect, disconnect } from "../../src/adapters/elasticsearch/connection.ts";
import { elasticsearchGenerations } from "../../src/adapters/elasticsearch/generations.ts";
import { ELASTICSEARCH_SCHEMA_VERSION } from "../../src/adapters/elasticsearch/schema.ts";
import { searchAll } from "../../src/adapters/elasticsearch/searching.ts";
import { writeAlias } from "../../src/adapters/elasticsearch/site-index.ts";
import { Snapshots } from "../../src/adapters/elasticsearch/snapshots.ts";
import { ElasticsearchWriter } from "../../src/adapters/elasticsearch/writer.ts";
import { type IndexGenerations, IndexUnavailable, type SiteIndex } from "../../src/ports/index.ts";
import { startRelay } from "../support/relay.ts";
import { put, remove } from "./index-document.ts";
import { siteIndexSuite } from "./site-index.ts";

const url = inject("elasticsearchUrl");
let registries = 0;
const opened: IndexGenerations[] = [];
function generations(prefix = `Test-${++registries}`, address = url): IndexGenerations {
  const made = elasticsearchGenerations({ url: address }, prefix);
  opened.push(made);
  return made;
}
/** Elasticsearch makes an index in the time of a whole test: the next one's is made beside it. */
let next = generations().openLive();
function newIndex(): Promise<SiteIndex> {
  const made = next;
  next = generations().openLive();
  return made;
}
afterAll(async () => {
  await (await next).close();
  for (const made of opened) await made.close();
});

siteIndexSuite("the Elasticsearch index", newIndex);

describe("generations", () => {
  it("of one registry are shared by all its processes, and not by other registries", async () => {
    const [one, two, other] = await Promise.all([
      generations("Shared").openLive(),
      generations("Shared").openLive(),
      generations("shared").openLive(),
    ]);
    expect(one.id).toBe(two.id);
    expect(one.id).not.toBe(other.id);
    await one.apply([put({ domain: "a.example" })]);
    await expect.poll(async () => (await two.stats()).documents, { timeout: 5_000 }).toBe(1);
    expect((await other.stats()).documents).toBe(0);
    for (const index of [one, two, other]) await index.close();
  });

  it("are filled beside the one in use, which every process leaves for the new one when it is switched to", async () => {
    const made = generations("Switched");
    const [index, elsewhere] = await Promise.all([made.openLive(), generations("Switched").openLive()]);
    await index.apply([put({ domain: "old.example", text: "harp" })]);
    const left = await made.createNext();
    await left.index.close();
    const next = await made.createNext();
    expect(next.name).toBe(left.name);
    await next.index.apply([put({ domain: "new.example", text: "harp" })]);
    const harps = async (from: typeof index) =>
      (await from.candidates({ terms: ["harp"], filter: {}, limit: 9 })).candidates.map(
        ({ siteId }) => siteId,
      );
    expect(await harps(index)).toEqual(["old.example"]);
    const before = await made.switchTo(next.name);
    for (const process of [index, elsewhere]) {
      await expect.poll(() => process.id, { timeout: 5_000 }).toBe(next.index.id);
      expect(await harps(process)).toEqual(["new.example"]);
    }
    await made.remove(before);
    expect(await harps(index)).toEqual(["new.example"]);
    await Promise.all([index.close(), elsewhere.close(), next.index.close()]);
  });

  it("come anew, and empty, when somebody deletes them", async () => {
    const made = generations("Deleted");
    const index = await made.openLive();
    const { id } = index;
    await index.apply([put({ domain: "a.example" })]);
    await request("DELETE", `/sites-+deleted-schema${ELASTICSEARCH_SCHEMA_VERSION}-v1`);
    await expect(index.apply([put({ domain: "b.example" })])).rejects.toThrow(IndexUnavailable);
    await expect.poll(() => index.id, { timeout: 5_000 }).not.toBe(id);
    expect((await index.stats()).documents).toBe(0);
    await index.close();
  });
});

async function request(method: string, path: string, body?: object): Promise<void> {
  const reply = await fetch(url + path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  expect(reply.status, await reply.text()).toBe(200);
}

/** Other tests search, too. */
const ONCE_QUIET = { timeout: 30_000, interval: 500 };

describe("an Elasticsearch", () => {
  const ask = { terms: ["harp"], filter: {}, limit: 9 };

  it("of several nodes is read at those that are left, one gone after the other", async () => {
    const nodes = await Promise.all([startRelay(url), startRelay(url), startRelay(url)]);
    const index = await generations("Several", nodes.map((node) => node.url).join(", ")).openLive();
    await index.apply([put({ domain: "a.example", text: "harp" })]);
    for (const node of nodes) {
      node.set("cut");
      for (let times = 0; times < 4; times++) expect((await index.candidates(ask)).total).toBe(1);
      node.set("open");
    }
    await index.close();
    await Promise.all(nodes.map((node) => node.close()));
  });

  it("that forgets a moment, as when its copies move, is asked for one new one by all who shared it", async () => {
    const index = await generations("Forgets").openLive();
    const clients = connect({ url });
    const snapshots = new Snapshots(
      clients.reading,
      `sites-+forgets-schema${ELASTICSEARCH_SCHEMA_VERSION}-v1`,
    );
    const moments: string[] = [];
    const forgotten = Promise.withResolvers<void>();
    const uses = Array.from({ length: 12 }, (_, nth) =>
      snapshots.use(async (snapshot) => {
        const { id } = snapshot.pit;
        if (!moments.includes(id)) moments.push(id);
        if (id === moments[0]) await forgotten.promise;
        // One finds out after the other, while those before it use the new one.
        await new Promise((resolve) => setTimeout(resolve, nth * 10));
        await searchAll(clients.reading, snapshot, { all: { size: 0 } });
      }),
    );
    await expect.poll(() => moments.length, { timeout: 5_000 }).toBe(1);
    await request("DELETE", "/_pit", { id: moments[0] });
    forgotten.resolve();
    await Promise.all(uses);
    expect(moments).toHaveLength(2);
    await disconnect(clients);
    await index.close();
  });

  it("that vanishes or hangs makes calls fail as unavailable, and they succeed again when it is back", async () => {
    const relay = await startRelay(url);
    const index = await generations("Away", relay.url).openLive();
    await index.apply([put({ domain: "a.example", text: "harp" })]);
    for (const state of ["cut", "stalled"] as const) {
      relay.set(state);
      const calls = [
        index.candidates(ask),
        index.get("a.example"),
        index.sample({ points: [1], perPoint: 1, filter: {} }),
      ];
      for (const outcome of await Promise.allSettled(calls))
        expect(outcome).toMatchObject({ status: "rejected", reason: { name: "IndexUnavailable" } });
      relay.set("open");
      // One that stood still is believed to do so until it has answered a look.
      const found = async () => (await index.candidates(ask).catch(() => undefined))?.total;
      await expect.poll(found, { timeout: 10_000 }).toBe(1);
    }
    await index.close();
    await relay.close();
  });

  it("whose disk is full takes no writes, answers searches, and goes on when there is room", async () => {
    const index = await generations("Full").openLive();
    await index.apply([put({ domain: "a.example", text: "harp" })]);
    // What Elasticsearch itself does to every index at its flood stage.
    // Its monitor of disks would lift the block as soon as it looks.
    await request("PUT", "/_cluster/settings", {
      persistent: { "cluster.routing.allocation.disk.threshold_enabled": false },
    });
    const block = (full: boolean | null) =>
      request("PUT", `/sites-+full-schema${ELASTICSEARCH_SCHEMA_VERSION}-v1/_settings`, {
        "index.blocks.read_only_allow_delete": full,
      });
    await block(true);
    const batch = [put({ domain: "b.example", text: "harp" }), remove("a.example", 2)];
    await expect(index.apply(batch)).rejects.toThrow(IndexUnavailable);
    expect((await index.candidates(ask)).total).toBe(1);
    await block(null);
    await index.apply(batch);
    expect((await index.candidates(ask)).candidates.map(({ siteId }) => siteId)).toEqual(["b.example"]);
    await index.close();
  });

  it("that takes only small requests is given smaller ones, until all is written", async () => {
    const index = await generations("Busy").openLive();
    const limit = (bytes: string | null) =>
      request("PUT", "/_cluster/settings", {
        persistent: { "network.breaker.inflight_requests.limit": bytes },
      });
    await limit("150kb");
    const text = Array.from({ length: 120 }, (_, i) => `word${i}`).join(" ");
    await index
      .apply(Array.from({ length: 300 }, (_, i) => put({ domain: `s${i}.example`, text })))
      .finally(() => limit(null));
    expect((await index.stats()).documents).toBe(300);
    await index.close();
  });

  it("whose searches wait is written to in small requests with rests between, and in one when they do not", async () => {
    const index = await generations("Yields").openLive();
    await index.apply(Array.from({ length: 200 }, (_, i) => put({ domain: `s${i}.example`, text: "harp" })));
    const clients = connect({ url });
    const name = `sites-+yields-schema${ELASTICSEARCH_SCHEMA_VERSION}-v1`;
    const writer = new ElasticsearchWriter(clients.writing, writeAlias(name), new AbortController().signal);
    let bulks = 0;
    clients.writing.diagnostic.on("request", (_, event) => {
      if (event?.meta.request.params.path.endsWith("/_bulk")) bulks++;
    });
    const write = (text: string, revision: number) =>
      writer.apply(Array.from({ length: 200 }, (_, i) => put({ domain: `s${i}.example`, text, revision })));
    let isWritten = false;
    // More at once than the engine has threads for searches.
    const searching = Array.from({ length: 16 }, async () => {
      while (!isWritten)
        await clients.writing.search({
          index: name,
          size: 100,
          query: { wildcard: { siteId: "*s*1*" } },
          request_cache: false,
        });
    });
    const searchesWait = async () =>
      Object.values((await clients.writing.nodes.stats({ metric: "thread_pool" })).nodes).some(
        (node) => node.thread_pool!.search!.queue! > 0,
      );
    await expect.poll(searchesWait, { timeout: 10_000 }).toBe(true);
    await write("lute", 3).finally(() => {
      isWritten = true;
    });
    expect(bulks).toBeGreaterThan(1);
    await Promise.all(searching);
    bulks = 0;
    await expect
      .poll(async () => {
        bulks = 0;
        await write("oud", 4);
        return bulks;
      }, ONCE_QUIET)
      .toBe(1);
    await disconnect(clients);
    await index.close();
  });

  it("that is not there makes opening fail as unavailable", async () => {
    await expect(generations("Nobody", "http://127.0.0.1:1").openLive()).rejects.toThrow(IndexUnavailable);
  });
});
