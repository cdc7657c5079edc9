/** The TypeScript SDK's client, against a registry that stumbles as registries and networks do. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { TOOL_LIST } from "../../app/front/mcp/tools/table.ts";
import {
  ActionError,
  AuthenticationError,
  Bridge,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  SessionRestartedError,
  UnavailableError,
  UnknownOutcomeError,
} from "../../sdk/typescript/src/index.ts";

interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: any;
}
type Answer = [status: number, body: unknown, headers?: Record<string, string>] | "cut";

const problem = (status: number, code: string, headers: Record<string, string> = {}): Answer => [
  status,
  {
    type: `/docs#error-${code}`,
    title: code,
    status,
    detail: `It is ${code}.`,
    instance: "urn:uuid:1",
    code,
  },
  { "content-type": "application/problem+json", "x-request-id": "request-1", ...headers },
];
const GRANT: Answer = [
  200,
  {
    type: "auth_success",
    session: {
      token: "t",
      expiresIn: 3600,
      session_id: "s-1",
      permissions: { navigate: true, click: false },
    },
  },
];
const done = (result: object = { url: "https://shop.example/" }): Answer => [
  200,
  { type: "action_result", success: true, result },
];

/** A registry that gives these answers in turn, and whom it was asked by. */
async function stumbling(...answers: Answer[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const { method = "", url = "", headers } = request;
    asked.push({ method, path: url, headers, body: text ? JSON.parse(text) : undefined });
    const answer = answers.shift() ?? problem(500, "internal");
    if (answer === "cut") return request.socket.destroy();
    const [status, body, more] = answer;
    response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const bridge = new Bridge({
    registry: `http://127.0.0.1:${port}`,
    wallet: { "shop.example": "bridge_lic_1" },
    random: () => 0.01,
  });
  return { bridge, asked };
}
const failure = (call: Promise<unknown>): Promise<any> =>
  call.then(
    () => expect.unreachable("it did not fail"),
    (error) => error,
  );

describe("errors are classes by code", () => {
  it.each([
    [400, "invalid_domain", InvalidRequestError],
    [422, "idempotency_conflict", InvalidRequestError],
    [401, "authentication_required", AuthenticationError],
    [401, "key_revoked", AuthenticationError],
    [403, "permission_denied", PermissionError],
    [404, "no_enabled_site", NotFoundError],
    [409, "proof_outdated", ConflictError],
    [409, "unknown_outcome", UnknownOutcomeError],
    [500, "internal", UnavailableError],
  ])("%i %s", async (status, code, type) => {
    const { bridge, asked } = await stumbling(problem(status, code));
    const error = await failure(bridge.verdict("shop.example"));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({
      code,
      status,
      requestId: "request-1",
      retryAfter: null,
      next: `It is ${code}.`,
    });
    expect(asked).toHaveLength(1);
  });

  it("a reply that is no problem document still is an error with a code", async () => {
    const { bridge } = await stumbling([404, "<html>"]);
    expect(await failure(bridge.verdict("shop.example"))).toMatchObject({
      code: "invalid_reply",
      status: 404,
    });
  });

  it("a redirect is not followed: it would carry the credential elsewhere", async () => {
    const { bridge, asked } = await stumbling([302, {}, { location: "/elsewhere" }]);
    expect(await failure(bridge.verdict("shop.example"))).toMatchObject({ code: "invalid_reply" });
    expect(asked).toHaveLength(1);
  });
});

describe("what is sent again", () => {
  it("a read, after a fault that passes and a connection that broke", async () => {
    const { bridge, asked } = await stumbling(problem(503, "unavailable"), "cut", [200, { results: [] }]);
    expect(await bridge.search("tea", { near: "48.2,16.37,50", minRing: 3 })).toEqual([]);
    expect(asked.map(({ path }) => path)).toEqual(
      Array(3).fill("/api/discovery/search?q=tea&location=48.2%2C16.37%2C50&trust_ring=3"),
    );
  });

  it("at most three times, and not before Retry-After", async () => {
    const wait = problem(503, "unavailable", { "retry-after": "1" });
    const { bridge, asked } = await stumbling(
      problem(503, "unavailable"),
      wait,
      ...Array(9).fill(problem(503, "unavailable")),
    );
    const startMs = performance.now();
    expect(await failure(bridge.verdict("shop.example"))).toBeInstanceOf(UnavailableError);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(1_000);
    expect(asked).toHaveLength(4);
  });

  it("nothing, where the registry asks for a longer wait than a call may take", async () => {
    const { bridge, asked } = await stumbling(problem(429, "quota_exceeded", { "retry-after": "86400" }));
    const error = await failure(bridge.verdict("shop.example"));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfter).toBe(86_400);
    expect(asked).toHaveLength(1);
  });

  it("an action, under the one key that makes it one action", async () => {
    const answers: Answer[] = [
      GRANT,
      "cut",
      problem(409, "idempotency_in_progress", { "retry-after": "0" }),
      done(),
    ];
    const { bridge, asked } = await stumbling(...answers);
    const session = await bridge.open("shop.example");
    await session.do("order-tea", { tea: "assam" }, { confirmTotal: "14.90 EUR" });
    const sent = asked.slice(1);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(sent[0]!.headers["idempotency-key"]).toMatch(/^"[\w-]{36}"$/);
    expect(sent.map(({ body }) => body)).toEqual(
      Array(3).fill({ action: "order-tea", context: { tea: "assam" }, confirm_total: "14.90 EUR" }),
    );
  });

  it("never an action of which the outcome is unknown", async () => {
    const { bridge, asked } = await stumbling(GRANT, problem(409, "unknown_outcome"), done());
    const session = await bridge.open("shop.example");
    expect(await failure(session.do("order-tea"))).toBeInstanceOf(UnknownOutcomeError);
    expect(asked).toHaveLength(2);
  });

  it("nothing after the caller ended the call", async () => {
    const { bridge, asked } = await stumbling(problem(503, "unavailable", { "retry-after": "20" }));
    const controller = new AbortController();
    const call = bridge.search("tea", { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 100);
    expect((await failure(call)).message).toBe("enough");
    expect(asked).toHaveLength(1);
  });

  it("nothing where nobody listens, beyond the tries, and the error says so", async () => {
    const bridge = new Bridge({ registry: "http://127.0.0.1:9", random: () => 0 });
    expect(await failure(bridge.verdict("shop.example"))).toBeInstanceOf(ConnectionError);
  });
});

describe("a session", () => {
  it("that ended is opened anew once, and what rests on its page is told of", async () => {
    const ended = problem(401, "authentication_required");
    const { bridge, asked } = await stumbling(GRANT, done(), ended, GRANT, done(), ended, GRANT, done());
    const session = await bridge.open("shop.example");
    await session.navigate("/");
    const error = await failure(session.do("submit-checkout", { name: "Ada" }));
    expect(error).toBeInstanceOf(SessionRestartedError);
    await session.navigate("/");
    expect((await session.navigate("/basket")).url).toBe("https://shop.example/");
    expect(asked.map(({ path }) => path.split("/").at(-1))).toEqual([
      ...[
        "authenticate",
        "execute",
        "execute",
        "authenticate",
        "execute",
        "execute",
        "authenticate",
        "execute",
      ],
    ]);
  });

  it("gives up where the new one is refused too", async () => {
    const ended = problem(401, "authentication_required");
    const { bridge, asked } = await stumbling(GRANT, ended, GRANT, ended, GRANT);
    const session = await bridge.open("shop.example");
    expect(await failure(session.navigate("/"))).toBeInstanceOf(AuthenticationError);
    expect(asked).toHaveLength(4);
  });

  it("is closed at the end of its block", async () => {
    const { bridge } = await stumbling(GRANT);
    let kept: Awaited<ReturnType<Bridge["open"]>>;
    {
      await using session = await bridge.open("shop.example");
      kept = session;
      expect(session.permissions.navigate).toBe(true);
    }
    expect(await failure(kept.navigate("/"))).toMatchObject({ code: "session_closed" });
  });

  it("says why an action was not done, and whether the site got it", async () => {
    const failed = {
      url: "https://shop.example/",
      error: { code: "http_status", message: "500", request_sent: true },
    };
    const { bridge } = await stumbling(GRANT, [
      200,
      { type: "action_result", success: false, result: failed },
    ]);
    const session = await bridge.open("shop.example");
    const error = await failure(session.do("submit-buy"));
    expect(error).toBeInstanceOf(ActionError);
    expect(error).toMatchObject({ code: "http_status", requestSent: true, result: failed });
  });

  it("needs a license or an agent's token, and says what to do without", async () => {
    const { bridge, asked } = await stumbling();
    expect(await failure(bridge.open("other.example"))).toMatchObject({
      code: "license_missing",
      next: expect.stringContaining("requestAccess"),
    });
    expect(await failure(bridge.requestAccess("other.example", { purpose: "tea" }))).toMatchObject({
      code: "authentication_required",
    });
    expect(asked).toHaveLength(0);
  });
});

/** What /mcp answers to a call of a tool. */
const called = (value: object, text = "said"): Answer => [
  200,
  { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }], structuredContent: value } },
];
const refused = (code: string, status: number, more: object = {}): Answer => [
  200,
  {
    jsonrpc: "2.0",
    id: 1,
    result: {
      isError: true,
      content: [{ type: "text", text: "…" }],
      _meta: { "bridge/error": { code, status, detail: `It is ${code}.`, next: "Ask.", ...more } },
    },
  },
];

describe("tools for models", () => {
  it("are those of the registry in each vendor's format", async () => {
    const { bridge } = await stumbling();
    const tools = TOOL_LIST.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(bridge.tools("mcp").definitions).toEqual(tools);
    expect(bridge.tools("anthropic").definitions).toEqual(
      tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
    );
    expect(bridge.tools("openai").definitions).toEqual(
      tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      })),
    );
  });

  it("give a model its faults as results, with a code and the next step", async () => {
    const { bridge, asked } = await stumbling(refused("no_enabled_site", 404), [400, { jsonrpc: "2.0" }]);
    const tools = bridge.tools("anthropic");
    const code = async (name: string, args: Record<string, unknown> | string) => {
      const { isError, value, text } = await tools.call(name, args);
      expect(isError).toBe(true);
      expect(text).toBe(`${value.code}: ${value.detail}\nNext: ${value.next}`);
      return value.code;
    };
    expect(await code("buy_everything", {})).toBe("unknown_tool");
    expect(await code("search_sites", "{")).toBe("invalid_json");
    expect(await code("search_sites", "[]")).toBe("invalid_request");
    expect(asked).toHaveLength(0);
    expect(await code("site_verdict", { domain: "shop.example" })).toBe("no_enabled_site");
    expect(await code("site_verdict", { domain: "shop.example" })).toBe("invalid_reply");
    expect(asked).toHaveLength(2);
  });

  it("send the license of the one site that is opened, beside the arguments", async () => {
    const { bridge, asked } = await stumbling(called({ session: "t" }), called({}));
    const tools = bridge.tools("openai");
    const opened = await tools.call("open_session", '{"domain":"shop.example"}');
    expect(opened).toEqual({ isError: false, value: { session: "t" }, text: "said" });
    await tools.call("site_verdict", { domain: "shop.example" });
    const licenses = asked.map(({ body }) => body.params._meta["bridge/license"]);
    expect(licenses).toEqual(["bridge_lic_1", undefined]);
    expect(asked[0]).toMatchObject({
      path: "/mcp",
      headers: { "mcp-method": "tools/call", "mcp-name": "open_session" },
      body: { method: "tools/call", params: { arguments: { domain: "shop.example" } } },
    });
  });

  it("send a call again under the one key of its action, and tell the key of one whose end is not known", async () => {
    const busy = refused("idempotency_in_progress", 409, { retry_after_seconds: 0 });
    const { bridge, asked } = await stumbling(
      "cut",
      busy,
      called({ success: true }),
      ...Array(4).fill("cut"),
    );
    const tools = bridge.tools("mcp");
    const order = { session: "t", action: "order-tea" };
    expect(await tools.call("do_action", order)).toMatchObject({ isError: false });
    const lost = await tools.call("do_action", order);
    const keys = asked.map(({ body }) => body.params.arguments.idempotency_key);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(new Set(keys.slice(3)).size).toBe(1);
    expect(keys[0]).not.toBe(keys[3]);
    expect(lost).toMatchObject({ isError: true, value: { code: "connection_failed" } });
    expect(lost.text).toContain(`Call do_action again with idempotency_key ${keys[3]}.`);
  });

  it("never send again an action of which the outcome is unknown", async () => {
    const { bridge, asked } = await stumbling(refused("unknown_outcome", 409), called({}));
    const { value } = await bridge.tools("mcp").call("do_action", { session: "t", action: "order-tea" });
    expect(value).toMatchObject({ code: "unknown_outcome", next: "Ask." });
    expect(asked).toHaveLength(1);
  });
});
