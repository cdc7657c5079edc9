((element) => {
const start = (config, tag) => {
const MAX_LAYERS = 8;
const isIgnoredAtEnd = (character        )          => character === "." || character <= " ";
const plainSegment = (written        )         => {
const segment = written.split(";", 1)[0] .split("\0", 1)[0] ;
if (segment === "." || segment === "..") return segment;
let end = segment.length;
while (end > 0 && isIgnoredAtEnd(segment[end - 1] )) end--;
return segment.slice(0, end);
};
const plainPath = (path        )                     => {
let text = path;
for (let round = 0; ; round++) {
const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
new TextDecoder().decode(Uint8Array.from(run.slice(1).split("%"), (byte) => Number.parseInt(byte, 16))),
);
if (decoded === text) break;
if (round === MAX_LAYERS) return undefined;
text = decoded;
}
const segments           = [];
for (const written of text.replaceAll("\\", "/").split("/")) {
const segment = plainSegment(written);
if (segment === "..") segments.pop();
else if (segment !== "." && segment !== "") segments.push(segment);
}
return `/${segments.join("/")}`.normalize("NFC").toLowerCase();
};
const isBelow = (path                    , prefix                    )          =>
path === undefined ||
prefix === undefined ||
prefix === "/" ||
path === prefix ||
path.startsWith(`${prefix}/`);
const closingPrefix = (path        , prefixes                   )                     => {
const asked = plainPath(path);
return prefixes.find((prefix) => isBelow(asked, plainPath(prefix)));
};
class BridgeRefusal extends Error {
code        ;
constructor(code        , message        ) {
super(message);
this.code = code;
}
}
const MAX_CALLS_A_MINUTE = 120;
const MAX_TEXT = 16_000;
const MAX_ACTIONS = 64;
const RECONNECT_MAX_MS = 30_000;
const own = new Map                                                                                    ();
let calls           = [];
const log = (level                  , ...words           )       => {
if (config.logging === "all" || (config.logging === "errors" && level === "errors"))
console.info("bridge:", ...words);
};
const need = (...permissions          )       => {
const missing = permissions.find((permission) => config.permissions[permission] !== true);
if (missing) throw new BridgeRefusal("permission_denied", `The site does not permit ${missing}.`);
};
const find = (selector                    )              => {
if (!selector) throw new BridgeRefusal("target_required", "Name the element by a CSS selector.");
let element                ;
try {
element = document.querySelector(selector);
} catch {
throw new BridgeRefusal("invalid_selector", "Not a CSS selector.");
}
if (!(element instanceof HTMLElement))
throw new BridgeRefusal("target_not_found", "The page has no such element.");
return element;
};
const here = ()                          => ({ url: location.href, title: document.title });
const setValue = (control                                        , value        )       => {
const prototype =
control instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
Object.getOwnPropertyDescriptor(prototype, "value") .set .call(control, value);
};
const tell = (element             )       => {
element.dispatchEvent(new Event("input", { bubbles: true }));
element.dispatchEvent(new Event("change", { bubbles: true }));
};
const fill = (element             , value        )       => {
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
};
const needOpen = (address        )      => {
const url = new URL(address, location.href);
const closed = url.origin === location.origin ? closingPrefix(url.pathname, config.deniedPaths) : undefined;
if (closed) throw new BridgeRefusal("permission_denied", `The site closes ${closed} to agents.`);
return url;
};
const needOwn = (address        )      => {
const url = needOpen(address);
if (url.origin !== location.origin)
throw new BridgeRefusal("permission_denied", "Another site is not visited.");
return url;
};
const visit = (address        )       => {
const url = needOwn(address);
setTimeout(() => location.assign(url), 50);
};
const clickOn = (target                   )                          => {
need("click");
const element = target();
if (element.closest("button, input, select, textarea") ?? element.closest("label")?.control)
need("fillForms");
const link = element.closest("a");
if (link?.href) needOwn(link.href);
element.click();
return here();
};
const readPage = (selector                    )                          => {
if (selector) {
find(selector);
const elements = [...document.querySelectorAll             (selector)];
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
};
const builtIn
= {
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
const formAction = (form                 )               => ({
name: form.dataset.bridgeAction ?? "",
description: form.getAttribute("aria-label") ?? form.querySelector("button")?.innerText ?? "Send the form",
category: "form",
parameters: [...form.elements].flatMap((control) => {
const { name, type = "text", required = false } = control                    ;
return name && !/^(?:hidden|submit|button|reset|file)$/.test(type)
? [{ name, type, required, description: (control                    ).labels?.[0]?.innerText ?? "" }]
: [];
}),
permissions_required: ["fillForms"],
});
const bound = (name         )                =>
[
...document.querySelectorAll             (
"form[data-bridge-action], a[data-bridge-action], button[data-bridge-action]",
),
].filter((element) => name === undefined || element.dataset.bridgeAction === name);
const getActions = ()                 => {
const listed = new Map([...own].map(([name, { action }]) => [name, action]));
for (const element of bound()) {
const name = element.dataset.bridgeAction ;
if (listed.has(name) || listed.size >= MAX_ACTIONS) continue;
const action               =
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
};
const runBound = (element             , parameters                         )                          => {
if (!(element instanceof HTMLFormElement)) return clickOn(() => element);
need("fillForms");
for (const [name, value] of Object.entries(parameters)) {
const control = element.elements.namedItem(name);
const one =
control instanceof RadioNodeList
? [...control].find((each) => (each                    ).value === value)
: control;
if (one instanceof HTMLElement) fill(one, String(value));
}
return builtIn.submit ({
target: `form[data-bridge-action="${CSS.escape(element.dataset.bridgeAction )}"]`,
})                           ;
};
const perform = async (name        , command               )                                   => {
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
if (Object.hasOwn(builtIn, name)) return builtIn[name] (command);
const [element] = bound(name);
if (element) return runBound(element, command.context ?? {});
throw new BridgeRefusal("unknown_action", "The page has no such action.");
};
const execute = async (name        , command                = {})                        => {
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
};
let socket                       ;
let joinedWith                    ;
let pauseMs = 1_000;
const answer = async (text        )                => {
const message = JSON.parse(text)                                                                  ;
const send = (reply        )       => socket?.send(JSON.stringify({ id: message.id, ...reply }));
if (message.type === "auth_success") {
pauseMs = 1_000;
document.dispatchEvent(new CustomEvent("bridge:joined"));
} else if (message.type === "actions_list") send({ type: "actions_list", actions: getActions() });
else if (message.type === "execute" && message.action) send(await execute(message.action, message));
else if (message.type === "error") log("errors", message);
};
const join = (token        )       => {
const joining = new WebSocket(config.websocket);
socket = joining;
joining.addEventListener("open", () => joining.send(JSON.stringify({ type: "auth", token })));
joining.addEventListener("message", ({ data }) => {
answer(String(data)).catch((error         ) => log("errors", error));
});
joining.addEventListener("close", ({ code }) => {
if (socket !== joining) return;
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
};
const disconnect = ()       => {
joinedWith = undefined;
socket?.close();
};
const connect = (token        )       => {
if (joinedWith === token) return;
disconnect();
joinedWith = token;
join(token);
};
const TOOL_NAME = /^[\w.-]{1,64}$/;
const JSON_TYPES                         = { number: "number", boolean: "boolean", checkbox: "boolean" };
const schemaOf = ({ parameters }              )         => ({
type: "object",
properties: Object.fromEntries(
parameters.map(({ name, type, description }) => [
name,
{ type: JSON_TYPES[type] ?? "string", description },
]),
),
required: parameters.filter(({ required }) => required).map(({ name }) => name),
});
const offer = async (action              , { signal }                 )                => {
const { modelContext } = document                                   ;
if (typeof modelContext?.registerTool !== "function" || !TOOL_NAME.test(action.name)) return;
const { name, description } = action;
const tool = {
name,
description,
inputSchema: schemaOf(action),
execute: (input                         ) => execute(name, { context: input ?? {} }),
};
await modelContext.registerTool(tool, { signal });
};
const unregisterAction = (name        )       => {
own.get(name)?.offered.abort();
own.delete(name);
};
const registerAction = (given              , handler               )       => {
if (own.size >= MAX_ACTIONS && !own.has(given.name))
throw new RangeError(`At most ${MAX_ACTIONS} actions.`);
unregisterAction(given.name);
const action = { ...given, parameters: given.parameters ?? [] };
const offered = new AbortController();
own.set(action.name, { action, handler, offered });
offer(action, offered).catch((error         ) => log("errors", error));
};
const give = (use                          )       => {
try {
use(bridge);
} catch (error) {
log("errors", error);
}
};
const bridge         = Object.freeze({
version: config.version,
siteId: config.siteId,
permissions: Object.freeze({ ...config.permissions }),
features: Object.freeze([...config.features]),
ready: Promise.resolve().then(() => bridge),
q: Object.freeze({
push: (...uses                              ) => {
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
const KEY = Symbol.for("bridge.script");
const page = window                                           ;
const token = tag?.dataset.token;
const before = page[KEY]                             ;
if (before) {
log("errors", "included twice");
if (token) before.connect(token);
} else {
Object.defineProperty(window, KEY, { value: bridge });
const stub = Object.hasOwn(window, "bridge") ? (page.bridge                          ) : undefined;
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
};
const load = async ({ src, dataset: { site } }                   )                => {
const address = new URL("/bridge/config", src);
if (site) address.searchParams.set("siteId", site);
const response = await fetch(address, { credentials: "omit" });
if (!response.ok) throw new Error(`the registry answers ${response.status}`);
start(await response.json(), element);
};
if (element) load(element).catch((error         ) => console.error("bridge:", error));
})(document.currentScript);
