/** Plain text, as the modules' rules read it. */
import { defaultTreeAdapter } from "parse5";
import { MAX_SEGMENT_CHARS, MAX_SEGMENTS, type PageModel, type Segment } from "../pages/page-model.ts";

/** Plain text as a page: its paragraphs are the segments. */
export function readTextModel(text: string): PageModel {
  const segments: Segment[] = [];
  const from = { channel: "text", concealment: null, element: null, pieces: [] } as const;
  let at = 0;
  for (const paragraph of text.split(/(\r?\n[ \t]*\r?\n)/)) {
    // Asked once: a paragraph has many segments.
    const says = /\S/.test(paragraph);
    for (
      let start = 0;
      says && start < paragraph.length && segments.length < MAX_SEGMENTS;
      start += MAX_SEGMENT_CHARS
    )
      segments.push({ ...from, text: paragraph.slice(start, start + MAX_SEGMENT_CHARS), at: at + start });
    at += paragraph.length;
  }
  return {
    source: text,
    document: defaultTreeAdapter.createDocument(),
    segments,
    elements: [],
    styles: new Map(),
    idCounts: new Map(),
    baseHref: null,
    title: null,
    language: null,
    externalStyles: 0,
    stylesIncomplete: false,
    complete: segments.length < MAX_SEGMENTS,
  };
}
