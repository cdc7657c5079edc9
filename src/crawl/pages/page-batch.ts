/**
 * Several small pages in one message to a thread and one back: waking a thread costs as much as reading a page. Their
 * bytes lie in one buffer, which is handed over and not copied.
 */
import type { PageAnswer, SeenPage } from "./seen-page.ts";

export interface PageBatch {
  bodies: Uint8Array<ArrayBuffer>;
  pages: (Omit<PageAnswer, "body"> & { bytes: number })[];
}

/** In the order of the batch. A message is a bug of ours, by one page alone. */
export type PageBatchReply = ({ ok: true; page: SeenPage } | { ok: false; message: string })[];

export function packPages(answers: readonly PageAnswer[]): PageBatch {
  const bodies = new Uint8Array(answers.reduce((sum, { body }) => sum + body.length, 0));
  let at = 0;
  const pages = answers.map(({ body, ...rest }) => {
    bodies.set(body, at);
    at += body.length;
    return { ...rest, bytes: body.length };
  });
  return { bodies, pages };
}

/** The task of a thread: reads each page of a batch. */
export const unpackPages =
  (read: (answer: PageAnswer) => SeenPage) =>
  ({ bodies, pages }: PageBatch): PageBatchReply => {
    let at = 0;
    return pages.map(({ bytes, ...rest }) => {
      const body = bodies.subarray(at, at + bytes);
      at += bytes;
      try {
        return { ok: true, page: read({ ...rest, body }) };
      } catch (error) {
        return {
          ok: false,
          message: error instanceof Error ? (error.stack ?? error.message) : String(error),
        };
      }
    });
  };
