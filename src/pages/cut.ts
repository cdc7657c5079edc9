/** Takes passages out of a page, so that no door shows them: all doors read the one tree. */
import type { PageModel, Segment } from "./page-model.ts";
import type { Element } from "./parse-html.ts";

/** What stands in the place of an attack. A page that says so of itself is warned of, and gains nothing. */
export const REMOVED = "[removed: instructions to a machine]";

/** A stretch of a text, from its first character to before `to`, and what stands in its place. */
export interface Cut {
  readonly from: number;
  readonly to: number;
  readonly mark: string;
}

/** What is cut of each segment, in order. */
export type Cuts = ReadonlyMap<Segment, readonly Cut[]>;

/** Texts that are sent with a form as they are: what they say, no door shows as the page's text. */
const OF_FORM: ReadonlySet<string> = new Set(["textarea", "select", "option"]);
const MAX_ANCESTORS = 8;
/** Attributes by which a page works. */
const AT_WORK: ReadonlySet<string> = new Set([
  "id",
  "class",
  "style",
  "href",
  "src",
  "name",
  "value",
  "action",
]);

/** The page without these passages. Its tree is changed: what was read of it before still has them. */
export function cutFrom(page: PageModel, cuts: Cuts): PageModel {
  if (cuts.size === 0) return page;
  const segments = page.segments.map((segment) => {
    const own = cuts.get(segment);
    if (!own || isSent(segment)) return segment;
    const text = cutText(segment.text, own);
    if (segment.pieces.length > 0) cutPieces(segment, own);
    else if (segment.channel === "json-ld") rewriteString(segment, text);
    else rewriteAttribute(segment, text);
    return { ...segment, text };
  });
  const title = segments.find(
    (segment, place) => segment.channel === "title" && segment !== page.segments[place],
  );
  return { ...page, source: sourceOf(page, cuts), segments, title: title?.text ?? page.title };
}

/** Of plain text the source is what is shown; of HTML it stays, since findings name places in it. */
const sourceOf = (page: PageModel, cuts: Cuts): string =>
  !isPlainText(page)
    ? page.source
    : cutText(
        page.source,
        [...cuts].flatMap(([{ at }, own]) =>
          own.map((cut) => ({ ...cut, from: at + cut.from, to: at + cut.to })),
        ),
      );

/** Whether it came as plain text: a parsed page has a document in it. */
export const isPlainText = ({ document }: PageModel): boolean => document.childNodes.length === 0;

/** A text without these stretches of it. */
export function cutText(text: string, cuts: readonly Cut[]): string {
  let kept = "";
  let at = 0;
  for (const { from, to, mark } of cuts) {
    if (to <= at) continue;
    kept += text.slice(at, Math.max(at, from)) + mark;
    at = to;
  }
  return kept + text.slice(at);
}

/** Whether a form sends it as it is. */
export function isSent({ channel, element }: Pick<Segment, "channel" | "element">): boolean {
  if (channel === "value") return true;
  let at: Element["parentNode"] = element;
  for (let n = 0; at && "tagName" in at && n < MAX_ANCESTORS; n++) {
    if (OF_FORM.has(at.tagName)) return true;
    at = at.parentNode;
  }
  return false;
}

/** Each text node keeps what is its own, so that links stay where they are. */
function cutPieces({ pieces }: Segment, cuts: readonly Cut[]): void {
  let start = 0;
  for (const piece of pieces) {
    const { length } = piece.value;
    const own = cuts
      .filter(({ from, to }) => from < start + length && to > start)
      .map(({ from, to, mark }) => ({
        from: Math.max(0, from - start),
        to: Math.min(length, to - start),
        mark: from >= start ? mark : "",
      }));
    piece.value = cutText(piece.value, own);
    start += length;
  }
}

function rewriteAttribute({ element, text: before }: Segment, text: string): void {
  for (const attr of element?.attrs ?? [])
    if (!AT_WORK.has(attr.name)) attr.value = attr.value.replace(before, () => text);
}

/** A string of a block of JSON-LD; of one that is written in another manner, the block. */
function rewriteString({ element, text: before }: Segment, text: string): void {
  const [node] = element!.childNodes;
  if (!node || !("value" in node)) return;
  const written = JSON.stringify(before);
  node.value = node.value.includes(written) ? node.value.replaceAll(written, () => JSON.stringify(text)) : "";
}
