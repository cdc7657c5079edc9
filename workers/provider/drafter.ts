/**
 * Front pages read for drafts. Whoever asks for one domain at a time, or soon after, shares one reading, so that
 * strangers cannot make us ask a site more often than it bears.
 */
import type { DocumentDraft } from "../../schemas/draft.ts";
import { draftOf } from "../../src/crawl/draft.ts";
import { readFrontPage } from "../../src/crawl/front-page.ts";
import type { SiteStores } from "../../src/crawl/known-site.ts";
import { knownSite } from "../../src/crawl/known-site.ts";
import type { PageReading } from "../../src/crawl/pages/page-reading.ts";
import { quarantinedUntil } from "../../src/crawl/quarantine.ts";
import type { CheckOptions } from "../../src/crawl/stages/context.ts";
import { type VisitDeps, withinVisit } from "./prober.ts";
import { createSharedWork } from "./shared-work.ts";

/** Front pages under way in one process, and those that wait for a permit. */
const CONCURRENCY = 32;
const MAX_WAITING = 1_000;
const MAX_RECENT = 500;
/** A page that was just read is not asked for again: its owner steps back and forth between pages of ours. */
const RECENT_MS = 20_000;

export interface DrafterDeps
  extends VisitDeps,
    SiteStores,
    Pick<CheckOptions, "robotsToken" | "httpsPort" | "now"> {
  readFacts: PageReading["facts"];
  /** Called for a host whose page ended the thread that read it. */
  onHung: (host: string) => void;
}

export interface Drafter {
  /** @returns undefined where the host must not be asked now, or did not answer in time. @param host canonical */
  draft(host: string): Promise<DocumentDraft | undefined>;
  drain(): Promise<void>;
}

export function createDrafter(deps: DrafterDeps): Drafter {
  const drafts = createSharedWork<DocumentDraft>({
    clock: deps.clock,
    concurrency: CONCURRENCY,
    mostWaiting: MAX_WAITING,
    mostKept: MAX_RECENT,
    keptMs: () => RECENT_MS,
    work: (host, stopping) => readOne(deps, host, stopping),
  });
  return { draft: drafts.get, drain: drafts.drain };
}

async function readOne(
  deps: DrafterDeps,
  host: string,
  stopping: AbortSignal,
): Promise<DocumentDraft | undefined> {
  const { record, isBlocked } = await knownSite(deps, host);
  const url = `https://${host}/`;
  const leftAlone = (detail: string) =>
    draftOf(host, { page: { state: "left_alone", url, detail }, facts: undefined, at: deps.now() });
  if (isBlocked) return leftAlone("The site is blocked here, and is not visited.");
  if (quarantinedUntil(record, deps.now()) !== undefined)
    return leftAlone("The site is in quarantine: a page of it could not be read safely.");
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(deps.timeoutMs)]);
  const read = await withinVisit(deps, host, signal, (visit) => readFrontPage({ ...deps, visit, host }));
  if (read?.kind !== "seen") return undefined;
  if (read.hung) deps.onHung(host);
  return draftOf(host, { page: read.page, facts: read.facts, at: deps.now() });
}
