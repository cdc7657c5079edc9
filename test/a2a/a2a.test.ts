/** The registry as other agents see it: its signed card and its A2A interface, through the protocol's own client. */
import { verifyAgentCardSignature } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 6, soundShare: 1, seed: 11 } });
  await registry.crawl();
});
afterAll(() => registry?.stop());

const clientOf = () => new ClientFactory().createFromUrl(registry.url);
const messageOf = (content: { $case: "text"; value: string } | { $case: "data"; value: unknown }) => ({
  tenant: "",
  configuration: undefined,
  metadata: undefined,
  message: {
    messageId: crypto.randomUUID(),
    contextId: "",
    taskId: "",
    role: 1,
    parts: [{ content, metadata: undefined, filename: "", mediaType: "" }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
});
const rpc = async (body: unknown, headers: Record<string, string> = { "a2a-version": "1.0" }) => {
  const response = await fetch(`${registry.url}/a2a`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as any };
};
const call = (method: string, params: unknown = {}) => rpc({ jsonrpc: "2.0", id: 1, method, params });

it("has a card whose signature is by the registry's key, and breaks with any change", async () => {
  const card = await (await fetch(`${registry.url}/.well-known/agent-card.json`)).json();
  const verify = verifyAgentCardSignature(async (kid, jku) => {
    expect(jku).toBe(`${registry.url}/.well-known/jwks.json`);
    const { keys } = (await (await fetch(jku!)).json()) as { keys: { kid: string }[] };
    return keys.find((key) => key.kid === kid) as never;
  });
  await verify(card as never);
  await expect(verify({ ...(card as object), name: "Another" } as never)).rejects.toThrow();
});

it("answers words with the sites that a search finds, in text and data", async () => {
  const client = await clientOf();
  const site = registry.world.hosts[0]!;
  const reply: any = await client.sendMessage(messageOf({ $case: "text", value: site.words.name }) as never);
  const [text, data] = reply.parts;
  expect(text.content.value).toContain(site.host);
  expect(data.content.value.sites.map(({ domain }: { domain: string }) => domain)).toContain(site.host);
});

it("answers a host's name with what the registry knows of it", async () => {
  const client = await clientOf();
  const { host } = registry.world.hosts[0]!;
  for (const content of [
    { $case: "text", value: host } as const,
    { $case: "data", value: { domain: host } } as const,
  ]) {
    const reply: any = await client.sendMessage(messageOf(content) as never);
    expect(reply.parts[1].content.value).toMatchObject({ domain: host, state: "enabled", listed: true });
  }
});

it("keeps no tasks, and says so by the protocol's codes", async () => {
  for (const [method, code] of [
    ["GetTask", -32001],
    ["CancelTask", -32001],
    ["SendStreamingMessage", -32004],
    ["SubscribeToTask", -32004],
    ["CreateTaskPushNotificationConfig", -32003],
    ["GetExtendedAgentCard", -32007],
    ["NoSuchMethod", -32601],
    ["toString", -32601],
  ] as const)
    expect((await call(method)).body.error.code, method).toBe(code);
  expect((await call("ListTasks")).body.result).toMatchObject({ tasks: [], totalSize: 0 });
});

it("refuses what it cannot read with a code and the next step", async () => {
  const message = { messageId: "1", role: "ROLE_USER", parts: [{ text: "tea" }] };
  const send = { jsonrpc: "2.0", id: "a", method: "SendMessage", params: { message } };
  expect((await rpc(send, {})).body).toMatchObject({ id: "a", error: { code: -32009 } });
  expect((await rpc([send])).body.error.code).toBe(-32600);
  expect((await call("SendMessage", {})).body.error.code).toBe(-32602);
  for (const parts of [[], [{ text: " " }], [{ data: { domain: "no host" } }], [{ data: { nonsense: 1 } }]]) {
    const { body } = await call("SendMessage", { message: { ...message, parts } });
    expect(body.error.code, JSON.stringify(parts)).toBe(-32602);
    expect(body.error.message.length).toBeGreaterThan(5);
  }
  const bad = await rpc(send, { "a2a-version": "1.0", authorization: "Bearer bridge_agent_none" });
  expect(bad.body.error.data[0].metadata.code).toBe("authentication_required");
});

it("answers hostile messages soon, by a code, and goes on answering", async () => {
  const message = { messageId: "1", role: "ROLE_USER", parts: [{ text: "tea" }] };
  const sent = (parts: unknown, more: object = {}) =>
    call("SendMessage", { message: { ...message, ...more, parts } });
  const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  const begun = performance.now();
  const refused = [
    await sent(Array(17).fill({ text: "tea" })),
    await sent(Array(16).fill({ text: "x".repeat(2_048) })),
    await sent([{ text: "x".repeat(2_049) }]),
    await sent([{ data: nested(20) }]),
    await sent([{ data: { query: nested(10) } }]),
    await sent([{ data: JSON.parse('{"query":"tea","__proto__":{"limit":1}}') }]),
    await sent([{ data: { query: "tea", limit: 1e9 } }]),
    await sent("tea"),
    await sent(message.parts, { role: "ROLE_AGENT" }),
    await sent(message.parts, { messageId: "x".repeat(257) }),
    await rpc({ jsonrpc: "2.0", id: { $gt: 0 }, method: "SendMessage", params: { message } }),
    await rpc({ jsonrpc: "2.0", id: 1, method: "x".repeat(65) }),
  ];
  for (const { body } of refused)
    expect([-32600, -32602, "invalid_json"], JSON.stringify(body)).toContain(body.error?.code ?? body.code);
  // What no JSON-RPC is reached for: the registry's own problems.
  const large = await sent([{ text: "tea" }], { metadata: "x".repeat(70_000) });
  expect([large.status, large.body.code]).toEqual([413, "body_too_large"]);
  const deep = await sent([{ data: nested(200) }]);
  expect([deep.status, deep.body.code]).toEqual([400, "invalid_json"]);
  const burst = await Promise.all(Array.from({ length: 100 }, () => sent([{ text: "zzz".repeat(100) }])));
  expect(burst.every(({ status, body }) => status === 200 && (body.result ?? body.error))).toBeTruthy();
  expect((await sent(message.parts)).body.result.message.role).toBe("ROLE_AGENT");
  expect(performance.now() - begun).toBeLessThan(30_000);
});
