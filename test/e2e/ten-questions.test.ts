/**
 * Agents' questions from end to end: the tool that answers each is found in the registry, what the registry says of it is checked,
 * and it is called where it is. By both SDKs and by MCP.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Agent, fetch } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bridge } from "../../sdk/typescript/src/index.ts";
import { AGENT_KINDS } from "../../world/agent-web/sites.ts";
import { callTool, connectMcp } from "../support/mcp.ts";
import { ensurePython } from "../support/python-sdk.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { type AgentQuestion, TEN_QUESTIONS } from "./ten-questions.ts";

const SCRIPT = join(import.meta.dirname, "../clients/python/ten_questions.py");
const SDK = join(import.meta.dirname, "../../sdk/python/src");
const python = ensurePython();

interface Found {
  host: string;
  level: string;
  site_says: { tool: string; how_to_call: string };
}
/** What came of a question. */
interface Outcome {
  tool: string;
  /** What the newest entry of the service's history in the log says of it. */
  proved: string;
  level: string;
  answer: string;
}

let registry: TestRegistry;
let web: Agent;
beforeAll(async () => {
  // Every further round of their kinds offers the next tool.
  registry = await startRegistry({ world: { sites: 2, agentSites: AGENT_KINDS * TEN_QUESTIONS.length } });
  const { world } = registry;
  const speaking = world.hosts.filter(({ agent }) => agent?.observed === "open");
  await registry.crawl(speaking.map(({ host }) => host));
  const addresses = new Map(world.hosts.map(({ host, address }) => [host, address]));
  web = new Agent({
    connect: {
      ca: world.ca,
      lookup: (host, _options, done) => done(null, [{ address: addresses.get(host)!, family: 4 }]),
    },
  });
}, 120_000);
afterAll(async () => {
  await web?.close();
  await registry?.stop();
});

const endpointOf = (found: Found): URL => new URL(/https:\/\/\S+$/.exec(found.site_says.how_to_call)![0]);

/** Holds what the registry says of the service against its log, and calls the tool with the protocol's own client. */
async function checkAndCall(found: Found, { given }: AgentQuestion): Promise<Outcome> {
  const service = { protocol: "mcp", endpoint: endpointOf(found).href };
  const history = await new Bridge({ registry: registry.url }).observations(found.host, { service });
  const client = new Client(
    { name: "ten-questions", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  const through = ((url: string, init: object) => fetch(url, { ...init, dispatcher: web })) as never;
  await client.connect(new StreamableHTTPClientTransport(endpointOf(found), { fetch: through }));
  const { tool } = found.site_says;
  const { text: answer } = await callTool(client, tool, given);
  await client.close();
  return { tool, proved: `${history.entries[0]!.entry.class}`, level: found.level, answer };
}

/** @param outcomes of the questions, in their order */
function expectRight(outcomes: readonly Outcome[]) {
  expect(outcomes.map(({ tool, answer }) => ({ tool, answer }))).toEqual(
    TEN_QUESTIONS.map(({ tool, answer }) => ({ tool, answer })),
  );
  for (const { level, proved } of outcomes)
    expect({ level, proved }).toEqual({ level: "answers", proved: "open" });
}

describe("ten questions of agents", () => {
  it("are answered by tools that the SDK for JavaScript finds", async () => {
    const tools = new Bridge({ registry: registry.url }).tools("mcp");
    const outcomes: Outcome[] = [];
    for (const question of TEN_QUESTIONS) {
      const { value } = await tools.call("find_tool", { task: question.task, auth: "none" });
      outcomes.push(await checkAndCall((value as { tools: Found[] }).tools[0]!, question));
    }
    expectRight(outcomes);
  });

  it.skipIf("missing" in python)("are answered by tools that the SDK for Python finds", async () => {
    const { world } = registry;
    const { address } = world.hosts[0]!;
    const given = [registry.url, address, world.caFile, JSON.stringify(TEN_QUESTIONS)];
    const interpreter = "missing" in python ? "" : python.python;
    const { stdout } = await promisify(execFile)(interpreter, [SCRIPT, ...given], {
      env: { ...process.env, PYTHONPATH: SDK },
    });
    expectRight(JSON.parse(stdout) as Outcome[]);
  });

  it("are answered by tools that a client of MCP finds", async () => {
    const client = await connectMcp(registry.url);
    const outcomes: Outcome[] = [];
    for (const question of TEN_QUESTIONS) {
      const { data } = await callTool(client, "find_tool", { task: question.task, auth: "none" });
      outcomes.push(await checkAndCall(data.tools[0], question));
    }
    await client.close();
    expectRight(outcomes);
  });
});
