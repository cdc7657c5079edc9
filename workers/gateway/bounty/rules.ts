/** What a report is worth: states by what our own modules found, and a leaderboard that volume does not climb. */
import type { BountyReport, Corroboration, ReportKind, ReportState } from "../../../schemas/bounty.ts";

/** Modules that can confirm a kind; a kind without one waits for a person. */
export const MODULES_OF: Record<
  ReportKind,
  readonly ("address" | "firewall" | "dark-pattern" | "affiliate")[]
> = {
  prompt_injection: ["firewall"],
  phishing: ["address", "firewall"],
  dark_pattern: ["dark-pattern"],
  affiliate_fraud: ["affiliate"],
  malware: ["address"],
  scam: ["address", "dark-pattern"],
  other: [],
};

/** What our own modules found of a report. */
export interface Evidence {
  corroboration: Corroboration[];
  /** HTTP status of the page; undefined when it could not be fetched. */
  status: number | undefined;
  /** Why the page could not be fetched and judged; undefined when it was. */
  failure: string | undefined;
}

const LEAST_WORDS = 2;

/** Whether a description says anything: at least two different words. */
export const saysSomething = (description: string): boolean =>
  new Set(description.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).size >= LEAST_WORDS;

/** The state of a report that is no duplicate, and why. What a reporter sent may be made up: only what we saw confirms. */
export const triage = (
  kind: ReportKind,
  description: string,
  found: Evidence,
): { state: ReportState; reason: string } => {
  const { corroboration, status, failure } = found;
  // An address can be odd without a page behind it.
  const seen = corroboration.filter(
    ({ evidence }) => evidence === "fetched" || (evidence === "address" && failure === undefined),
  );
  if (!saysSomething(description)) return { state: "spam", reason: "The description says nothing." };
  if (seen.some(({ supports }) => supports))
    return { state: "triaged", reason: "Our own modules found what was reported." };
  if (status === 404 || status === 410)
    return { state: "not_applicable", reason: `There is no such page (${status}).` };
  if (MODULES_OF[kind].length === 0)
    return { state: "new", reason: "No module of ours can judge this kind; it waits for a person." };
  if (failure !== undefined)
    return {
      state: "needs_more_info",
      reason: corroboration.some(({ supports }) => supports)
        ? `What is there shows it, but the page could not be looked at (${failure}) to confirm it.`
        : `The page could not be looked at (${failure}): send its HTML, or report again later.`,
    };
  return corroboration.some(({ supports }) => supports)
    ? { state: "needs_more_info", reason: "What was sent shows it, the page as we fetched it does not." }
    : { state: "informative", reason: "We looked, and our modules found nothing of the kind." };
};

/** What a judged report is worth, 0 or 1; undefined for those that say nothing of their reporter. */
const worthOf = ({ state }: Pick<BountyReport, "state">): number | undefined => {
  if (state === "triaged" || state === "resolved") return 1;
  if (state === "informative" || state === "not_applicable" || state === "spam") return 0;
  return undefined;
};

/** A reporter begins as one of whose first four reports one was right: Beta(1, 3). */
const PRIOR = { right: 1, wrong: 3 };
/** Sites beyond these raise nobody further. */
const MOST_SITES = 50;

/** How often a reporter was right. */
export interface ReporterRecord {
  /** Smoothed share of what was right, 0 to 1. */
  validity: number;
  /** Different registrable domains that were judged, right and wrong. */
  right: number;
  wrong: number;
}

export interface Standing extends ReporterRecord {
  reporter: string;
  handle: string | null;
  reports: number;
}

type Scored = Pick<BountyReport, "reporter" | "handle" | "state" | "registrableDomain" | "created_at">;

/**
 * What became of one reporter's reports. One site counts once, by the worst that was said of it, so that neither many reports
 * of one's own page nor many addresses of one site raise anybody; duplicates count for nobody but the first.
 */
export const recordOf = (
  theirs: Iterable<Pick<BountyReport, "state" | "registrableDomain">>,
): ReporterRecord => {
  const sites = new Map<string, number>();
  for (const report of theirs) {
    const worth = worthOf(report);
    if (worth === undefined) continue;
    sites.set(report.registrableDomain, Math.min(worth, sites.get(report.registrableDomain) ?? 1));
  }
  const worths = [...sites.values()].slice(0, MOST_SITES);
  const right = worths.filter((worth) => worth === 1).length;
  const wrong = worths.length - right;
  return {
    validity: (right + PRIOR.right) / (right + wrong + PRIOR.right + PRIOR.wrong),
    right,
    wrong,
  };
};

const LEAST_WEIGHT = 0.05;
const MOST_PRIORITY = 3;

/** What a reporter's next report weighs among those that wait for a person: 0.25 without a record, never nothing. */
export const weightOf = ({ validity }: Pick<ReporterRecord, "validity">): number =>
  Math.max(LEAST_WEIGHT, validity);

/** How soon a report should be looked at: the weights of all who made it, 0.05 to 3. */
export const priorityOf = ({ backers }: Pick<BountyReport, "backers">): number =>
  backers.length === 0
    ? weightOf(recordOf([]))
    : Math.min(
        MOST_PRIORITY,
        backers.reduce((sum, { weight }) => sum + weight, 0),
      );

/** Reporters by smoothed validity, not by volume. */
export const leaderboard = (reports: Iterable<Scored>): Standing[] => {
  const byReporter = Map.groupBy(reports, ({ reporter }) => reporter);
  return [...byReporter]
    .map(([reporter, theirs]): Standing => {
      const latest = theirs.reduce((a, b) => (a.created_at < b.created_at ? b : a));
      return { reporter, handle: latest.handle, ...recordOf(theirs), reports: theirs.length };
    })
    .filter(({ right, wrong }) => right + wrong > 0)
    .sort((a, b) => b.validity - a.validity || b.right - a.right || (a.reporter < b.reporter ? -1 : 1));
};

/** Whether our own modules saw what was reported, or an operator did; what anybody reports is a claim until then. */
export const isConfirmed = ({ state }: Pick<BountyReport, "state">): boolean =>
  state === "triaged" || state === "resolved";
