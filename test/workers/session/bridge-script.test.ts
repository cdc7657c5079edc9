import vm from "node:vm";
import { describe, expect, it } from "vitest";
import { servedScript } from "../../../workers/session/bridge-script.ts";

const SCRIPT = servedScript("https://registry.example", "shop.example");

/** As much of a page as the script touches while it is included. */
function openPage() {
  const events: string[] = [];
  const sockets: string[] = [];
  const context = vm.createContext({
    document: {
      querySelectorAll: () => [],
      currentScript: { dataset: {} as { token?: string } },
      dispatchEvent: ({ type }: { type: string }) => events.push(type),
    },
    CustomEvent: class {
      type: string;
      constructor(type: string) {
        this.type = type;
      }
    },
    WebSocket: class {
      constructor(url: string) {
        sockets.push(url);
      }
      addEventListener() {}
      close() {}
    },
    console: { info: () => undefined },
    setTimeout: () => 0,
    AbortController,
  });
  const run = (code: string): any => vm.runInContext(code, context);
  run("var window = globalThis");
  return { run, events, sockets };
}

describe("a page that includes the bridge script", () => {
  const STUB =
    "var bridge = (() => { const stub = { q: [] }; stub.ready = new Promise((ready) => stub.q.push(ready)); return stub; })(); var ready = bridge.ready";

  it("may put a stub in its place before it comes, whose queue and promise it then serves", async () => {
    const { run } = openPage();
    run(STUB);
    run("bridge.q.push(() => { throw new Error('of the page') })");
    run("bridge.q.push((bridge) => bridge.registerAction({ name: 'empty' }, () => 0))");
    run(SCRIPT);
    expect(run("bridge.getActions().map(({ name }) => name).join()")).toBe("empty");
    expect(
      await run("Promise.all([ready, bridge.ready]).then(([a, b]) => a === bridge && b === bridge)"),
    ).toBe(true);
    expect(run("let told; bridge.q.push((it) => { told = it }); told === bridge")).toBe(true);
  });

  it("offers its actions to the browser's own agents, until they are taken back", async () => {
    const { run } = openPage();
    run(
      "var tools = new Map(); document.modelContext = { registerTool: async (tool, { signal }) => { tools.set(tool.name, tool); signal.addEventListener('abort', () => tools.delete(tool.name)) } }",
    );
    run(SCRIPT);
    run(
      "var parameters = [{ name: 'grams', type: 'number', required: true, description: 'How much' }]; bridge.registerAction({ name: 'order-tea', description: 'Order', category: 'commerce', parameters, permissions_required: [] }, () => 0)",
    );
    expect(JSON.parse(run("JSON.stringify(tools.get('order-tea'))"))).toEqual({
      name: "order-tea",
      description: "Order",
      inputSchema: {
        type: "object",
        properties: { grams: { type: "number", description: "How much" } },
        required: ["grams"],
      },
    });
    run("bridge.registerAction({ name: 'two words', description: 'Not a tool', parameters: [] }, () => 0)");
    expect(run("[...tools.keys()].join()")).toBe("order-tea");
    run("bridge.unregisterAction('order-tea')");
    expect(run("tools.size")).toBe(0);
  });

  it.each([
    ["var bridge = 'own'", ""],
    ["const bridge = 'own'", ""],
    ["function bridge() {}; bridge = 'own'", ""],
    ["", "let bridge = 'own'"],
    ["", "'use strict'; var bridge = 'own'"],
    ["", "function bridge() {}; bridge = 'own'"],
  ])("keeps a `bridge` of its own: %j before, %j after", (before, after) => {
    const { run } = openPage();
    for (const code of [before, SCRIPT, after]) run(code);
    expect(run("bridge")).toBe("own");
    expect(run("window[Symbol.for('bridge.script')].siteId")).toBe("shop.example");
  });

  it("may include it twice: the first one holds, with what was registered there", () => {
    const { run, events } = openPage();
    run(SCRIPT);
    run("bridge.registerAction({ name: 'empty' }, () => 0); first = bridge");
    run(SCRIPT);
    expect(run("first === bridge")).toBe(true);
    expect(events).toEqual(["bridge:ready"]);
  });

  it("joins the websocket once, however often it is included with its token", () => {
    const { run, sockets } = openPage();
    run("document.currentScript.dataset.token = 'token'");
    run(SCRIPT);
    run(SCRIPT);
    run("bridge.connect('token')");
    expect(sockets).toEqual(["wss://registry.example/ws"]);
    run("bridge.connect('another')");
    expect(sockets).toHaveLength(2);
  });

  it("cannot replace what agents find under the symbol, nor change it", () => {
    const { run } = openPage();
    run(SCRIPT);
    run("window[Symbol.for('bridge.script')] = 'own'; bridge.permissions.fillForms = true");
    expect(run("window[Symbol.for('bridge.script')].permissions.fillForms")).toBe(false);
    expect(run("bridge.permissions.fillForms")).toBe(false);
  });
});
