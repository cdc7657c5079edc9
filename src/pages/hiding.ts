/**
 * What a page hides from people, and what only waits to be asked for: a panel of tabs, a menu, a dialog, a slide, a notice that
 * is not due yet, a label for screen readers. That an element waits is told by its role, by what it calls itself, by a control
 * or a script that names it, or by a state in which a style sheet shows it. A page can lie about it, and gains nothing: its words
 * are then read like words in the open.
 */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import type { Channel } from "./channels.ts";
import { type ComputedStyle, type Concealment, isHidden } from "./computed-style.ts";
import { isRunScript } from "./element.ts";
import { attribute, type Element } from "./parse-html.ts";
import type { StyleSheet } from "./style-sheet.ts";
import { UNDOABLE, type Undoable } from "./undoing.ts";

/** What no visitor sees. Metadata and structured data are shown by those who lead to the page. */
const TO_MACHINES: ReadonlySet<Channel> = new Set(["comment", "data"]);

/** Whether no way of using the page shows a text to anybody, or has it read out. */
export const isHiddenFromPeople = (text: {
  readonly channel: Channel;
  readonly concealment: Concealment | null;
}): boolean => isHidden(text.concealment) || TO_MACHINES.has(text.channel);

const READ_OUT: ReadonlySet<Concealment | null> = new Set(["clipped", "off-screen"]);

/** Parts of a page that wait (WAI-ARIA 1.2 section 5.4). */
const WAITING_ROLE =
  /^(?:tabpanel|dialog|alertdialog|menu|menubar|listbox|tree|tooltip|alert|status|log|progressbar)$/i;
/** What such parts call themselves, by class, id or the name of an attribute. */
const WAITING_NAME =
  /\btabs?\b|tab[-_]?(?:pane|content|panel|body)|panel|\bpane\b|modal|dialog|pop-?up|popover|overlay|lightbox|drawer|off-?canvas|menu|dropdown|flyout|\bnav|accordion|collaps|toggle|expand|\bfaq|answer|slide|carousel|swiper|tooltip|toast|snackbar|notif|alert|banner|cookie|consent|gdpr|load(?:er|ing)|spinner|skeleton|wizard|\bstep|reveal|animate/i;
/** Attributes by which frameworks show and hide (Alpine, Vue, Angular, Livewire). */
const STATE_ATTRIBUTE =
  /^(?:x-(?:show|if|cloak|transition)|v-(?:show|if|cloak)|ng-(?:show|hide|if|cloak)|wire:loading|aria-live)/;
const READ_OUT_NAME = /sr-only|visually-?hidden|screen-?reader|assistive|a11y|accessib|\bskip/i;

const MAX_NAME_CHARS = 400;
const MAX_SCRIPT_CHARS = 256 * 1024;
const MAX_NAMES = 50_000;
/** Shorter words of scripts are names of their own. */
const SCRIPT_NAME = /[A-Za-z_][\w-]{2,63}/g;
const NAME = /[\w-]+/g;

/** Attributes whose values name other elements. */
const NAMING = /^(?:aria-|data-|on|x-|v-|@|:)|^(?:for|list|popovertarget|commandfor)$/;

/** What controls and scripts of a page name, read when it is asked for first. */
export class NamedElements {
  readonly #document: Dom.Document;
  #names: Set<string> | undefined;

  constructor(document: Dom.Document) {
    this.#document = document;
  }

  has(element: Element): boolean {
    const id = attribute(element, "id");
    const classes = attribute(element, "class")?.slice(0, MAX_NAME_CHARS).split(/\s+/) ?? [];
    if (id === undefined && classes.length === 0) return false;
    this.#names ??= namesIn(this.#document);
    return (id !== undefined && this.#names.has(id)) || classes.some((name) => this.#names!.has(name));
  }
}

/** Names in references of controls, in what their events do, and in inline scripts. One walk over the tree. */
function namesIn(document: Dom.Document): Set<string> {
  const names = new Set<string>();
  let left = MAX_SCRIPT_CHARS;
  const addAll = (text: string, pattern: RegExp): void => {
    for (const [name] of text.slice(0, left).matchAll(pattern)) if (names.size < MAX_NAMES) names.add(name);
    left -= text.length;
  };
  const pending: Dom.Node[] = [document];
  for (let node = pending.pop(); node !== undefined && left > 0; node = pending.pop()) {
    if ("attrs" in node)
      for (const { name, value } of node.attrs)
        if (NAMING.test(name) || (name === "href" && value.startsWith("#")))
          addAll(value.slice(0, MAX_NAME_CHARS), NAME);
    if (!("childNodes" in node)) continue;
    if ("tagName" in node && node.tagName === "script") {
      const [code] = node.childNodes;
      if (code && "value" in code && isRunScript(node)) addAll(code.value, SCRIPT_NAME);
    } else for (const child of node.childNodes) pending.push(child);
  }
  return names;
}

/** The style of an element that hides itself: as it is, or as one of what waits, or is read out alone. */
export function whenAsked(
  element: Element,
  style: ComputedStyle,
  sheet: StyleSheet,
  named: NamedElements,
): ComputedStyle {
  const { concealment } = style;
  if (!isUndoable(concealment)) return style;
  if (
    READ_OUT.has(concealment) &&
    READ_OUT_NAME.test(attribute(element, "class")?.slice(0, MAX_NAME_CHARS) ?? "")
  )
    return { ...style, concealment: "read-out" };
  const waits =
    WAITING_ROLE.test(attribute(element, "role")?.trim() ?? "") ||
    element.attrs.some(isOfWaiting) ||
    sheet.isShownOnRequest(element, concealment) ||
    named.has(element);
  return waits ? { ...style, concealment: "on-request" } : style;
}

const isUndoable = (concealment: Concealment | null): concealment is Undoable =>
  (UNDOABLE as readonly (string | null)[]).includes(concealment);

const isOfWaiting = ({ name, value }: Element["attrs"][number]): boolean =>
  name === "class" || name === "id"
    ? WAITING_NAME.test(value.slice(0, MAX_NAME_CHARS))
    : STATE_ATTRIBUTE.test(name) ||
      (name.startsWith("data-") && WAITING_NAME.test(name.slice(0, MAX_NAME_CHARS)));
