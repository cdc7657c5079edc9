/** Decisions that stand against a site. Pure. */
import type { AppealableDecision, StoredAppeal } from "../../../schemas/appeal.ts";
import type { ConfirmedReport } from "../../../schemas/bounty.ts";
import type { VerdictSummary } from "../../../schemas/verdict.ts";
import { MALICIOUS_DETAIL } from "../../../src/crawl/pages/measured.ts";
import type { Block } from "../../../src/stores/block-list.ts";

const MOST_ABOUT_CHARS = 300;

export interface HostState {
  /** Of the host, or of a domain that it is below. */
  block: Block | undefined;
  reports: readonly ConfirmedReport[];
  /** Of the crawl. */
  summary: VerdictSummary;
}

type Decision = Omit<AppealableDecision, "appeal">;

export const decisionsOf = (
  siteId: string,
  found: HostState,
  appeals: readonly StoredAppeal[],
): AppealableDecision[] =>
  standing(siteId, found).map((each) => {
    const made = appeals.findLast(({ kind, decision }) => kind === each.kind && decision === each.decision);
    return { ...each, appeal: made?.state ?? null };
  });

/** What somebody judged, and no fact that the owner mends by himself: a record that is missing is none. */
const standing = (siteId: string, { block, reports, summary }: HostState): Decision[] => [
  // An owner's own block is lifted by adding the site again.
  ...(block && block.by !== "owner"
    ? [{ kind: "block" as const, decision: block.at, about: block.host, since: block.at, why: block.why }]
    : []),
  ...reports.map(({ reportId, url, reason, first_seen }) => ({
    kind: "report" as const,
    decision: reportId,
    about: url.slice(0, MOST_ABOUT_CHARS).toWellFormed(),
    since: first_seen,
    why: reason,
  })),
  ...(summary.reason === "malicious_page" && summary.since !== null
    ? [
        {
          kind: "delisting" as const,
          decision: summary.since,
          about: siteId,
          since: summary.since,
          why: MALICIOUS_DETAIL,
        },
      ]
    : []),
];
