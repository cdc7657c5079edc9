/**
 * The bridge script: what a site includes so that agents in the page can see and do what its owner permits, by
 * `window.bridge`. With a site token it also joins the registry's websocket and does there what needs a script engine.
 * Written for browsers; served with its types stripped, within a function of its own.
 */

interface BridgeConfiguration {
  version: string;
  siteId: string | null;
  websocket: string;
  permissions: Record<string, boolean>;
  deniedCommands: string[];
  deniedPaths: string[];
  logging: "none" | "errors" | "all";
  features: string[];
}

/** Something that could not be done, with its stable code. */
class BridgeRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Handed over by the lines around the served script: the site's configuration, and the element that included it. */
declare const config: BridgeConfiguration;
declare const tag: HTMLScriptElement | null;
/** Stands before this in the served script (src/domain/protocols/closing-prefix.ts). */
declare const closingPrefix: (path: string, prefixes: readonly string[]) => string | undefined;

const MAX_CALLS_A_MINUTE = 120;
const MAX_TEXT = 16_000;
const MAX_ACTIONS = 64;
const RECONNECT_MAX_MS = 30_000;
/** `offered`: ends the action's offer to the browser's own agents. */
const own = new Map<string, { action: BridgeAction; handler: BridgeHandler; offered: AbortController }>();
let calls: number[] = [];

function log(level: "errors" | "all", ...words: unknown[]): void {
  if (config.logging === "all" || (config.logging === "errors" && level === "errors"))
    console.info("bridge:", ...words);
}

function need(...permissions: string[]): void {
  const missing = permissions.find((permission) => config.permissions[permission] !== true);
  if (missing) throw new BridgeRefusal("permission_denied", `The site does not permit ${missing}.`);
}

function find(selector: string | undefined): HTMLElement {
  if (!selector) throw new BridgeRefusal("target_required", "Name the element by a CSS selector.");
  let element: Element | null;
  try {
    element = document.querySelector(selector);
  } catch {
    throw new BridgeRefusal("invalid_selector", "Not a CSS selector.");
  }
  if (!(element instanceof HTMLElement))
    throw new BridgeRefusal("target_not_found", "The page has no such element.");
  return element;
}

const here = (): Record<string, unknown> => ({ url: location.href, title: document.title });

function setValue(control: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  // Frameworks put a setter of their own on the element: the prototype's is the browser's.
  const prototype =
    control instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value")!.set!.call(control, value);
}

function tell(element: HTMLElement): void {
  element.dispatchEvent(new Event("input", { bubbles: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
}

function fill(element: HTMLElement, value: string): void {
  if (element instanceof HTMLSelectElement) {
    const option = [...element.options].find(
      (each) => each.value === value || each.text.trim() === value.trim(),
    );
    if (!option || option.disabled)
      throw new BridgeRefusal("option_not_found", "The element has no such option.");
    option.selected = true;
  } else if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) {
    if (element.disabled || element.readOnly)
      throw new BridgeRefusal("not_editable", "The element is not editable.");
    if (element.type === "file") throw new BridgeRefusal("file_input_refused", "Files are not sent.");
    if (element.type === "password") need("automatedLogin");
    if (element instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(element.type)) {
      const on = !/^(?:false|off|0|no|)$/i.test(value);
      if (element.checked !== on) element.click();
      return;
    }
    setValue(element, value);
  } else throw new BridgeRefusal("not_a_field", "The element takes no value.");
  tell(element);
}

/** Refuses what the owner closes of this site. */
function needOpen(address: string): URL {
  const url = new URL(address, location.href);
  const closed = url.origin === location.origin ? closingPrefix(url.pathname, config.deniedPaths) : undefined;
  if (closed) throw new BridgeRefusal("permission_denied", `The site closes ${closed} to agents.`);
  return url;
}

/** Refuses another site's addresses too. */
function needOwn(address: string): URL {
  const url = needOpen(address);
  if (url.origin !== location.origin)
    throw new BridgeRefusal("permission_denied", "Another site is not visited.");
  return url;
}

function visit(address: string): void {
  const url = needOwn(address);
  // After the reply: the page, and with it this script, is about to go.
  setTimeout(() => location.assign(url), 50);
}

/** Clicks within the permissions: a control also needs `fillForms`, and so does the label that clicks it. */
function clickOn(target: () => HTMLElement): Record<string, unknown> {
  need("click");
  const element = target();
  if (element.closest("button, input, select, textarea") ?? element.closest("label")?.control)
    need("fillForms");
  const link = element.closest("a");
  if (link?.href) needOwn(link.href);
  element.click();
  return here();
}

function readPage(selector: string | undefined): Record<string, unknown> {
  if (selector) {
    find(selector);
    const elements = [...document.querySelectorAll<HTMLElement>(selector)];
    return {
      ...here(),
      matches: elements.length,
      elements: elements
        .slice(0, 50)
        .map((element) => ({ tag: element.localName, text: (element.innerText ?? "").slice(0, 500) })),
    };
  }
  const text = document.body.innerText;
  return {
    ...here(),
    text: text.slice(0, MAX_TEXT),
    text_length: text.length,
    more: text.length > MAX_TEXT,
  };
}

const builtIn: Record<
  string,
  (command: BridgeCommand) => Record<string, unknown> | Promise<Record<string, unknown>>
> = {
  read: ({ target }) => {
    need("readContent");
    return readPage(target);
  },
  click: ({ target }) => clickOn(() => find(target)),
  fill: ({ target, value }) => {
    need("fillForms");
    if (value === undefined) throw new BridgeRefusal("value_required", "Give the value.");
    fill(find(target), value);
    return here();
  },
  submit: ({ target }) => {
    need("fillForms");
    const element = target ? find(target) : document.forms[0];
    const form = element instanceof HTMLFormElement ? element : element?.closest("form");
    if (!form) throw new BridgeRefusal("no_form", "The page has no such form.");
    if (!form.reportValidity()) throw new BridgeRefusal("validation_failed", "The form is not valid.");
    needOpen(new URL(form.getAttribute("action") ?? "", document.baseURI).href);
    setTimeout(() => form.requestSubmit(), 50);
    return here();
  },
  scroll: ({ target, value }) => {
    need("scroll");
    if (target) find(target).scrollIntoView();
    else scrollBy(0, value === "up" ? -innerHeight : innerHeight);
    return { ...here(), top: Math.round(scrollY) };
  },
  navigate: ({ target }) => {
    need("navigate");
    visit(target ?? "/");
    return here();
  },
  wait: async ({ value }) => {
    await new Promise((resolve) =>
      setTimeout(resolve, Math.min(10_000, Math.max(0, Number(value ?? 0) || 0))),
    );
    return here();
  },
};

const formAction = (form: HTMLFormElement): BridgeAction => ({
  name: form.dataset.bridgeAction ?? "",
  description: form.getAttribute("aria-label") ?? form.querySelector("button")?.innerText ?? "Send the form",
  category: "form",
  parameters: [...form.elements].flatMap((control) => {
    const { name, type = "text", required = false } = control as HTMLInputElement;
    return name && !/^(?:hidden|submit|button|reset|file)$/.test(type)
      ? [{ name, type, required, description: (control as HTMLInputElement).labels?.[0]?.innerText ?? "" }]
      : [];
  }),
  permissions_required: ["fillForms"],
});

/** Forms and links that the page itself names by `data-bridge-action`. */
const bound = (name?: string): HTMLElement[] =>
  [
    ...document.querySelectorAll<HTMLElement>(
      "form[data-bridge-action], a[data-bridge-action], button[data-bridge-action]",
    ),
  ].filter((element) => name === undefined || element.dataset.bridgeAction === name);

function getActions(): BridgeAction[] {
  const listed = new Map([...own].map(([name, { action }]) => [name, action]));
  for (const element of bound()) {
    const name = element.dataset.bridgeAction!;
    if (listed.has(name) || listed.size >= MAX_ACTIONS) continue;
    const action: BridgeAction =
      element instanceof HTMLFormElement
        ? formAction(element)
        : {
            name,
            description: element.innerText.trim(),
            category: "navigation",
            parameters: [],
            permissions_required: element.localName === "a" ? ["click"] : ["click", "fillForms"],
          };
    listed.set(name, action);
  }
  return [...listed.values()];
}

function runBound(element: HTMLElement, parameters: Record<string, unknown>): Record<string, unknown> {
  if (!(element instanceof HTMLFormElement)) return clickOn(() => element);
  need("fillForms");
  for (const [name, value] of Object.entries(parameters)) {
    const control = element.elements.namedItem(name);
    const one =
      control instanceof RadioNodeList
        ? [...control].find((each) => (each as HTMLInputElement).value === value)
        : control;
    if (one instanceof HTMLElement) fill(one, String(value));
  }
  return builtIn.submit!({
    target: `form[data-bridge-action="${CSS.escape(element.dataset.bridgeAction!)}"]`,
  }) as Record<string, unknown>;
}

async function perform(name: string, command: BridgeCommand): Promise<Record<string, unknown>> {
  if (config.deniedCommands.some((denied) => denied.toLowerCase() === name.toLowerCase()))
    throw new BridgeRefusal("permission_denied", `The site denies the action ${name}.`);
  if (name !== "navigate") needOpen(location.href);
  const mine = own.get(name);
  if (mine) {
    need(...mine.action.permissions_required);
    const result = await mine.handler(command.context ?? {});
    return {
      ...here(),
      ...(typeof result === "object" && result !== null ? result : { value: result ?? null }),
    };
  }
  if (Object.hasOwn(builtIn, name)) return builtIn[name]!(command);
  const [element] = bound(name);
  if (element) return runBound(element, command.context ?? {});
  throw new BridgeRefusal("unknown_action", "The page has no such action.");
}

async function execute(name: string, command: BridgeCommand = {}): Promise<BridgeResult> {
  const now = Date.now();
  calls = calls.filter((at) => now - at < 60_000);
  try {
    if (calls.length >= MAX_CALLS_A_MINUTE)
      throw new BridgeRefusal("rate_limited", `At most ${MAX_CALLS_A_MINUTE} calls a minute.`);
    calls.push(now);
    const result = await perform(name, command);
    log("all", name, command.target ?? "");
    return { type: "action_result", success: true, result };
  } catch (error) {
    const code = error instanceof BridgeRefusal ? error.code : "script_failed";
    const message = error instanceof Error ? error.message : String(error);
    log("errors", name, code, message);
    return { type: "action_result", success: false, result: { ...here(), error: { code, message } } };
  }
}

// ---- the websocket: for pages and kiosks that the site's owner runs, with a site token

let socket: WebSocket | undefined;
/** The token that it joined with; undefined while it is not to join. */
let joinedWith: string | undefined;
let pauseMs = 1_000;

async function answer(text: string): Promise<void> {
  const message = JSON.parse(text) as { type: string; id?: string; action?: string } & BridgeCommand;
  const send = (reply: object): void => socket?.send(JSON.stringify({ id: message.id, ...reply }));
  if (message.type === "auth_success") {
    pauseMs = 1_000;
    document.dispatchEvent(new CustomEvent("bridge:joined"));
  } else if (message.type === "actions_list") send({ type: "actions_list", actions: getActions() });
  else if (message.type === "execute" && message.action) send(await execute(message.action, message));
  else if (message.type === "error") log("errors", message);
}

function join(token: string): void {
  const joining = new WebSocket(config.websocket);
  socket = joining;
  joining.addEventListener("open", () => joining.send(JSON.stringify({ type: "auth", token })));
  joining.addEventListener("message", ({ data }) => {
    answer(String(data)).catch((error: unknown) => log("errors", error));
  });
  joining.addEventListener("close", ({ code }) => {
    if (socket !== joining) return;
    // 4401: the token is not taken (any more); coming back with it would change nothing.
    if (code === 4401) joinedWith = undefined;
    if (joinedWith === undefined) return;
    setTimeout(
      () => {
        if (socket === joining && joinedWith !== undefined) join(joinedWith);
      },
      pauseMs * (0.5 + Math.random() / 2),
    );
    pauseMs = Math.min(RECONNECT_MAX_MS, pauseMs * 2);
  });
}

function disconnect(): void {
  joinedWith = undefined;
  socket?.close();
}

/** Joins once, however often it is called with the same token. */
function connect(token: string): void {
  if (joinedWith === token) return;
  disconnect();
  joinedWith = token;
  join(token);
}

// ---- WebMCP: the browser's own agents see the page's actions where the browser has document.modelContext

interface ModelContext {
  registerTool(tool: object, options: { signal: AbortSignal }): Promise<unknown>;
}

const TOOL_NAME = /^[\w.-]{1,64}$/;
const JSON_TYPES: Record<string, string> = { number: "number", boolean: "boolean", checkbox: "boolean" };

const schemaOf = ({ parameters }: BridgeAction): object => ({
  type: "object",
  properties: Object.fromEntries(
    parameters.map(({ name, type, description }) => [
      name,
      { type: JSON_TYPES[type] ?? "string", description },
    ]),
  ),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

/** The permissions hold as for any other caller: the tool is `execute`. */
async function offer(action: BridgeAction, { signal }: AbortController): Promise<void> {
  const { modelContext } = document as { modelContext?: ModelContext };
  if (typeof modelContext?.registerTool !== "function" || !TOOL_NAME.test(action.name)) return;
  const { name, description } = action;
  const tool = {
    name,
    description,
    inputSchema: schemaOf(action),
    execute: (input: Record<string, unknown>) => execute(name, { context: input ?? {} }),
  };
  await modelContext.registerTool(tool, { signal });
}

function unregisterAction(name: string): void {
  own.get(name)?.offered.abort();
  own.delete(name);
}

function registerAction(given: BridgeAction, handler: BridgeHandler): void {
  if (own.size >= MAX_ACTIONS && !own.has(given.name))
    throw new RangeError(`At most ${MAX_ACTIONS} actions.`);
  unregisterAction(given.name);
  const action = { ...given, parameters: given.parameters ?? [] };
  const offered = new AbortController();
  own.set(action.name, { action, handler, offered });
  offer(action, offered).catch((error: unknown) => log("errors", error));
}

/** What a page has to do with the bridge; a fault of one use is no fault of the next. */
function give(use: (bridge: Bridge) => void): void {
  try {
    use(bridge);
  } catch (error) {
    log("errors", error);
  }
}

const bridge: Bridge = Object.freeze({
  version: config.version,
  siteId: config.siteId,
  permissions: Object.freeze({ ...config.permissions }),
  features: Object.freeze([...config.features]),
  // In a microtask: the name stands by then.
  ready: Promise.resolve().then(() => bridge),
  q: Object.freeze({
    push: (...uses: ((bridge: Bridge) => void)[]) => {
      uses.forEach(give);
      return 0;
    },
  }),
  getActions,
  registerAction,
  unregisterAction,
  execute,
  connect,
  disconnect,
});

// ---- what the page sees of it

/** Under this symbol, which no page's own names meet, the bridge is where every agent finds it, and cannot be replaced. */
const KEY = Symbol.for("bridge.script");
const page = window as unknown as Record<PropertyKey, unknown>;
const token = tag?.dataset.token;
const before = page[KEY] as typeof bridge | undefined;
if (before) {
  // Included twice: the first one holds, with the actions that the page registered there.
  log("errors", "included twice");
  if (token) before.connect(token);
} else {
  Object.defineProperty(window, KEY, { value: bridge });
  // A name that the page may have, or declare later: its own comes first, but for a stub that waits for this. Names of
  // elements are not its own.
  const stub = Object.hasOwn(window, "bridge") ? (page.bridge as BridgeStub | undefined) : undefined;
  const waiting = Array.isArray(stub?.q) && !("execute" in stub) ? stub.q : undefined;
  if (!Object.hasOwn(window, "bridge") || waiting)
    Object.defineProperty(window, "bridge", {
      value: bridge,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  if (waiting) bridge.q.push(...waiting);
  document.dispatchEvent(new CustomEvent("bridge:ready", { detail: bridge }));
  if (token) connect(token);
}
