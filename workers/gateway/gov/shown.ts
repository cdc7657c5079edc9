/** Checks and regulations in the words of the contract. */
import { iso } from "../../../src/ports/time.ts";
import { applicability, boundControls, complianceScore, type Law, statusUnder } from "./applicability.ts";
import { type ControlStatus, STATUSES } from "./control.ts";
import { CONTROLS, GOV_RULESET, judgeControls } from "./controls.ts";
import { scoreHeaders } from "./observatory.ts";
import type { ObservedSite } from "./observe-site.ts";
import type { ComplianceFacts } from "./page-facts.ts";
import type { Regulation, Sector } from "./regulation.ts";

/** The law that a site is judged by. */
export interface Judge {
  law: Law;
  sector: Sector | undefined;
  /** Milliseconds. */
  now: number;
}

/** An observed domain, with what the thread read of its page. */
export interface ReadSite extends ObservedSite {
  page: ComplianceFacts | undefined;
  input_sha256: string;
}

/** What was observed, judged: the members that both operations answer with. */
export function shownCheck(
  { observation, notObserved, page, input_sha256 }: ReadSite,
  { law, sector, now }: Judge,
) {
  const controls = boundControls(judgeControls({ ...observation, page }), law, sector, dayOf(now));
  const headers = observation.headers
    ? scoreHeaders(observation.headers, observation.cookies ?? [], page?.scripts, observation.isHttps ?? true)
    : null;
  return {
    domain: observation.host,
    checked_at: iso(observation.now),
    law,
    controls,
    counts: countsOf(controls),
    score: complianceScore(controls),
    headers,
    cookies: (observation.cookies ?? []).map(
      ({ name, category, secure, httpOnly, sameSite, maxAgeSeconds }) => ({
        name,
        category,
        secure,
        http_only: httpOnly,
        same_site: sameSite,
        max_age_seconds: maxAgeSeconds,
      }),
    ),
    trackers: page?.affiliate.trackers ?? [],
    ruleset_version: GOV_RULESET,
    input_sha256,
    not_observed: notObserved,
  };
}

const dayOf = (now: number): string => iso(now).slice(0, 10);

const countsOf = (controls: readonly { status: ControlStatus }[]): Record<ControlStatus, number> =>
  Object.fromEntries(
    STATUSES.map((status) => [status, controls.filter((one) => one.status === status).length]),
  ) as Record<ControlStatus, number>;

/** What the controls of each regulation found. */
export function byRegulation(regulations: readonly Regulation[], site: ReadSite, judge: Judge) {
  const controls = judgeControls({ ...site.observation, page: site.page });
  return regulations.map((regulation) => {
    const shown = shownRegulation(regulation, judge);
    const own = controls
      .filter(({ id }) => regulation.checks.includes(id))
      .map(({ id, status }) => ({ id, status: statusUnder(status, shown.applies) }));
    return { regulation: shown, counts: countsOf(own), controls: own };
  });
}

/** A regulation as replies show it, with whether it applies, and why. */
export function shownRegulation(regulation: Regulation, { law, sector, now }: Judge) {
  const { applies_when, applied_until, checks, ...rest } = regulation;
  return {
    ...rest,
    applied_until: applied_until ?? null,
    applies_when: {
      sectors: applies_when.sectors ? [...applies_when.sectors] : null,
      condition: applies_when.condition,
    },
    checks: [...checks],
    ...applicability(regulation, law, sector, dayOf(now)),
  };
}

/** The controls that some of the regulations rest on. */
export function shownControls(regulations: readonly Pick<Regulation, "checks">[]) {
  const checked = new Set(regulations.flatMap(({ checks }) => checks));
  return CONTROLS.filter(({ id }) => checked.has(id)).map(({ id, category, title, refs }) => ({
    id,
    category,
    title,
    refs: [...refs],
  }));
}
