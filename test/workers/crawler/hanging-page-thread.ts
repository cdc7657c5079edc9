/** Reads pages as the crawl's threads do, but for those that ask to go wrong: every way to end a thread. */

import { seenPage } from "../../../src/crawl/pages/page.ts";
import { unpackPages } from "../../../src/crawl/pages/page-batch.ts";

const HANGING = /hang the thread|prefer to pay too much/;

export const pages = unpackPages((answer) => {
  const text = Buffer.from(answer.body).toString();
  // The second is said by sites of the kind "dark_pattern" of the synthetic web.
  if (HANGING.test(text)) /^(a+)+$/.test(`${"a".repeat(60)}!`);
  if (text.includes("exhaust the thread")) {
    const kept: number[][] = [];
    for (;;) kept.push(new Array(1_000_000).fill(kept.length));
  }
  if (text.includes("break the task")) throw new Error("a bug");
  return seenPage(answer);
});
