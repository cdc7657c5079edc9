import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { FORMATS } from "../../src/agent-web/formats/table.ts";
import { joinBroker } from "../support/gate.ts";
import { OPENAPI, SKILLS } from "./documents.ts";
import { type Answers, lookAt, newHost } from "./one-look.ts";

let broker: NatsBroker;
beforeAll(async () => {
  broker = await joinBroker();
});
afterAll(() => broker.close());

const INDEX = "/.well-known/agent-skills/index.json";
const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const skill = (name: string, digest: string) => ({ ...SKILLS.skills[0], name, url: `/${name}.md`, digest });

describe("an index of skills", () => {
  const looked = (skills: object[], more: Answers = {}) =>
    lookAt(broker, newHost(), () => ({
      [INDEX]: { body: { ...SKILLS, skills } },
      "/tea.md": { type: "text/markdown", body: "# Tea" },
      ...more,
    }));

  it.each([
    ["as it is served is in order", "tea", digestOf("# Tea"), undefined],
    ["of other bytes is told, with the right one", "tea", digestOf("# Coffee"), "digest_mismatch"],
    ["that is not there is told", "gone", digestOf("# Gone"), "file_absent"],
  ])("whose file %s", async (_, name, digest, rule) => {
    const { descriptor, presence } = await looked([skill(name, digest)]);
    const [finding] = descriptor(INDEX)?.findings ?? [];
    expect([finding?.rule, finding?.place]).toEqual(
      rule ? [rule, "/skills/0/digest"] : [undefined, undefined],
    );
    if (rule === "digest_mismatch") expect(finding?.fix).toContain(digestOf("# Tea"));
    // What a document is by itself is judged by itself.
    expect(presence.descriptors[0]?.conforms).toBe(true);
  });

  it("with the digest of nothing is told without a request for the file", async () => {
    const { findings, asked } = await looked([skill("tea", digestOf(""))]);
    expect(findings(INDEX)).toEqual(["digest_of_nothing /skills/0/digest"]);
    expect(asked).not.toContain("/tea.md");
  });

  it("has a few of its files read, and none of another's", async () => {
    const names = Array.from({ length: 9 }, (_, at) => `tea-${at}`);
    const files = Object.fromEntries(names.map((name) => [`/${name}.md`, { body: "# Tea" }]));
    const others = { ...skill("other", digestOf("x")), url: "https://other.example/tea.md" };
    const { asked, findings, descriptor } = await looked(
      [others, ...names.map((name) => skill(name, digestOf("# Tea")))],
      files,
    );
    expect(asked.filter((path) => path.startsWith("/tea-"))).toHaveLength(4);
    expect(descriptor(INDEX)?.lists).toBe(10);
    expect(findings(INDEX)).toEqual(["not_its_own "]);
  });
});

describe("a document of any format", () => {
  const relations = FORMATS.flatMap((format) => format.relations.map((relation) => [relation, format.name]));
  it.each(relations)("is found where the front page names it by %s", async (relation, format) => {
    const fields = { link: `</named>; rel="${relation}"` };
    const { descriptor } = await lookAt(broker, newHost(), () => ({
      "/": { type: "text/html", body: "<title>Tea</title>", fields },
      "/named": { body: "{}" },
    }));
    expect(descriptor("/named")).toMatchObject({ format, found_by: "link" });
  });
});

describe("a document that a catalog names", () => {
  const CATALOG = "/.well-known/api-catalog";
  const context = (hrefs: string[]) => ({
    linkset: [{ anchor: "/api", "service-desc": hrefs.map((href) => ({ href })) }],
  });

  it("is read, and what it names in turn is for another look", async () => {
    const named = { href: "/more/catalog", type: "application/linkset+json" };
    const { descriptor, asked } = await lookAt(broker, newHost(), () => ({
      [CATALOG]: { body: { linkset: [...context(["/v1/shop.json"]).linkset, { item: [named] }] } },
      "/v1/shop.json": { body: OPENAPI },
      "/more/catalog": { body: context(["/v2/shop.json"]) },
      "/v2/shop.json": { body: OPENAPI },
    }));
    expect(descriptor("/v1/shop.json")).toMatchObject({
      format: "openapi",
      found_by: "catalog",
      named_by: expect.stringContaining("/.well-known/"),
    });
    expect(descriptor("/more/catalog")).toMatchObject({ format: "api-catalog", answer: "present" });
    expect(asked).not.toContain("/v2/shop.json");
  });

  it("is not asked for where another host has it", async () => {
    const other = newHost();
    const { asked } = await lookAt(
      broker,
      newHost(),
      (origin) => ({
        [CATALOG]: { body: context([`${origin(other)}/shop.json`]) },
        [`${other}/shop.json`]: { body: OPENAPI },
      }),
      { others: [other] },
    );
    expect(asked).not.toContain(`${other}/shop.json`);
  });

  it("is asked for as long as twelve others were not", async () => {
    const paths = Array.from({ length: 30 }, (_, at) => `/v${at}/shop.json`);
    const { asked } = await lookAt(broker, newHost(), () => ({
      [CATALOG]: { body: context(paths) },
      ...Object.fromEntries(paths.map((path) => [path, { body: OPENAPI }])),
    }));
    expect(asked.filter((path) => /^\/v\d+\//.test(path))).toHaveLength(12);
  });
});
