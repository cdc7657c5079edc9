/** What one visit saw of a site, whoever made it: the facts and checks of its stages, and what they come to. Pure. */
import type { Look } from "../../schemas/look.ts";
import type { SiteFacts, SiteRecord, VisitReason } from "../../schemas/site.ts";
import type { DomainKeys } from "../egress/domain-keys.ts";
import type { VisitMeasurements } from "./pages/measured.ts";
import type { Run, StageStop } from "./stages/stage.ts";
import { type Claims, claimStages, type StageName } from "./stages/table.ts";

/** As a look keeps it (schemas/look.ts), with every fact, and what the pages show of how the site deals with visitors. */
export interface VisitFindings extends Omit<Look["seen"], "facts"> {
  facts: SiteFacts;
  /** Absent where no page could be read. */
  measured?: VisitMeasurements | undefined;
}

export type Conclusion = VisitFindings["conclusion"];

type Ended = Exclude<Run<Claims, StageName>, { kind: "not_now" }>;

/** Why a visit stopped, as its record says it. */
type Cause = Pick<StageStop, "reason" | "detail">;

/** As SiteRecord.detail allows. */
const MAX_DETAIL_CHARS = 500;

/** What stages saw, as if no page was read. */
export function seenBy(run: Ended): VisitFindings {
  if (run.kind === "stopped") return unsound(run.found.txt, run.stop, run);
  const { facts, checks } = run;
  const { txt, manifest } = run.found;
  return {
    conclusion: "sound",
    ring: manifest ? 3 : txt.ok ? 2 : 1,
    reason: txt.ok ? (manifest ? "verified" : "unsigned") : txt.reason,
    detail: txt.ok ? "" : txt.detail.slice(0, MAX_DETAIL_CHARS),
    txtValid: txt.ok,
    facts,
    checks,
  };
}

/** What DNS alone says of a host without a usable key: nothing of its document was looked at. */
export function withoutKey(txt: DomainKeys & { ok: false }): VisitFindings {
  const { reason, detail, dnssec } = txt;
  const checks = claimStages.list.map(({ name }, i) =>
    i === 0
      ? { name, outcome: "fail" as const, reason, detail }
      : { name, outcome: "skipped" as const, reason: "not_reached", detail: "" },
  );
  return unsound(txt, { reason, detail }, { facts: { dnssec }, checks });
}

/** What is known of a host in quarantine, for who would otherwise look at it. */
export const unseenInQuarantine = (record: SiteRecord): VisitFindings => ({
  conclusion: "failure",
  ring: 0,
  reason: "quarantined",
  detail: record.quarantine?.detail ?? "",
  txtValid: record.status !== "disabled",
  facts: {},
  checks: [],
});

/** Of a visit that stopped, DNS and the address that answered stand; what the document said is not relied on. */
function unsound(
  txt: DomainKeys | undefined,
  stop: Cause,
  { facts: { dnssec = "unknown", address }, checks }: Pick<Ended, "facts" | "checks">,
): VisitFindings {
  const { reason, detail } = causeOf(txt, stop);
  return {
    conclusion: conclusionOf(reason),
    ring: 0,
    reason,
    detail: detail.slice(0, MAX_DETAIL_CHARS),
    txtValid: txt?.ok ?? false,
    facts: { dnssec, ...(address && { address }) },
    checks,
  };
}

function causeOf(txt: DomainKeys | undefined, { reason, detail }: Cause): Cause {
  // What DNS says (no record, a revoked key) is a fact, and more of one than why the document cannot be had.
  const isFact = txt?.ok === false && txt.reason !== "dns_failed" && txt.reason !== "dns_bogus";
  if (!isFact || reason === "quarantined" || reason === txt.reason) return { reason, detail };
  return { reason: txt.reason, detail: `${txt.detail}; ${detail}` };
}

/** A removal or a contradiction is a fact, the rest may be the network's. */
const MISMATCHES: ReadonlySet<VisitReason> = new Set([
  "no_txt",
  "txt_invalid",
  "txt_ambiguous",
  "key_revoked",
  "signature_invalid",
  "manifest_invalid",
  "manifest_expired",
  "manifest_not_yet_valid",
  "serial_lowered",
  "domain_mismatch",
  "document_mismatch",
]);
export const conclusionOf = (reason: VisitReason): Conclusion =>
  MISMATCHES.has(reason) ? "mismatch" : "failure";
