import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentPresence } from "../../schemas/agent-web.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { joinBroker } from "../support/gate.ts";
import { FORMER_SERVER_CARD } from "./documents.ts";
import { type Answer, type Answers, lookAt, newHost } from "./one-look.ts";

const CARD = "/.well-known/mcp/server-card.json";
const FORMER = "/.well-known/mcp.json";

let broker: NatsBroker;
beforeAll(async () => {
  broker = await joinBroker();
});
afterAll(() => broker.close());

const card = (more: object) => ({ ...FORMER_SERVER_CARD, authentication: undefined, ...more });
const info = (name: string, version = "1.0.0") => ({ serverInfo: { name, version } });

/** A server of MCP without tools, as it introduces itself. */
const server =
  (serverInfo: { name: string; version: string }) =>
  (sent: string): Answer => {
    const { id, method } = JSON.parse(sent || "{}");
    const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
    const error = { code: -32_601, message: "Method not found" };
    return { body: { jsonrpc: "2.0", id, ...(method === "initialize" ? { result } : { error }) } };
  };
const tea = server({ name: "tea", version: "1.0.0" });
const guarded: Answer = { status: 401, fields: { "www-authenticate": "Bearer" } };
const page: Answer = { type: "text/html", body: "<!doctype html><title>Tea</title>" };

/** Rules of the card's findings that came of comparing it. */
async function rulesOf(answers: Answers): Promise<string[]> {
  const { descriptor } = await lookAt(broker, newHost(), () => answers);
  const rules = descriptor(CARD)?.findings.map(({ rule }) => rule) ?? ["unread"];
  return rules.filter((rule) => /_differs$|^not_its_own$|^not_public$/.test(rule));
}

describe("a card that names an endpoint", () => {
  it.each<[string, object, Answer | ReturnType<typeof server>, string[]]>([
    ["agrees with the server", card(info("tea")), tea, []],
    ["may have a title for its name", card({ title: "Tea tools", ...info("tea") }), tea, []],
    ["differs in its name", card(info("coffee")), tea, ["name_differs"]],
    ["differs in its version", card(info("tea", "2.0.0")), tea, ["version_differs"]],
    ["may write its version with a v", card(info("tea", "v1.0.0")), tea, []],
    ["says that none is asked for auth", card({ authentication: "none" }), guarded, ["auth_differs"]],
    ["says nothing of auth", card({}), guarded, []],
    ["leads to a page for people", card({}), page, ["endpoint_differs"]],
    [
      "leads to its author's own machine",
      card({ transport: { endpoint: "http://localhost:3000/mcp" } }),
      tea,
      ["not_public"],
    ],
    [
      "leads to placeholders",
      card({ transport: { type: "http", endpoint: "/{id}/mcp" } }),
      tea,
      ["endpoint_differs"],
    ],
  ])("%s", async (_, body, answer, rules) => {
    expect(await rulesOf({ [CARD]: { body }, "/mcp": answer })).toEqual(rules);
  });

  it("is held against another document of the host where the server says nothing", async () => {
    const answers = {
      "/": { type: "text/html", body: "<title>Tea</title>", fields: { link: `<${FORMER}>; rel="mcp"` } },
      [FORMER]: { body: card({ authentication: "none", ...info("tea", "3.0.0") }) },
      [CARD]: { body: card({ authentication: "oauth", ...info("tea", "2.0.0") }) },
      "/mcp": guarded,
    };
    const { findings } = await lookAt(broker, newHost(), () => answers);
    expect([...(findings(CARD) ?? []), ...(findings(FORMER) ?? [])].join()).toContain("version_differs");
    expect(findings(FORMER)?.join()).toContain("auth_differs");
  });

  it("is told of what answers there at every look, and of the rest when it is read", async () => {
    const body = card({ authentication: "none", ...info("tea") });
    const first = await lookAt(broker, newHost(), () => ({ [CARD]: { body }, "/mcp": page }));
    expect(first.findings(CARD)).toContain("endpoint_differs ");
    // In the same hour neither the card nor the server is asked again.
    const again = await first.again();
    expect(again.asked).not.toContain(CARD);
    expect(again.findings(CARD)).toEqual(first.findings(CARD));
  });
});

describe("a service at another's domain", () => {
  const elsewhere = "https://mcp.owner.example/mcp";
  const listing = { [CARD]: { body: card({ transport: { type: "http", endpoint: elsewhere } }) } };
  const fixOf = async (records: AgentPresence[]): Promise<string | undefined> => {
    const { descriptor, presence } = await lookAt(broker, newHost(), () => listing, { records });
    expect(presence.services).toEqual([]);
    return descriptor(CARD)?.findings.find(({ rule }) => rule === "not_its_own")?.fix;
  };

  it("is nobody's as long as that domain does not describe it", async () => {
    expect(await fixOf([])).toContain("have owner.example publish a document");
  });

  it("is that domain's where its own document describes it", async () => {
    const own = await lookAt(broker, newHost(), () => ({ [CARD]: { body: card({}) }, "/mcp": tea }));
    const services = own.presence.services.map((each) => ({ ...each, endpoint: elsewhere }));
    const record = { ...own.presence, host: "mcp.owner.example", services };
    expect(await fixOf([record])).toContain("Name owner.example's own document");
  });
});

describe("a brand's name", () => {
  it("at a domain that is not the brand's is said to be vouched for by nobody", async () => {
    expect(await rulesOf({ [CARD]: { body: card(info("Walmart")) } })).toContain("not_its_own");
    expect(await rulesOf({ [CARD]: { body: card(info("Walmart price alerts")) } })).not.toContain(
      "not_its_own",
    );
  });
});
