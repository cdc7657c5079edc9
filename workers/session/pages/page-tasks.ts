/**
 * What a thread does with sessions' pages: parses them once, keeps those of the sessions that act just now, and decides
 * what a command means on them. Inputs and results are structured-cloneable; but for the pages it keeps, it is pure.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Action } from "../../../schemas/action.ts";
import type { SitePermission } from "../../../schemas/license.ts";
import type { PageInfo } from "../../../schemas/page-info.ts";
import type { ListedAction } from "../../../schemas/session.ts";
import { type NamedPlan, planCommand, planNamed } from "../../../src/browser/commands.ts";
import type { FormState } from "../../../src/browser/controls.ts";
import { describeLoadedPage } from "../../../src/browser/describe.ts";
import { type PageModel, readPageModel } from "../../../src/browser/page.ts";
import { pageActions } from "../../../src/browser/page-actions.ts";
import { pageInfoOf } from "../../../src/browser/page-info.ts";
import { type PageReply, sourceOf } from "../../../src/browser/page-source.ts";
import { type Command, isBuiltIn } from "../../../src/browser/plan.ts";
import type { PageRequest } from "../../../src/browser/submission.ts";

/** Text of a page that is kept and shown; the rest is cut off. */
const MAX_SOURCE_CHARS = 1024 * 1024;
const MAX_INFLATED_BYTES = 8 * 1024 * 1024;
/** Parsed pages kept in memory, by an estimate of their size: some hundred, of the sessions that act just now. */
const MAX_PARSED_BYTES = 4 * 1024 * 1024;
const ELEMENT_BYTES = 600;

const StoredPage = z.looseObject({
  url: z.string(),
  status: z.int(),
  mediaType: z.string(),
  encoding: z.string(),
  text: z.string(),
  cut: z.boolean().optional(),
});

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
export interface Loaded {
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
type SentRequest = Omit<PageRequest, "url"> & { url: string };
/** A plan as it crosses to another thread: addresses are text. */
export type SentPlan =
  | Exclude<NamedPlan, { kind: "go" | "wait" }>
  | { kind: "go"; request: SentRequest; move: "push" | "back" }
  | { kind: "wait"; ms: number; next: SentRequest | undefined };

export interface ActionsJob {
  page: PageRef;
}
export interface PageActions {
  url: string;
  actions: ListedAction[];
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
  actions: ListedAction[];
}

const sentRequest = ({ url, body, ...rest }: PageRequest): SentRequest => ({
  ...rest,
  url: url.href,
  // A copy of its own: a small buffer is part of a larger one, all of which would cross.
  ...(body && { body: new Uint8Array(body) }),
});

const sentPlan = (plan: NamedPlan): SentPlan => {
  if (plan.kind === "go") return { ...plan, request: sentRequest(plan.request) };
  if (plan.kind === "wait") return { ...plan, next: plan.next && sentRequest(plan.next) };
  return plan;
};

/** The table of a thread's tasks; its pages are its own. */
export const createPageTasks = () => {
  const parsed = new LRUCache<string, PageModel>({
    maxSize: MAX_PARSED_BYTES,
    sizeCalculation: ({ source, elements }) =>
      2_000 + source.text.length * 2 + elements.length * ELEMENT_BYTES,
  });
  const pageOf = ({ pageId, bytes }: PageRef): PageModel | undefined => {
    const known = parsed.get(pageId);
    if (known || !bytes) return known;
    const json = inflateRawSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES }).toString();
    const page = readPageModel(StoredPage.parse(JSON.parse(json)));
    parsed.set(pageId, page);
    return page;
  };

  return {
    load: ({ pageId, reply }: LoadJob): Loaded => {
      const source = sourceOf(reply);
      const kept = { ...source, text: source.text.slice(0, MAX_SOURCE_CHARS).toWellFormed() };
      const page = readPageModel(kept);
      parsed.set(pageId, page);
      const bytes = deflateRawSync(JSON.stringify(kept), { level: 3, windowBits: 13, memLevel: 6 });
      return { bytes: new Uint8Array(bytes), shown: describeLoadedPage(page) };
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
        ? planCommand(command.action, command, state, allows, boundary)
        : planNamed(declared, command, state, allows, boundary);
      return { missing: false, value: sentPlan(plan) };
    },

    actions: ({ page: ref }: ActionsJob): OfPage<PageActions> => {
      const page = pageOf(ref);
      if (!page) return { missing: true };
      return { missing: false, value: { url: page.url.href, actions: pageActions(page) } };
    },

    describe: ({ reply, siteId, fetchedAt }: DescribeJob): DescribedPage => {
      const page = readPageModel(sourceOf(reply));
      return { info: pageInfoOf(page, siteId, fetchedAt), actions: pageActions(page) };
    },
  };
};
