/** What a report is worth: states by what our own modules found, and a leaderboard that volume does not climb. */
import type { BountyReport, Corroboration, ReportKind, ReportState } from "../../../schemas/bounty.ts";

/** Modules that are asked about a kind. What they say of the page confirms; of its address, and of a scam, they give hints. */
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
export interface ReportEvidence {
  corroboration: Corroboration[];
  /** HTTP status of the page; undefined when it could not be fetched. */
  status: number | undefined;
  /** Why the page could not be fetched and judged; undefined when it was. */
  failure: string | undefined;
}

/** Kinds that some module can see on a page: of the others none is confirmed but by a person. */
const CONFIRMABLE: ReadonlySet<ReportKind> = new Set([
  "prompt_injection",
  "phishing",
  "dark_pattern",
  "affiliate_fraud",
]);

const LEAST_WORDS = 2;
/** Scripts that write words without spaces between them. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{4,}/u;

interface Triaged {
  state: ReportState;
  reason: string;
}

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

export interface RankedReporter extends ReporterRecord {
  reporter: string;
  handle: string | null;
  reports: number;
}

type Scored = Pick<BountyReport, "reporter" | "handle" | "state" | "registrableDomain" | "created_at">;

const LEAST_WEIGHT = 0.05;
const MOST_PRIORITY = 3;

/**
 * The state of a report that is no duplicate, and why. What a reporter sent may be made up, and an address is no finding of
 * an attack: only what we saw on the page itself confirms.
 */
export function triage(kind: ReportKind, description: string, found: ReportEvidence): Triaged {
  const isSeen =
    CONFIRMABLE.has(kind) &&
    found.corroboration.some(({ evidence, supports }) => evidence === "fetched" && supports);
  if (saysSomething(description))
    return isSeen
      ? { state: "triaged", reason: "Our own modules found what was reported." }
      : unconfirmed(kind, found);
  // Who says nothing of what is there is not wrong.
  return isSeen
    ? { state: "needs_more_info", reason: "Our own modules found it: report it again, and say what you saw." }
    : { state: "spam", reason: "The description says nothing, and nothing of it was found on the page." };
}

/** Whether a description says anything: at least two different words. */
export const saysSomething = (description: string): boolean =>
  UNSPACED.test(description) ||
  new Set(description.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).size >= LEAST_WORDS;

/** What becomes of a report that nothing on the page confirms. */
function unconfirmed(kind: ReportKind, { corroboration, status, failure }: ReportEvidence): Triaged {
  if (status === 404 || status === 410)
    return { state: "not_applicable", reason: `There is no such page (${status}).` };
  const hints = corroboration.filter(({ supports }) => supports);
  if (failure !== undefined)
    return {
      state: "needs_more_info",
      reason: hints.some(({ evidence }) => evidence === "sent")
        ? `What was sent shows it, but the page could not be looked at (${failure}) to confirm it.`
        : `The page could not be looked at (${failure}): send its HTML, or report again later.`,
    };
  if (!CONFIRMABLE.has(kind))
    return { state: "new", reason: "No module of ours can confirm this kind; it waits for a person." };
  if (hints.some(({ evidence }) => evidence === "sent"))
    return {
      state: "needs_more_info",
      reason: "What was sent shows it, the page as we fetched it does not.",
    };
  return hints.length > 0
    ? { state: "new", reason: "Its address looks odd, which confirms nothing; it waits for a person." }
    : { state: "informative", reason: "We looked, and our modules found nothing of the kind." };
}

/** How soon a report should be looked at: the weights of all who made it, 0.05 to 3. */
export const priorityOf = ({ backers }: Pick<BountyReport, "backers">): number =>
  backers.length === 0
    ? weightOf(recordOf([]))
    : Math.min(
        MOST_PRIORITY,
        backers.reduce((sum, { weight }) => sum + weight, 0),
      );

/** What a reporter's next report weighs among those that wait for a person: 0.25 without a record, never nothing. */
export const weightOf = ({ validity }: Pick<ReporterRecord, "validity">): number =>
  Math.max(LEAST_WEIGHT, validity);

/**
 * What became of one reporter's reports. One site counts once, by the worst that was said of it, so that neither many reports
 * of one's own page nor many addresses of one site raise anybody; duplicates count for nobody but the first.
 */
export function recordOf(
  theirs: Iterable<Pick<BountyReport, "state" | "registrableDomain">>,
): ReporterRecord {
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
}

/** What a judged report is worth, 0 or 1; undefined for those that say nothing of their reporter. */
function worthOf({ state }: Pick<BountyReport, "state">): number | undefined {
  if (state === "triaged" || state === "resolved") return 1;
  if (state === "informative" || state === "not_applicable" || state === "spam") return 0;
  return undefined;
}

/** Reporters by smoothed validity, not by volume. */
export function leaderboard(reports: Iterable<Scored>): RankedReporter[] {
  const byReporter = Map.groupBy(reports, ({ reporter }) => reporter);
  return [...byReporter]
    .map(([reporter, theirs]): RankedReporter => {
      const latest = theirs.reduce((a, b) => (a.created_at < b.created_at ? b : a));
      return { reporter, handle: latest.handle, ...recordOf(theirs), reports: theirs.length };
    })
    .filter(({ right, wrong }) => right + wrong > 0)
    .sort((a, b) => b.validity - a.validity || b.right - a.right || (a.reporter < b.reporter ? -1 : 1));
}

/** Whether our own modules saw what was reported, or an operator did; what anybody reports is a claim until then. */
export const isConfirmed = ({ state }: Pick<BountyReport, "state">): boolean =>
  state === "triaged" || state === "resolved";
