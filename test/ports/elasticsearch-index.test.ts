import { afterAll, describe, expect, inject, it } from "vitest";
import { elasticsearchGenerations } from "../../src/adapters/elasticsearch/generations.ts";
import type { IndexGenerations } from "../../src/ports.ts";
import { put } from "./index-document.ts";
import { siteIndexSuite } from "./site-index.ts";

const url = inject("elasticsearchUrl");
let registries = 0;
const opened: IndexGenerations[] = [];
const generations = (prefix = `Test-${++registries}`): IndexGenerations => {
  const made = elasticsearchGenerations({ url }, prefix);
  opened.push(made);
  return made;
};
afterAll(async () => {
  for (const made of opened) await made.close();
});

siteIndexSuite("the Elasticsearch index", () => generations().openLive());

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
});
