/** Runs our own modules on what was reported: the page as we fetch it, and as it was sent. */
import type { Corroboration, ReportKind } from "../../../schemas/bounty.ts";
import { iso } from "../../../src/ports/time.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import type * as decodedText from "../common/decoded-text.ts";
import { sha256 } from "../common/digest.ts";
import { type FetchPage, observePage } from "../common/observed-page.ts";
import type { Scans } from "../common/scans.ts";
import { judgeAddress, PAGE_MODULES } from "./page-modules.ts";
import { MODULES_OF, type ReportEvidence } from "./rules.ts";

const DECODE = tasksOf<typeof decodedText>(new URL("../common/decoded-text.ts", import.meta.url))("decoded");

export interface ReportedPage {
  url: URL;
  kind: ReportKind;
  html: string | undefined;
  /** Who reported it. */
  caller: Caller;
}

/** What every module of a kind says of the page; the fetched one counts, the sent one is a hint. @param nowMs for the time stamps */
export async function corroborate(
  { url, kind, html, caller }: ReportedPage,
  fetchPage: FetchPage,
  scans: Scans,
  nowMs: number,
  timeoutMs: number,
): Promise<ReportEvidence> {
  const at = iso(nowMs);
  const corroboration: Corroboration[] = [];
  const modules = MODULES_OF[kind];
  const address = modules.includes("address") ? judgeAddress(url) : undefined;
  if (address)
    corroboration.push({
      module: "url-analysis",
      ...address,
      evidence: "address",
      input_sha256: sha256(url.href),
      at,
    });
  /** Whether every module judged it: one that had no time says nothing, not that there is nothing. */
  const judge = async (content: string, evidence: "fetched" | "sent"): Promise<boolean> => {
    const input_sha256 = sha256(content);
    let isWhole = true;
    for (const module of modules) {
      if (module === "address") continue;
      const judgement = await PAGE_MODULES[module](scans, url, content, kind, caller);
      if (judgement) corroboration.push({ module, ...judgement, evidence, input_sha256, at });
      else isWhole = false;
    }
    return isWhole;
  };
  const observed = await observePage({ url: url.href }, fetchPage, timeoutMs);
  const page = observed instanceof Failure ? undefined : observed;
  // What a server answers with an error is not the page that was reported.
  const text = page?.seen === "none" ? undefined : (page?.html ?? page?.text);
  const read = text === undefined ? undefined : await scans.run(DECODE, text, caller);
  const fetched = read instanceof Failure ? undefined : read;
  const isJudged = fetched !== undefined && (await judge(fetched, "fetched"));
  if (html !== undefined) await judge(html, "sent");
  const reason = page?.notObserved[0]?.reason;
  const unread = page?.seen === "part" ? "only its first 2 MiB were read" : undefined;
  const failure = isJudged ? unread : "our modules had no time to read it";
  return {
    corroboration,
    status: page?.status,
    failure: text === undefined ? (reason ?? "no page") : failure,
  };
}
