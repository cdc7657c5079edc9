/** The computed style of an element, as far as its page says: what conceals its text, the size, which colors. */
import { type Color, contrast, parseColor } from "./color.ts";
import { pixels } from "./length.ts";
import { cascade, type Declarations } from "./style-sheet.ts";

/**
 * Ways to keep text from a reader. Hidden until they are asked for are dialogs, menus, panels of tabs and whatever a control or
 * a script shows (`on-request`), and what `details` and accordions fold away (`folded`); what fades in when it is scrolled to is
 * `animated`, what only screen readers say is `read-out`. The others have few honest uses for whole sentences.
 */
export const CONCEALMENTS = [
  "display-none",
  "visibility-hidden",
  "hidden-attribute",
  "transparent",
  "tiny",
  "off-screen",
  "clipped",
  "same-colour",
  "on-request",
  "folded",
  "animated",
  "read-out",
] as const;
export type Concealment = (typeof CONCEALMENTS)[number];

/** What of an element's style decides whether and how its text is read. */
export interface ComputedStyle {
  readonly concealment: Concealment | null;
  readonly fontPx: number;
  readonly bold: boolean;
  readonly color: Color;
  /** Null when it cannot be known: an image, a gradient, a variable. */
  readonly background: Color | null;
  readonly opacity: number;
  readonly fixed: boolean;
}

export const ROOT_STYLE: ComputedStyle = {
  concealment: null,
  fontPx: 16,
  bold: false,
  color: [0, 0, 0, 1],
  background: [255, 255, 255, 1],
  opacity: 1,
  fixed: false,
};

/** Text smaller than this cannot be read. */
const TINY_PX = 3;
const FAINT = 0.06;
const FAR_PX = -400;
/** Below this contrast, text cannot be told from its background. */
const SAME_CONTRAST = 1.12;

const FONT_SIZES = new Map<string, number>(
  Object.entries({
    "xx-small": 9,
    "x-small": 10,
    small: 13,
    medium: 16,
    large: 18,
    "x-large": 24,
    "xx-large": 32,
  }),
);

/**
 * Whether a text is one that readers see: the one answer for every door. What is folded away is, since half of a page of
 * questions and answers is; and what fades in.
 */
export const isShown = (concealment: Concealment | null): boolean =>
  concealment === null || concealment === "folded" || concealment === "animated";

/** Whether using the page shows it: hidden until it is asked for is no sign of an attack. */
export const isOnRequest = (concealment: Concealment | null): boolean =>
  concealment === "on-request" || concealment === "folded";

/** Whether no way of using the page shows it, or has it read out. */
export const isHidden = (concealment: Concealment | null): boolean =>
  !isShown(concealment) && concealment !== "on-request" && concealment !== "read-out";

/** A translation by a thousand pixels, or a hundred per cent, to the left or upwards. */
export const isTranslatedFar = (transform: string): boolean =>
  transform.split(")").some((call) => {
    const name = /translate(?:x|y|3d)?\(/.exec(call);
    return (
      name !== null && /-\s*(?:\d{4}|[1-9]\d{2,}(?:vw|vh|%))/.test(call.slice(name.index + name[0].length))
    );
  });

/**
 * The style of an element from its parent's and its own declarations. A parent's concealment holds for its children, save
 * that `visibility: visible` and a readable size or color of their own undo what is inherited of those.
 */
export function computedStyle(
  parent: ComputedStyle,
  sheet: Declarations | undefined,
  inline: Declarations | undefined,
): ComputedStyle {
  const declared = sheet && inline ? cascade(sheet, inline) : (inline ?? sheet);
  if (!declared) return parent;
  const size = fontPx(declared, parent.fontPx);
  const background = backgroundOf(declared, parent.background);
  const color = colorOf(declared, parent.color);
  const own = opacityOf(declared);
  const fadesIn = own <= FAINT && isMoved(declared);
  const opacity = fadesIn ? parent.opacity : parent.opacity * own;
  const next: ComputedStyle = {
    concealment: null,
    fontPx: size,
    bold: declared["font-weight"] === undefined ? parent.bold : /bold|[6-9]00/.test(declared["font-weight"]),
    color,
    background,
    opacity,
    fixed: parent.fixed || declared.position === "fixed",
  };
  return { ...next, concealment: concealmentOf(parent, declared, next) ?? (fadesIn ? "animated" : null) };
}

/** Letters that their background is painted in (CSS Backgrounds 4 section 2.5) are seen, of whatever color they are. */
function colorOf(style: Declarations, parent: Color): Color {
  const isPainted = /text/.test(style["background-clip"] ?? style["-webkit-background-clip"] ?? "");
  const own = style.color ? parseColor(style.color) : undefined;
  return own && !(isPainted && own[3] <= FAINT) ? own : parent;
}

function fontPx(style: Declarations, parent: number): number {
  const value =
    style["font-size"] ?? /(?:^|\s)((?:\d+(?:\.\d+)?|\.\d+)(?:px|em|rem|pt|%))/.exec(style.font ?? "")?.[1];
  if (value === undefined) return parent;
  return FONT_SIZES.get(value) ?? pixels(value, parent, parent) ?? (/^0(\D|$)/.test(value) ? 0 : parent);
}

function backgroundOf(style: Declarations, parent: Color | null): Color | null {
  const image = style["background-image"];
  if (image !== undefined && image !== "none") return null;
  const value = style["background-color"] ?? style.background;
  if (value === undefined || value === "none" || value === "inherit") return parent;
  const color = parseColor(value) ?? parseColor(value.split(/\s+/)[0]!);
  if (!color) return null;
  return color[3] === 0 ? parent : color[3] < 1 ? null : color;
}

function opacityOf(style: Declarations): number {
  const text = style.opacity ?? /opacity\(\s*([\d.]+%?)/.exec(style.filter ?? "")?.[1];
  const value = Number.parseFloat(text ?? "1");
  if (Number.isNaN(value)) return 1;
  return text?.endsWith("%") ? value / 100 : value;
}

/** Whether the page says that it changes how the element looks: an accordion opens, a section fades in. */
const isMoved = (style: Declarations): boolean =>
  ["transition", "transition-property", "animation", "animation-name"].some(
    (name) => style[name] !== undefined && style[name] !== "none",
  );

function concealmentOf(parent: ComputedStyle, style: Declarations, next: ComputedStyle): Concealment | null {
  const inherited = parent.concealment;
  if (inherited === "display-none" || inherited === "hidden-attribute") return inherited;
  // Whatever shows what is around it, nobody can read it.
  if (inherited === "on-request" || inherited === "read-out") return unreadable(next) ?? inherited;
  if (style.display === "none" || style["content-visibility"] === "hidden") return "display-none";
  if (inherited === "off-screen" || inherited === "clipped") return inherited;
  if (/hidden|collapse/.test(style.visibility ?? "")) return "visibility-hidden";
  if (inherited === "visibility-hidden" && style.visibility !== "visible") return inherited;
  if (next.opacity <= FAINT || next.color[3] <= FAINT) return "transparent";
  if (isFar(style, next.fontPx)) return "off-screen";
  if (isClipped(style, next.fontPx)) return isMoved(style) ? "folded" : "clipped";
  return unreadable(next) ?? (inherited === "folded" || inherited === "animated" ? inherited : null);
}

function unreadable({ fontPx: size, color, background }: ComputedStyle): Concealment | null {
  if (size < TINY_PX) return "tiny";
  return sameColor(color, background) ? "same-colour" : null;
}

function isFar(style: Declarations, em: number): boolean {
  const indent = pixels(style["text-indent"], em);
  if (indent !== undefined && indent <= FAR_PX) return true;
  const margins = [style["margin-left"], style["margin-top"], ...(style.margin ?? "").split(/\s+/)];
  if (margins.some((margin) => (pixels(margin, em) ?? 0) <= FAR_PX * 2)) return true;
  if (isTranslatedFar(style.transform ?? "")) return true;
  if (!/absolute|fixed|relative/.test(style.position ?? "")) return false;
  const placed = [style.left, style.top, style.right, style.bottom].map((value) => pixels(value, em));
  return placed.some((value) => value !== undefined && (value <= FAR_PX || value >= 5_000));
}

function isClipped(style: Declarations, em: number): boolean {
  if (/rect\(\s*(?:0|1px)/.test(style.clip ?? "") && /absolute|fixed/.test(style.position ?? "")) return true;
  if (/inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*0/.test(style["clip-path"] ?? "")) return true;
  if (/scale(?:x|y|3d)?\(\s*0(?:\.0\d*)?\s*[,)]/.test(style.transform ?? "")) return true;
  if (!/hidden|clip/.test(`${style.overflow ?? ""}${style["overflow-x"] ?? ""}${style["overflow-y"] ?? ""}`))
    return false;
  const sizes = [style.width, style.height, style["max-width"], style["max-height"]];
  return sizes.some((value) => {
    const px = pixels(value, em);
    return px !== undefined && px <= 1;
  });
}

const sameColor = (color: Color, background: Color | null): boolean =>
  background !== null && contrast(color, background) < SAME_CONTRAST;
