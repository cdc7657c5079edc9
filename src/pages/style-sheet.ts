/** The rules of a page's own style sheets that can hide an element, ready to be asked for one element. */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { type Declaration, readDeclarationList, readSheet, type SheetReader } from "./css-scanner.ts";
import { generatedText, MAX_CONTENT_CHARS } from "./generated-text.ts";
import { mediaHolds } from "./media-query.ts";
import { attribute } from "./parse-html.ts";
import { mayUndo, type Undoable, undoes } from "./undoing.ts";

/** Declarations by property, lower case, values as written; those that computed styles depend on. */
export type Declarations = Readonly<Record<string, string>>;

interface Compound {
  tag: string | undefined;
  id: string | undefined;
  classes: string[];
  attributes: { name: string; value: string | undefined }[];
}

interface Rule {
  /** From right to left; `child` says that the next one must be the parent, not any ancestor. */
  steps: { compound: Compound; child: boolean }[];
  specificity: number;
  /** Of its cascade layer: later ones win, and what is in none wins over all (CSS Cascade 5 section 6.4). */
  layer: number;
  order: number;
  declarations: Declarations;
}

const PROPERTIES = new Set(
  "display visibility opacity font-size color background background-color background-image position left top right bottom text-indent margin margin-left margin-top clip clip-path transform width height max-width max-height overflow overflow-x overflow-y content-visibility z-index font-weight text-decoration pointer-events filter line-height font content background-clip -webkit-background-clip transition transition-property animation animation-name".split(
    " ",
  ),
);

/** Rules and at-rules in one another that are read. */
const MAX_DEPTH = 8;
/** UTF-16 units of a rule's selectors; and of all selectors of a sheet, which multiply where rules nest. */
const MAX_PRELUDE_CHARS = 4_000;
const MAX_SELECTOR_CHARS = 1024 * 1024;
const MAX_LAYERS = 1_000;
const MAX_SHEET_CHARS = 256 * 1024;
const MAX_RULES = 4_000;
/** Steps of one selector, and rules that one class, id or tag name may lead to: both multiply with the elements. */
const MAX_STEPS = 6;
/** Names and attributes that one step asks for: they multiply with the elements, too. */
const MAX_PARTS = 16;
const MAX_RULES_PER_KEY = 64;
const MAX_INLINE_CHARS = 4_096;

const PART = /([#.]?)(-?[A-Za-z_][\w-]*)|\[\s*([\w-]+)\s*(?:=\s*(?:["']|(?!\s))([^"'\]]*)(?:["']\s*)?)?\]/gy;

const specificityOf = (steps: Rule["steps"]): number =>
  steps.reduce(
    (sum, { compound }) =>
      sum +
      (compound.id ? 10_000 : 0) +
      100 * (compound.classes.length + compound.attributes.length) +
      (compound.tag ? 1 : 0),
    0,
  );

/** What a selector for a pseudo-element that says something ends with; one colon is the old way (Selectors 4 section 3.7). */
const GENERATING = /::?(before|after|marker)\s*$/i;
const MAX_VARIABLES = 1_000;
const MAX_UNPLACED = 100;

const NO_CLASSES: ReadonlySet<string> = new Set();
const MAX_CLASS_CHARS = 2_000;

/** Ancestors that one descendant step checks. */
const MAX_ANCESTORS = 64;
/** Compound selectors that are held against elements, over a whole page: rules multiply with elements. */
const MAX_COMPARISONS = 500_000;
/** Attributes of an element that are searched at the price of one comparison. */
const ATTRIBUTES_PER_COMPARISON = 32;

const parentOf = (element: Dom.Element): Dom.Element | undefined =>
  element.parentNode && "tagName" in element.parentNode ? element.parentNode : undefined;

/** Holds elements against selectors, until it was asked too often. */
class Matcher {
  /** By class attribute: a page has few of them, many times; never more than the page is long. */
  readonly #classes = new Map<string, ReadonlySet<string>>();
  left = MAX_COMPARISONS;

  /** The nearest ancestor that matches is taken: a page that needs another one to match is read as not matching. */
  matches(element: Dom.Element, { steps }: Rule): boolean {
    if (!this.#compound(element, steps[0]!.compound)) return false;
    let at = element;
    for (let i = 1; i < steps.length; i++) {
      const { compound } = steps[i]!;
      let next = parentOf(at);
      if (!steps[i - 1]!.child)
        for (let n = 0; next && n < MAX_ANCESTORS && !this.#compound(next, compound); n++)
          next = parentOf(next);
      if (!next || !this.#compound(next, compound)) return false;
      at = next;
    }
    return true;
  }

  #compound(element: Dom.Element, { tag, id, classes, attributes }: Compound): boolean {
    this.left -= 1 + Math.floor(element.attrs.length / ATTRIBUTES_PER_COMPARISON);
    if (this.left < 0) return false;
    if (tag !== undefined && element.tagName !== tag) return false;
    if (id !== undefined && attribute(element, "id") !== id) return false;
    if (classes.length > 0) {
      const value = attribute(element, "class");
      const own = value ? this.classesOf(value) : NO_CLASSES;
      for (const name of classes) if (!own.has(name)) return false;
    }
    for (const { name, value } of attributes) {
      const own = attribute(element, name);
      if (own === undefined || (value !== undefined && own !== value)) return false;
    }
    return true;
  }

  /** The names in a class attribute. */
  classesOf(value: string): ReadonlySet<string> {
    let classes = this.#classes.get(value);
    if (!classes) {
      classes = new Set(value.slice(0, MAX_CLASS_CHARS).trim().split(/\s+/));
      this.#classes.set(value, classes);
    }
    return classes;
  }
}

/** Where a rule stands: the selectors of the rule around it, its layer, and how deep that is. */
interface Context {
  readonly selectors: string | undefined;
  readonly layer: string;
  readonly depth: number;
  /** It holds for other screens, or for paper. */
  readonly isElsewhere: boolean;
}

/** What visitors do to an element (Selectors 4 sections 7.2, 9 and 11.1). */
const ASKED = /:(?:hover|focus(?:-within|-visible)?|active|target)\b/gi;
/** Pseudo-classes, and what the last compound of a selector stands below or beside. */
const PSEUDO_CLASSES = /:[a-z-]+(?:\([^()]*\))?/gi;
const BEFORE_LAST = /^.*[\s>+~]/s;
/** Classes of one compound that may be a state of it. */
const MAX_STATES = 4;

const byLayer = (a: Rule, b: Rule): number => (a.layer === b.layer ? 0 : a.layer < b.layer ? -1 : 1);

export class StyleSheet {
  /** Rules by what an element must have for their last step: an id, else a class, else a tag name ("*" for none). */
  readonly #byId = new Map<string, Rule[]>();
  readonly #byClass = new Map<string, Rule[]>();
  readonly #byTag = new Map<string, Rule[]>();
  readonly #cascades = new Map<string, Declarations>();
  readonly #matcher = new Matcher();
  readonly #layers = new Map<string, number>();
  #rules = 0;
  #chars = 0;
  #selectorChars = 0;
  /** Rules of pseudo-elements by their names, for the elements that they belong to. */
  readonly #generating = new Map<string, StyleSheet>();
  /** Rules for states of elements (pointed at, open, on another screen), without saying so. */
  #asked: StyleSheet | undefined;
  /** Declarations of pseudo-elements whose elements cannot be told. */
  readonly unplaced: Declarations[] = [];
  readonly #variables = new Map<string, string>();
  /** Of declarations that say the same for every element. */
  readonly #texts = new Map<Declarations, string>();
  /** Something of the style sheets was not read: imports, selectors that need a browser, or too much of it. */
  incomplete = false;

  /** Whether some elements were not held against the rules: there were too many of both. */
  get exhausted(): boolean {
    return this.#matcher.left < 0;
  }

  get isEmpty(): boolean {
    return this.#rules === 0;
  }

  add(css: string): void {
    const room = MAX_SHEET_CHARS - this.#chars;
    this.#chars += css.length;
    if (css.length > room) this.incomplete = true;
    if (room <= 0) return;
    readSheet(
      css.slice(0, room),
      this.#reader({ selectors: undefined, layer: "", depth: 0, isElsewhere: false }),
    );
  }

  #reader(context: Context): SheetReader {
    const { selectors, layer, depth, isElsewhere } = context;
    const inside = (more: Partial<Context>): SheetReader | undefined => {
      if (depth < MAX_DEPTH) return this.#reader({ ...context, ...more, depth: depth + 1 });
      this.incomplete = true;
      return undefined;
    };
    return {
      declarations: (list) => {
        for (const { property, value } of list)
          if (property.startsWith("--") && !isElsewhere && this.#variables.size < MAX_VARIABLES)
            this.#variables.set(property, value.slice(0, MAX_CONTENT_CHARS));
        const declarations = readDeclarations(list, this.#rules);
        if (!declarations || selectors === undefined) return;
        const place = this.#layers.get(layer) ?? Number.POSITIVE_INFINITY;
        if (!isElsewhere) this.#addRule(selectors, declarations, place);
        else if (mayUndo(declarations))
          for (const selector of selectors.slice(0, MAX_PRELUDE_CHARS).split(","))
            this.#addState(readSelector(selector), declarations, place);
      },
      rule: (prelude) => {
        const room = MAX_SELECTOR_CHARS - this.#selectorChars;
        const own = room <= 0 ? "" : selectors === undefined ? prelude : nestedSelectors(selectors, prelude);
        this.#selectorChars += own.length;
        if (room <= 0) this.incomplete = true;
        return own === "" ? undefined : inside({ selectors: own });
      },
      atRule: (name, prelude) => {
        if (name === "import") this.incomplete = true;
        if (name === "layer") return inside({ layer: this.#layer(layer, prelude) });
        if (!CONDITIONS.has(name)) return undefined;
        return inside({ isElsewhere: isElsewhere || !isMet(name, prelude) });
      },
    };
  }

  /** The layer that a block is in; each layer's place is where it is first named. One without a name is a layer of its own. */
  #layer(outer: string, prelude: string): string {
    let name = "";
    for (const part of (prelude || ` ${this.#layers.size}`).split(",")) {
      name = `${outer}.${part.trim() || part}`;
      if (!this.#layers.has(name) && this.#layers.size < MAX_LAYERS)
        this.#layers.set(name, this.#layers.size);
    }
    return name;
  }

  get generates(): boolean {
    return this.#generating.size > 0;
  }

  /** What the pseudo-elements of this element that have content are given. */
  *generating(element: Dom.Element): Generator<Declarations> {
    for (const sheet of this.#generating.values()) {
      const own = sheet.matching(element);
      if (own?.content !== undefined) yield own;
    }
  }

  /**
   * What such declarations say.
   * @param element null where it cannot be told
   * @returns `isOwn`: other elements may say something else by the same declarations
   */
  textOf(declarations: Declarations, element: Dom.Element | null): { text: string; isOwn: boolean } {
    const known = this.#texts.get(declarations);
    if (known !== undefined) return { text: known, isOwn: false };
    let isOwn = false;
    const text = generatedText(declarations.content ?? "", {
      attribute: (name) => {
        isOwn = true;
        return element ? attribute(element, name) : undefined;
      },
      variable: (name) => this.#variables.get(name),
    });
    if (!isOwn) this.#texts.set(declarations, text);
    return { text, isOwn };
  }

  /** Whether another state of the page, or of the element, undoes what conceals it: menus open when they are pointed at. */
  isShownOnRequest(element: Dom.Element, concealment: Undoable): boolean {
    const asked = this.#asked?.matching(element);
    return asked !== undefined && undoes(asked, concealment);
  }

  /** What applies to this element, the most specific last; inline style is not among it. */
  matching(element: Dom.Element): Declarations | undefined {
    if (this.#rules === 0) return undefined;
    let found = this.#add(undefined, element, this.#byTag.get(element.tagName));
    found = this.#add(found, element, this.#byTag.get("*"));
    for (const { name, value } of element.attrs) {
      if (name === "id") found = this.#add(found, element, this.#byId.get(value));
      else if (name === "class" && this.#byClass.size > 0)
        for (const one of this.#matcher.classesOf(value))
          found = this.#add(found, element, this.#byClass.get(one));
    }
    if (!found) return undefined;
    return found.length === 1 ? found[0]!.declarations : this.#together(found);
  }

  #add(
    found: Rule[] | undefined,
    element: Dom.Element,
    rules: readonly Rule[] | undefined,
  ): Rule[] | undefined {
    if (!rules) return found;
    let all = found;
    for (const rule of rules)
      if (this.#matcher.matches(element, rule)) {
        all ??= [];
        all.push(rule);
      }
    return all;
  }

  /** What several rules say together: one object for all elements that the same rules are for. */
  #together(rules: Rule[]): Declarations {
    rules.sort((a, b) => byLayer(a, b) || a.specificity - b.specificity || a.order - b.order);
    const key = rules.map(({ order }) => order).join();
    let all = this.#cascades.get(key);
    if (!all) {
      all = rules.reduce<Declarations>((before, { declarations }) => cascade(before, declarations), {});
      if (this.#cascades.size < MAX_RULES) this.#cascades.set(key, all);
    }
    return all;
  }

  #addRule(prelude: string, declarations: Declarations, layer: number): void {
    const hasStates = mayUndo(declarations);
    for (const selector of prelude.slice(0, MAX_PRELUDE_CHARS).split(",")) {
      const pseudo = GENERATING.exec(selector);
      if (pseudo) {
        this.#addGenerating(pseudo[1]!.toLowerCase(), selector.slice(0, pseudo.index), declarations, layer);
        continue;
      }
      if (hasStates) this.#addStates(selector, declarations, layer);
      const steps = readSelector(selector);
      if (steps) this.#addSteps(steps, declarations, layer);
      else this.incomplete = true;
    }
  }

  #addSteps(steps: Rule["steps"], declarations: Declarations, layer: number): void {
    const { id, classes, tag } = steps[0]!.compound;
    const [rules, key] =
      id !== undefined
        ? [this.#byId, id]
        : classes.length > 0
          ? [this.#byClass, classes[0]!]
          : [this.#byTag, tag ?? "*"];
    const known = rules.get(key) ?? [];
    if (this.#rules >= MAX_RULES || known.length >= MAX_RULES_PER_KEY) {
      this.incomplete = true;
      return;
    }
    known.push({ steps, specificity: specificityOf(steps), layer, order: this.#rules++, declarations });
    rules.set(key, known);
  }

  /** A rule for what is pointed at; and for an element that has one class more, or stands below or beside another. */
  #addStates(selector: string, declarations: Declarations, layer: number): void {
    const asked = selector.replace(ASKED, "");
    if (asked !== selector) this.#addState(readSelector(asked), declarations, layer);
    const plain = selector.trim().replace(PSEUDO_CLASSES, "").trim();
    const last = plain.replace(BEFORE_LAST, "");
    const compound = /[:*|]/.test(last) ? undefined : readCompound(last);
    if (!compound) return;
    const { id, classes, attributes } = compound;
    const isOther = last !== selector.trim();
    const states: Compound[] = [];
    if (isOther && (id !== undefined || classes.length > 0)) states.push(compound);
    if (id !== undefined || classes.length > 1)
      for (const name of classes.slice(0, MAX_STATES))
        states.push({ ...compound, classes: classes.filter((each) => each !== name) });
    if (attributes.length > 0 && (id !== undefined || classes.length > 0))
      states.push({ ...compound, attributes: [] });
    for (const state of states) this.#addState([{ compound: state, child: false }], declarations, layer);
  }

  #addState(steps: Rule["steps"] | undefined, declarations: Declarations, layer: number): void {
    if (!steps) return;
    this.#asked ??= new StyleSheet();
    this.#asked.#addSteps(steps, declarations, layer);
  }

  /** Of whatever element it is, or of elements that only a browser can tell, it is kept by itself. */
  #addGenerating(name: string, selector: string, declarations: Declarations, layer: number): void {
    const isPlaced = /[^\s>*]$/.test(selector) && readSelector(selector.trim()) !== undefined;
    if (isPlaced) {
      const sheet = this.#generating.get(name) ?? new StyleSheet();
      this.#generating.set(name, sheet);
      sheet.#addRule(selector, declarations, layer);
    } else if (declarations.content === undefined) return;
    else if (this.unplaced.length < MAX_UNPLACED) this.unplaced.push(declarations);
    else this.incomplete = true;
  }
}

const PLAIN_DECLARATION = /^\s*[a-z-]+\s*:[#\w.%\s-]+$/i;
const MAX_PLAIN_CHARS = 400;

/** Splits a selector into its steps; undefined for anything that depends on more than the tree (`:hover`, `+`). */
export function readSelector(selector: string): Rule["steps"] | undefined {
  if (/[+~:*|\\"']/.test(withoutAttributes(selector))) return undefined;
  const parts = selector
    .split(">")
    .map((step) => step.trim())
    .join(" >")
    .trim()
    .split(/\s+/);
  if (parts.length > MAX_STEPS) return undefined;
  const steps: Rule["steps"] = [];
  for (const part of parts.reverse()) {
    const child = part.startsWith(">");
    const compound = readCompound(child ? part.slice(1) : part);
    if (!compound) return undefined;
    steps.push({ compound, child });
  }
  return steps;
}

/** A selector without what stands in square brackets; a bracket that nothing closes stays. */
function withoutAttributes(selector: string): string {
  let kept = "";
  let at = 0;
  for (let open = selector.indexOf("["); open !== -1; open = selector.indexOf("[", at)) {
    const close = selector.indexOf("]", open);
    if (close === -1) break;
    kept += selector.slice(at, open);
    at = close + 1;
  }
  return kept + selector.slice(at);
}

function readCompound(text: string): Compound | undefined {
  const compound: Compound = { tag: undefined, id: undefined, classes: [], attributes: [] };
  PART.lastIndex = 0;
  let end = 0;
  let parts = 0;
  for (let part = PART.exec(text); part; part = PART.exec(text)) {
    if (++parts > MAX_PARTS) return undefined;
    const [, sign, name, attributeName, value] = part;
    if (attributeName !== undefined) compound.attributes.push({ name: attributeName.toLowerCase(), value });
    else if (sign === "#") compound.id = name;
    else if (sign === ".") compound.classes.push(name!);
    else compound.tag = name!.toLowerCase();
    end = PART.lastIndex;
  }
  return end === text.length && text !== "" ? compound : undefined;
}

/** Later declarations win, unless an earlier one is important. */
export function cascade(earlier: Declarations, later: Declarations): Declarations {
  const all: Record<string, string> = { ...earlier };
  for (const [property, value] of Object.entries(later))
    if (earlier[`!${property}`] === undefined || later[`!${property}`] !== undefined) all[property] = value;
  return all;
}

/** An inline style's declarations. */
export function readInlineStyle(style: string): Declarations | undefined {
  const text = style.slice(0, MAX_INLINE_CHARS);
  if (text.length < MAX_PLAIN_CHARS && isPlain(text)) return readPlainStyle(text);
  return readDeclarations(readDeclarationList(text), 1);
}

/** Declarations with neither brackets nor quotes, the last of which may be empty. */
export function isPlain(text: string): boolean {
  const declarations = text.split(";");
  if (declarations.at(-1)!.trim() === "") declarations.pop();
  return declarations.every((declaration) => PLAIN_DECLARATION.test(declaration));
}

/** The common case, declarations with neither brackets nor quotes, without a parser. */
function readPlainStyle(text: string): Declarations | undefined {
  let found: Record<string, string> | undefined;
  for (const declaration of text.split(";")) {
    const colon = declaration.indexOf(":");
    const property = declaration.slice(0, colon).trim().toLowerCase();
    if (colon < 0 || !PROPERTIES.has(property)) continue;
    found ??= {};
    found[property] = declaration
      .slice(colon + 1)
      .trim()
      .toLowerCase();
  }
  return found;
}

function readDeclarations(list: readonly Declaration[], own: number): Declarations | undefined {
  let found: Record<string, string> | undefined;
  for (const { property: name, value, isImportant } of list) {
    const property = name.toLowerCase();
    if (!PROPERTIES.has(property)) continue;
    found ??= {};
    found[property] =
      property === "content" ? value.slice(0, MAX_CONTENT_CHARS) : value.toLowerCase().slice(0, 200);
    if (isImportant) found[`!${property}`] = String(own);
  }
  return found;
}

/** Selectors of a rule that nests in another (CSS Nesting 1 section 3), `&` in words; at most about 4,000 units of them. */
function nestedSelectors(outer: string, inner: string): string {
  let selectors = "";
  for (const part of inner.split(","))
    for (const parent of outer.split(",")) {
      const around = parent.trim();
      const one = part.includes("&") ? part.replaceAll("&", around) : `${around} ${part.trim()}`;
      selectors += selectors === "" ? one : `,${one}`;
      if (selectors.length > MAX_PRELUDE_CHARS) return selectors;
    }
  return selectors;
}

const CONDITIONS: ReadonlySet<string> = new Set(["media", "supports", "container"]);

/** Conditions of at-rules that a reader's browser meets. Of a container nobody knows how wide it is: as wide as the screen. */
function isMet(name: string, prelude: string): boolean {
  if (name === "media") return mediaHolds(prelude);
  if (name === "supports") return !prelude.toLowerCase().startsWith("not");
  return mediaHolds(prelude.slice(prelude.indexOf("(")));
}
