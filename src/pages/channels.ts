/** Text channels: how the text of an element or attribute reaches a reader or a machine, by its name. */
import type { Element } from "./parse-html.ts";

/** A text channel: how a piece of text reaches a reader or a machine. */
export type Channel =
  | "text"
  | "title"
  | "comment"
  | "alt"
  | "tooltip"
  | "aria"
  | "meta"
  | "json-ld"
  | "placeholder"
  | "value"
  | "data"
  | "noscript"
  | "fallback"
  | "template"
  | "svg"
  | "srcdoc";

const INLINE = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);
const NOTABLE = new Set(
  "a area base button dialog del embed form h1 h2 h3 h4 h5 h6 iframe img input ins label link meta object option s script select strike textarea time video".split(
    " ",
  ),
);
const NOTABLE_NAME =
  /modal|popup|pop-up|overlay|dialog|interstitial|countdown|timer|cookie|consent|gdpr|banner|sponsor|advert|\bads?\b|price|total|basket|cart/i;
/** Whether an attribute makes its element notable. */
export const isNotable = ({ name, value }: Element["attrs"][number]): boolean =>
  name === "role" || ((name === "class" || name === "id") && NOTABLE_NAME.test(value.slice(0, 400)));

/** Attributes that are read out to people, or by machines. */
const SPOKEN = new Map<string, Channel>(
  Object.entries({
    alt: "alt",
    title: "tooltip",
    "aria-label": "aria",
    "aria-description": "aria",
    "aria-roledescription": "aria",
    "aria-placeholder": "aria",
    "aria-valuetext": "aria",
    placeholder: "placeholder",
    summary: "aria",
    label: "aria",
    srcdoc: "srcdoc",
  }),
);
const NOT_SPOKEN = new Set(["id", "class", "style", "href", "src"]);
/** Elements whose content browsers show only where they cannot show the element, if at all. */
const FALLBACK = "audio canvas datalist embed iframe noembed noframes object video".split(" ");
/** Elements whose content is no text of the page, with the channel that it has. */
const DIM = new Map<string, Channel>([
  ["noscript", "noscript"],
  ["template", "template"],
  ["title", "title"],
  ...FALLBACK.map((name) => [name, "fallback"] as const),
]);

const NO_TEXT: ReadonlySet<string> = new Set(["head", "script", "style"]);

/** What an element's name says of it. */
export interface ElementKind {
  readonly isInline: boolean;
  readonly isNotable: boolean;
  readonly dim: Channel | undefined;
}
const ORDINARY: ElementKind = { isInline: false, isNotable: false, dim: undefined };
const KINDS = new Map<string, ElementKind>(
  [...INLINE, ...NOTABLE, ...DIM.keys()].map((name) => [
    name,
    { isInline: INLINE.has(name), isNotable: NOTABLE.has(name), dim: DIM.get(name) },
  ]),
);

/** Whether an element parts no words on its two sides. */
export const isInline = (tagName: string): boolean => INLINE.has(tagName);

/** All that its name says of an element, in one lookup. */
export const kindOf = (tagName: string): ElementKind => KINDS.get(tagName) ?? ORDINARY;
/** Whether what an element of HTML holds is text of the page. */
export const isTextOf = (tagName: string): boolean => !NO_TEXT.has(tagName) && !DIM.has(tagName);

/** The channel of an attribute's value, if it has one. */
export function channelOf({ name, value }: Element["attrs"][number]): Channel | undefined {
  if (value.length < 3 || NOT_SPOKEN.has(name)) return undefined;
  return SPOKEN.get(name) ?? (name.startsWith("data-") && value.length >= 16 ? "data" : undefined);
}
