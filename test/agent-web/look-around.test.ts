import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { FORMATS } from "../../src/agent-web/formats/table.ts";
import { isFound, isWaitedFor } from "../../src/agent-web/presence.ts";
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

describe("JSON-LD of a front page", () => {
  const withData = (data: object) => ({
    "/": {
      type: "text/html",
      body: `<title>Tea</title><script type="application/ld+json">${JSON.stringify(data)}</script>`,
    },
  });
  const action = (target: unknown) => ({
    "@context": "https://schema.org",
    "@type": "WebSite",
    potentialAction: { "@type": "SearchAction", target },
  });

  it("names a service where an entry point has an address; a template alone makes nothing found", async () => {
    const host = newHost();
    const entry = { "@type": "EntryPoint", urlTemplate: `https://${host}/search?q={q}` };
    const { presence, descriptor, again } = await lookAt(broker, host, () => withData(action(entry)));
    expect(descriptor("/")).toMatchObject({
      format: "json-ld",
      found_by: "html",
      usable: false,
      conforms: null,
      findings: [],
    });
    const [service] = presence.services;
    expect([service?.protocol, service?.name, service?.observation?.class]).toEqual([
      "http",
      "SearchAction",
      "template_url",
    ]);
    expect([isFound(presence), isWaitedFor(presence)]).toEqual([false, false]);
    expect((await again()).presence.changed_at).toBe(presence.changed_at);
  });

  it.each([
    ["an address in words, as of before entry points", "https://HOST/search?q={q}"],
    ["an entry point without an address", { "@type": "EntryPoint", contentType: "text/html" }],
  ])("names none by %s", async (_, target) => {
    const { presence } = await lookAt(broker, newHost(), () => withData(action(target)));
    expect([presence.services, presence.descriptors]).toEqual([[], []]);
  });

  it("names what describes an API, and entries of ARD; another's is told", async () => {
    const graph = [
      { "@type": "WebAPI", name: "Tea", documentation: "/v1/openapi.json" },
      {
        identifier: "urn:air:tea.example:card",
        type: "application/a2a-agent-card+json",
        url: "https://tea.example/card",
      },
    ];
    const { descriptor, findings } = await lookAt(broker, newHost(), () => ({
      ...withData({ "@context": "https://schema.org", "@graph": graph }),
      "/v1/openapi.json": { body: OPENAPI },
    }));
    expect(descriptor("/v1/openapi.json")).toMatchObject({ format: "openapi", found_by: "html" });
    expect(descriptor("/")).toMatchObject({ usable: true });
    expect(findings("/")).toEqual(["not_its_own "]);
  });
});
