import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { afterVisit } from "../../../src/crawl/judgement.ts";
import { declaredFacts } from "../../../src/crawl/stages/document.ts";
import { queryVector } from "../../../src/domain/search/embeddings/site-meaning.ts";
import { cosine } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { indexDocumentOf, toEncode } from "../../../workers/indexer/rules.ts";
import { documentOf, HOST, START_MS, unsound, verified } from "../crawler/observations.ts";

const document = documentOf({
  provider: { name: "  Café  Žofie ", domain: HOST, category: "Food", description: "Strudel and tea." },
  intent_tags: ["Book-Table"],
  location: { country: " AT ", city: "Wien", lat: 48.2, lon: 16.4 },
});
const { record } = afterVisit(undefined, HOST, verified(declaredFacts(document)), START_MS, START_MS);
const content = { v: 1 as const, document: "{}", title: "Welcome", language: "de", text: "Sachertorte" };
const model = embeddingModel();
const indexed = (secret = "secret") =>
  indexDocumentOf(record, content, { revision: 7, changedAt: START_MS }, { sampleSecret: secret, model });

describe("what the index is given of a site", () => {
  it("is its record's revision, places in lower case, and its network", () => {
    expect(indexed()).toMatchObject({
      siteId: HOST,
      revision: 7,
      registrableDomain: HOST,
      category: "food",
      intentTags: ["book-table"],
      country: "at",
      region: null,
      city: "wien",
      latitude: 48.2,
      longitude: 16.4,
      network: "192.0.0.0/16",
      ring: 3,
      status: "enabled",
      verifiedAt: START_MS,
      exactName: "cafe zofie",
    });
  });

  it("has the words of each part in its own field, those of the pages in the text alone", () => {
    const { terms } = indexed();
    expect(terms.domain).toContain("shop");
    expect(terms.text.join(" ")).toMatch(/welcom.*sachertort/);
    expect([...terms.name, ...terms.description, ...terms.tags].join(" ")).not.toMatch(/sachertort/);
  });

  it("has a direction that words of the same meaning share, and none where meaning is off", () => {
    const { vector } = indexed();
    const nearness = (words: string) => cosine(vector!, queryVector(model, words)!);
    expect(nearness("pastry and cakes")).toBeGreaterThan(nearness("car repair") + 0.1);
    const off = { sampleSecret: "secret", model: undefined };
    const version = { revision: 7, changedAt: START_MS };
    expect(indexDocumentOf(record, content, version, off).vector).toBeUndefined();
  });

  it("is encoded in its language, and takes no vector of another text or encoder", () => {
    const by = { sampleSecret: "secret", model, encoder: "e" };
    expect(toEncode(record, content, by)).toMatchObject({ foreign: false });
    const german = { ...record, description: "Strudel, Torten und Tee in der Altstadt" };
    const wanted = toEncode(german, content, by)!;
    expect(wanted).toMatchObject({ foreign: true });
    const own = { encoded: wanted.digest, vector: new Int8Array(256).fill(1) };
    const version = { revision: 7, changedAt: START_MS };
    expect(indexDocumentOf(german, content, version, by, own)).toMatchObject(own);
    expect(indexDocumentOf(record, content, version, by, own).encoded).toBeUndefined();
    expect(indexDocumentOf(german, content, version, { ...by, encoder: "f" }, own).encoded).toBeUndefined();
    expect(toEncode(german, content, { model })).toBeUndefined();
  });

  it("has no text where no contents are kept", () => {
    expect(
      indexDocumentOf(
        record,
        undefined,
        { revision: 7, changedAt: START_MS },
        { sampleSecret: "secret", model },
      ).terms.text,
    ).toEqual([]);
  });

  it("has a place in samples that only the registry can tell", () => {
    expect(indexed().sampleKey).toBe(indexed().sampleKey);
    expect(indexed().sampleKey).not.toBe(indexed("other").sampleKey);
    expect(indexed().sampleKey).toBe(indexed().sampleKey >>> 0);
  });

  it("of a site that was never seen is a document all the same", () => {
    const unseen = afterVisit(
      undefined,
      HOST,
      unsound("unreachable", { address: null }),
      START_MS,
      START_MS,
    ).record;
    expect(
      indexDocumentOf(
        unseen,
        undefined,
        { revision: 1, changedAt: START_MS },
        { sampleSecret: "secret", model },
      ),
    ).toMatchObject({
      status: "partial",
      network: null,
      latitude: null,
      expiresAt: null,
      listing: { name: HOST, discovery_url: `https://${HOST}/.well-known/bridge.json` },
    });
  });
});
