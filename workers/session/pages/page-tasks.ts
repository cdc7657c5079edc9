/**
 * What a thread does with sessions' pages: parses them once, keeps those of the sessions that act just now, and decides
 * what a command means on them. Inputs and results are structured-cloneable; but for the pages it keeps, it is pure.
 */
import { LRUCache } from "lru-cache";
import type { Action } from "../../../schemas/action.ts";
import type { SitePermission } from "../../../schemas/license.ts";
import type { PageInfo } from "../../../schemas/page-info.ts";
import { planCommand, planNamed } from "../../../src/browser/commands.ts";
import type { FormState } from "../../../src/browser/controls.ts";
import { describeLoadedPage } from "../../../src/browser/describe.ts";
import type { BrowserPage } from "../../../src/browser/page.ts";
import { type PageAction, pageActions } from "../../../src/browser/page-actions.ts";
import { pageInfoOf } from "../../../src/browser/page-info.ts";
import type { PageReply } from "../../../src/browser/page-source.ts";
import { type Command, isBuiltIn } from "../../../src/browser/plan.ts";
import { pageSource } from "../../../src/browser/read-source.ts";
import { readScreened } from "./screened-page.ts";
import { type SentPlan, sentPlan } from "./sent-plan.ts";
import { boundedSource, packSource, unpackSource } from "./stored-source.ts";

/** Parsed pages kept in memory, by an estimate of their size: some hundred, of the sessions that act just now. */
const MAX_PARSED_BYTES = 4 * 1024 * 1024;
const ELEMENT_BYTES = 600;
const SEGMENT_BYTES = 200;

/** A page that the thread may have; with its bytes, when it said that it has not. */
export interface PageRef {
  pageId: string;
  bytes?: Uint8Array;
}
/** A result, or that the job must come again with the page's bytes. */
export type OfPage<T> = { missing: true } | { missing: false; value: T };

export interface LoadJob {
  pageId: string;
  reply: PageReply;
}
export interface StoredPage {
  /** The page as every worker reads it again. */
  bytes: Uint8Array;
  /** What a reply tells of it. */
  shown: ReturnType<typeof describeLoadedPage>;
}

export interface PlanJob {
  page: PageRef | undefined;
  /** Address of the page as the session has it: a click may have given it another fragment. */
  url: string | undefined;
  home: string;
  fields: FormState;
  offset: number;
  command: Command;
  permitted: readonly SitePermission[];
  /** Actions of the site's document. */
  declared: readonly Action[];
  boundary: string;
}
export interface ActionsJob {
  page: PageRef;
}
export interface PageActions {
  url: string;
  actions: PageAction[];
}

export interface DescribeJob {
  reply: PageReply;
  siteId: string;
  /** Milliseconds. */
  fetchedAt: number;
}
export interface DescribedPage {
  info: PageInfo;
  /** What its forms and links offer. */
  actions: PageAction[];
}

/** The table of a thread's tasks; its pages are its own. */
export function createPageTasks() {
  const parsed = new LRUCache<string, BrowserPage>({
    maxSize: MAX_PARSED_BYTES,
    sizeCalculation: ({ source, elements, model }) =>
      2_000 +
      source.text.length * 2 +
      elements.length * ELEMENT_BYTES +
      model.segments.length * SEGMENT_BYTES,
  });
  const pageOf = ({ pageId, bytes }: PageRef): BrowserPage | undefined => {
    const known = parsed.get(pageId);
    if (known || !bytes) return known;
    const { page } = readScreened(unpackSource(bytes));
    parsed.set(pageId, page);
    return page;
  };

  return {
    load: ({ pageId, reply }: LoadJob): StoredPage => {
      const source = boundedSource(pageSource(reply));
      const { page } = readScreened(source);
      parsed.set(pageId, page);
      return { bytes: packSource(source), shown: describeLoadedPage(page) };
    },

    plan: ({
      page: ref,
      url,
      home,
      command,
      permitted,
      declared,
      boundary,
      ...rest
    }: PlanJob): OfPage<SentPlan> => {
      const found = ref && pageOf(ref);
      if (ref && !found) return { missing: true };
      const page = found && url !== undefined ? { ...found, url: new URL(url) } : found;
      const state = { ...rest, home: new URL(home), page, history: [] };
      const allows = (permission: SitePermission): boolean => permitted.includes(permission);
      const plan = isBuiltIn(command.action)
        ? planCommand(command.action, command, state, allows, boundary, declared)
        : planNamed(declared, command, state, allows, boundary);
      return { missing: false, value: sentPlan(plan) };
    },

    actions: ({ page: ref }: ActionsJob): OfPage<PageActions> => {
      const page = pageOf(ref);
      if (!page) return { missing: true };
      return { missing: false, value: { url: page.url.href, actions: pageActions(page) } };
    },

    describe: ({ reply, siteId, fetchedAt }: DescribeJob): DescribedPage => {
      const { page } = readScreened(pageSource(reply));
      return { info: pageInfoOf(page, siteId, fetchedAt), actions: pageActions(page) };
    },
  };
}
