import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FoundAction } from "../../schemas/session.ts";
import { planCommand, planNamed, planPageAction, refreshOf } from "../../src/browser/commands.ts";
import { readBrowserPage } from "../../src/browser/page.ts";
import { availableActions, pageActions } from "../../src/browser/page-actions.ts";
import type { BrowserState, BuiltIn, Command, CommandPlan } from "../../src/browser/plan.ts";
import { select } from "../../src/browser/select.ts";
import { processorWatch } from "../support/processor-watch.ts";

const URL_HERE = "https://shop.test/a/page?x=1";

const stateOf = (html: string, change: Partial<BrowserState> = {}): BrowserState => ({
  home: new URL("https://shop.test/"),
  page: readBrowserPage({
    url: URL_HERE,
    status: 200,
    mediaType: "text/html",
    encoding: "utf-8",
    text: html,
  }),
  fields: {},
  history: [],
  offset: 0,
  ...change,
});
const everything = () => true;

const plan = (
  state: BrowserState,
  action: BuiltIn,
  command: Omit<Command, "action"> = {},
  allows = everything as (p: string) => boolean,
): CommandPlan => planCommand(action, { action, ...command }, state, allows, "boundary");
const codeOf = (made: CommandPlan): string => (made.kind === "failed" ? made.code : made.kind);
/** Carries out commands that need no request, one after the other. */
function afterwards(html: string, ...commands: [BuiltIn, Omit<Command, "action">][]): BrowserState {
  let state = stateOf(html);
  for (const [action, command] of commands) {
    const made = plan(state, action, command);
    if (made.kind !== "done") throw new Error(`${action}: ${JSON.stringify(made)}`);
    state = { ...state, ...(made.change.fields && { fields: made.change.fields }) };
  }
  return state;
}
function sentBy(state: BrowserState, action: BuiltIn, target: string): string {
  const made = plan(state, action, { target });
  if (made.kind !== "go") throw new Error(JSON.stringify(made));
  return made.request.url.search.slice(1) || Buffer.from(made.request.body ?? "").toString();
}

describe("what could not be done has a code", () => {
  const cases: [string, BuiltIn, Omit<Command, "action">, string][] = [
    ["", "click", {}, "target_required"],
    ["", "click", { target: "#no" }, "target_not_found"],
    ["", "click", { target: "a[" }, "invalid_selector"],
    ["", "read", { target: "::before" }, "invalid_selector"],
    ["<p>text", "click", { target: "p" }, "not_activatable"],
    ["<p onclick='x()'>text", "click", { target: "p" }, "requires_script"],
    ["<a href='javascript:x()'>x</a>", "click", { target: "a" }, "requires_script"],
    ["<a href='#' onclick='x()'>x</a>", "click", { target: "a" }, "requires_script"],
    ["<a>x</a>", "click", { target: "a" }, "requires_script"],
    ["<a href='mailto:a@b.test'>x</a>", "click", { target: "a" }, "unsupported_address"],
    ["<button>x</button>", "click", { target: "button" }, "requires_script"],
    ["<form><button type=button>x</button></form>", "click", { target: "button" }, "requires_script"],
    ["<form><button disabled>x</button></form>", "click", { target: "button" }, "disabled"],
    ["<form method=dialog><button>x</button></form>", "click", { target: "button" }, "requires_script"],
    [
      "<form action='javascript:x()'><button>x</button></form>",
      "submit",
      { target: "form" },
      "requires_script",
    ],
    [
      "<form action='ftp://x.test/'><button>x</button></form>",
      "submit",
      { target: "form" },
      "unsupported_address",
    ],
    ["", "submit", {}, "no_form"],
    ["<form></form><form></form>", "submit", {}, "target_required"],
    ["<p>x", "submit", { target: "p" }, "no_form"],
    ["<p>x", "fill", { target: "p", value: "x" }, "not_a_field"],
    ["<input name=a>", "fill", { target: "input" }, "value_required"],
    ["<input name=a disabled>", "fill", { target: "input", value: "x" }, "not_editable"],
    ["<input name=a readonly>", "fill", { target: "input", value: "x" }, "not_editable"],
    ["<input name=a type=hidden>", "fill", { target: "input", value: "x" }, "not_editable"],
    ["<input name=a type=file>", "fill", { target: "input", value: "/etc/passwd" }, "file_input_refused"],
    ["<input name=a maxlength=2>", "fill", { target: "input", value: "abc" }, "value_invalid"],
    ["<input name=a type=number min=1>", "fill", { target: "input", value: "0" }, "value_invalid"],
    ["<input name=a type=date>", "fill", { target: "input", value: "tomorrow" }, "value_invalid"],
    ["<select><option>a", "fill", { target: "select", value: "b" }, "option_not_found"],
    ["<select><option>a", "select", { target: "select", context: { values: ["a", "a"] } }, "value_invalid"],
    ["<input type=radio name=r>", "uncheck", { target: "input" }, "value_invalid"],
    ["<form><input required></form>", "submit", { target: "form" }, "validation_failed"],
    ["<form><input type=email value=x></form>", "submit", { target: "form" }, "validation_failed"],
    ["<form><input type=file required></form>", "submit", { target: "form" }, "validation_failed"],
    ["", "back", {}, "no_history"],
    ["", "wait", { value: "11000" }, "value_invalid"],
    ["", "wait", { value: "-1" }, "value_invalid"],
    ["", "scroll", { value: "sideways" }, "value_invalid"],
    ["", "navigate", { target: "file:///etc/passwd" }, "unsupported_address"],
    ["", "navigate", {}, "target_required"],
  ];
  it.each(cases)("%j %s %j: %s … %s", (html, action, command, code) => {
    expect(codeOf(plan(stateOf(html), action, command))).toBe(code);
  });

  it("needs a page for all but navigate, back and wait", () => {
    for (const action of ["read", "click", "fill", "submit", "scroll"] as const)
      expect(codeOf(plan(stateOf("", { page: undefined }), action, { target: "a", value: "down" }))).toBe(
        "no_page",
      );
  });

  it("does not send a form twice by going back", () => {
    const history = [{ url: URL_HERE, method: "POST" as const }];
    expect(codeOf(plan(stateOf("", { history }), "back"))).toBe("resubmission_refused");
  });
});

describe("permissions", () => {
  it.each([
    ["navigate", "navigate", { target: "/" }],
    ["read", "readContent", {}],
    ["click", "click", { target: "a" }],
    ["fill", "fillForms", { target: "input", value: "x" }],
    ["submit", "fillForms", { target: "form" }],
    ["scroll", "scroll", {}],
  ] as const)("%s needs %s", (action, permission, command) => {
    const state = stateOf("<form><a href=/x>x</a><input></form>");
    expect(plan(state, action, command, (each) => each !== permission)).toEqual({
      kind: "denied",
      permission,
    });
  });

  it("of forms hold for the clicks that fill or send them, and of logging in for passwords", () => {
    const state = stateOf("<form><input type=checkbox><button>Go</button><input id=p type=password></form>");
    const without = (denied: string) => (each: string) => each !== denied;
    for (const target of ["button", "[type=checkbox]"])
      expect(plan(state, "click", { target }, without("fillForms"))).toEqual({
        kind: "denied",
        permission: "fillForms",
      });
    const asked = plan(state, "fill", { target: "#p", value: "x" }, without("automatedLogin"));
    expect(asked).toEqual({ kind: "denied", permission: "automatedLogin" });
  });
});

describe("controls keep what was set", () => {
  it("text, areas, lists, boxes and groups", () => {
    const html = `<form><input name=t value=old><textarea name=a>old</textarea><select name=s><option value=1>One<option value=2>Two</select>
      <select name=m multiple><option>x<option>y<option>z</select><input type=checkbox name=c><input type=radio name=r value=1 checked><label>Second <input type=radio name=r value=2></label></form>`;
    const state = afterwards(
      html,
      ["fill", { target: "[name=t]", value: "new\nline" }],
      ["fill", { target: "textarea", value: "" }],
      ["fill", { target: "[name=s]", value: "Two" }],
      ["select", { target: "[name=m]", context: { values: ["x", "z"] } }],
      ["click", { target: "[name=c]" }],
      ["click", { target: "label" }],
    );
    expect(sentBy(state, "submit", "form")).toBe("t=newline&a=&s=2&m=x&m=z&c=on&r=2");
    const again = plan(state, "click", { target: "[name=c]" });
    expect(again.kind === "done" && again.result.field).toMatchObject({ checked: false });
  });

  it("until the form is reset", () => {
    const state = afterwards("<form><input name=t value=old><button type=reset>R</button></form>", [
      "fill",
      { target: "input", value: "new" },
    ]);
    const reset = plan(state, "click", { target: "button" });
    expect(reset.kind === "done" && reset.change.fields).toEqual({});
  });

  it("but a password is not repeated to whoever reads", () => {
    const state = afterwards("<form><input id=p type=password name=p></form>", [
      "fill",
      { target: "#p", value: "s3cret" },
    ]);
    const read = [plan(state, "read"), plan(state, "read", { target: "#p" })];
    expect(JSON.stringify(read)).not.toContain("s3cret");
  });
});

describe("moving within a page", () => {
  const long = `<h1 id=top>Top</h1>${"<p>word ".repeat(8_000)}<h2 id=end>End</h2><a href="#end">down</a>`;

  it("shows its text window by window", () => {
    const first = plan(stateOf(long), "read");
    const down = plan(stateOf(long), "scroll");
    if (first.kind !== "done" || down.kind !== "done") throw new Error("not done");
    expect(first.result).toMatchObject({ offset: 0, more: true });
    expect(down.result).toMatchObject({ offset: 16_000 });
    const bottom = plan(stateOf(long), "scroll", { value: "bottom" });
    expect(bottom.kind === "done" && bottom.result.more).toBe(false);
    expect(bottom).toMatchObject({ result: { moved: true } });
  });

  it("stays on the last window when it scrolls past the end", () => {
    const state = stateOf(long);
    const offsets: unknown[] = [];
    for (let i = 0; i < 5; i++) {
      const made = plan(state, "scroll");
      if (made.kind !== "done") throw new Error("not done");
      offsets.push([made.result.offset, made.result.moved]);
      state.offset = made.change.offset!;
    }
    expect(offsets).toEqual([
      [16_000, true],
      [32_000, true],
      [32_000, false],
      [32_000, false],
      [32_000, false],
    ]);
    const short = plan(stateOf("<p>short"), "scroll");
    expect(short).toMatchObject({ result: { text: "short", offset: 0, more: false, moved: false } });
    for (const value of ["constructor", "toString"])
      expect(codeOf(plan(stateOf(long), "scroll", { value }))).toBe("value_invalid");
  });

  it("goes to a fragment without asking the site", () => {
    const made = plan(stateOf(long), "click", { target: "a" });
    expect(made).toMatchObject({ kind: "done", change: { url: `${URL_HERE}#end` } });
    expect(made.kind === "done" && String(made.result.text)).toMatch(/^End/);
  });

  it("follows a refresh once its time is over", () => {
    const state = stateOf('<meta http-equiv="Refresh" content="2; URL=/next">');
    expect(refreshOf(state.page!)).toMatchObject({ seconds: 2 });
    expect(plan(state, "wait", { value: "1000" })).toMatchObject({ kind: "wait", next: undefined });
    expect(plan(state, "wait", { value: "2000" })).toMatchObject({ next: { method: "GET" } });
  });
});

describe("a page's actions", () => {
  const html = `<form id=find action=/search><input name=q required><select name=in><option value=all>All<option value=new>New</select><button>Search</button></form>
    <form data-bridge-action=subscribe method=post><input type=email name=mail><input type=password name=pw></form>
    <a href="/basket">Your basket</a><a href="/basket">again</a><a href="https://elsewhere.example/">away</a><a href="/b2">Your basket</a>`;

  it("are its forms and its own links, each with a name of its own", () => {
    expect(
      pageActions(stateOf(html).page!).map(({ name, category, permissions_required }) => [
        name,
        category,
        permissions_required,
      ]),
    ).toEqual([
      ["submit-find", "form", ["fillForms"]],
      ["subscribe", "form", ["fillForms", "automatedLogin"]],
      ["open-your-basket", "navigation", ["navigate"]],
      ["open-your-basket-2", "navigation", ["navigate"]],
    ]);
  });

  it("have the name and the words that a form gives a tool, cleaned and bounded", () => {
    const bell = String.fromCharCode(7);
    const tool = `<form toolname=find_tea tooldescription="Finds${bell}
      tea"><input name=q toolparamdescription="Words, such as assam"><button>Go</button></form>
      <form toolname="two words" tooldescription="${"x".repeat(2_000)}" id=long><button>Go</button></form>
      <form toolname=subscribe data-bridge-action=join><button>Go</button></form>`;
    const [first, second, third] = pageActions(stateOf(tool).page!);
    expect(first).toMatchObject({
      name: "find_tea",
      description: expect.stringMatching(/^Finds tea \(form on /),
      parameters: [{ name: "q", description: "Words, such as assam" }],
    });
    expect(second!.name).toBe("submit-long");
    expect(second!.description.length).toBeLessThanOrEqual(512);
    expect(third!.name).toBe("join");
  });

  it("carry out what a site declares under the same name", () => {
    const declared = {
      name: "subscribe",
      description: "By mail",
      category: "form" as const,
      parameters: [],
      permissions_required: ["fillForms"],
    };
    const [first] = availableActions([declared], stateOf(html).page);
    expect(first).toMatchObject({ ...declared, source: "declared", target: expect.any(String) });
  });

  it("list the values that a parameter takes, all of them or none", () => {
    const options = (count: number) =>
      Array.from({ length: count }, (_, i) => `<option value=o${i}>`).join("");
    const page = stateOf(`<form id=f>
      <select name=size required><option value="">Choose<option value=s>Small<option value=l disabled>Large<option>XL</select>
      <input type=radio name=pay value=card><input type=radio name=pay value=cash><input type=radio name=pay value=gone disabled>
      <select name=many>${options(301)}</select><select name=country>${options(250)}</select><input name=q></form>`)
      .page!;
    const [{ parameters }] = pageActions(page) as [FoundAction];
    expect(parameters.map(({ name, enum: choices }) => [name, choices?.length])).toEqual([
      ["size", 2],
      ["pay", 2],
      ["many", undefined],
      ["country", 250],
      ["q", undefined],
    ]);
    expect(parameters[0]!.enum).toEqual(["s", "XL"]);
    expect(parameters[1]!.enum).toEqual(["card", "cash"]);
  });

  it("have no target but the page's own, whatever a document says", () => {
    const declared = {
      name: "odd",
      description: "",
      category: "custom" as const,
      parameters: [{ name: "a", type: "string", required: false, description: "", enum: "all" }],
      permissions_required: [],
      target: 5,
    };
    const [first] = availableActions([declared], stateOf(html).page);
    expect(first).not.toHaveProperty("target");
    expect(first!.parameters[0]).not.toHaveProperty("enum");
    const command = { action: "odd" };
    expect(planNamed([declared], command, stateOf("", { page: undefined }), everything, "b")).toEqual({
      kind: "script",
      effect: "write",
    });
  });

  it("take their parameters from the context", () => {
    const state = stateOf(html);
    const [search] = availableActions([], state.page);
    const made = planPageAction(
      search!,
      { action: "submit-find", context: { q: "tea", in: "New" } },
      state,
      everything,
      "b",
    );
    expect(made.kind === "go" && made.request.url.href).toBe("https://shop.test/search?q=tea&in=new");
    expect(
      codeOf(
        planPageAction(search!, { action: "submit-find", context: { in: "none" } }, state, everything, "b"),
      ),
    ).toBe("option_not_found");
  });

  it("name every parameter that does not suit, and every name that is none", () => {
    const state = stateOf(html);
    const [search] = availableActions([], state.page);
    const context = { q: "tea", in: "none", sort: "price" };
    const made = planPageAction(search!, { action: "submit-find", context }, state, everything, "b");
    expect(made).toMatchObject({ kind: "failed", code: "validation_failed" });
    expect(made.kind === "failed" && made.faults?.map(({ name }) => name)).toEqual(["sort", "in"]);
  });
});

describe("selectors and pages from strangers", () => {
  const deep = readBrowserPage({
    url: URL_HERE,
    status: 200,
    mediaType: "text/html",
    encoding: "utf-8",
    text: "<div>".repeat(100_000),
  });

  it("cut a page that is too deep, and say so", () => {
    expect(deep.truncated).toBe(true);
    expect(deep.elements.length).toBeLessThanOrEqual(513);
  });

  it("end a selection that would take for ever", () => {
    const tookMs = processorWatch();
    expect(select(deep.model.document, Array(40).fill("div").join(" ").concat(" p"))).toMatchObject({
      ok: true,
      elements: [],
    });
    expect(select(deep.model.document, `p ${Array(40).fill("div").join(" ")}`)).toMatchObject({
      ok: false,
      code: "selector_too_costly",
    });
    expect(tookMs()).toBeLessThan(2_000);
  });

  it.each([
    ["radio buttons", `<form>${"<input type=radio name=a required checked>".repeat(25_000)}`],
    [
      "many forms among many siblings",
      `${`<form>${"<input name=x><label>y</label>".repeat(100)}</form>`.repeat(30)}${"<i></i>".repeat(40_000)}`,
    ],
    [
      "a label around everything",
      `<form><label>${"<b></b>".repeat(50_000)}${"<input name=a>".repeat(2_000)}`,
    ],
    ["controls of another place", `<form id=f></form>${"<input form=f name=a>".repeat(40_000)}`],
  ])("do not take for ever: %s", (_, html) => {
    const tookMs = processorWatch();
    const state = stateOf(html);
    expect(plan(state, "read").kind).toBe("done");
    expect(plan(state, "submit", { target: "form" }).kind).toBe("go");
    expect(pageActions(state.page!).length).toBeGreaterThan(0);
    expect(tookMs()).toBeLessThan(8_000);
  });

  it("are never more than invalid", () => {
    const { document } = stateOf("<ul class=a><li id=b>x</li></ul>").page!.model;
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[a-z#.:[\]()~+> *=",^$|]{1,30}$/)),
        (selector) => {
          const found = select(document, selector);
          expect(found.ok || found.code === "invalid_selector" || found.code === "selector_too_costly").toBe(
            true,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("make a plan of some kind, whatever the page and the command are", () => {
    const tags = fc.constantFrom(
      "<a href=x>",
      "<form>",
      "</form>",
      "<input name=a>",
      "<select>",
      "<option>",
      "<button>",
      "<label for=a>",
      "<table>",
      "<tr>",
      "<fieldset disabled>",
      "<legend>",
      "<textarea>",
      "</textarea>",
      "text",
      "<base href='http://[bad'>",
      "<p hidden>",
    );
    const actions = fc.constantFrom<BuiltIn>(
      "read",
      "click",
      "fill",
      "select",
      "check",
      "submit",
      "scroll",
      "wait",
    );
    fc.assert(
      fc.property(
        fc.array(tags, { maxLength: 30 }),
        actions,
        fc.constantFrom("*", "input", "form", "button", "a", "option"),
        fc.string(),
        (parts, action, target, value) => {
          const made = plan(stateOf(parts.join("")), action, { target, value });
          expect(["done", "go", "wait", "denied", "failed"]).toContain(made.kind);
        },
      ),
      { numRuns: 500 },
    );
  });
});
