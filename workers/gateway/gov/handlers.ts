import { parsePastedDomain } from "../../../src/domain/names/pasted-domain.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import { sha256 } from "../common/digest.ts";
import { metaOf } from "../common/meta.ts";
import { memoryOf } from "../common/page-text.ts";
import type { Scans } from "../common/scans.ts";
import type { gov } from "./contract.ts";
import { STATUSES, type Status } from "./control.ts";
import { CONTROLS, type Judged, judgeControls, RULESET_VERSION } from "./controls.ts";
import { scoreHeaders } from "./observatory.ts";
import { type ObserveDeps, type ObservedSite, observeSite, type Sent } from "./observe-site.ts";
import type * as facts from "./page-facts.ts";
import type { Regulation, Sector } from "./regulation.ts";
import { appliesTo, regulationsFor } from "./regulations.ts";

export interface GovDeps extends ObserveDeps {
  scans: Scans;
}

type PageFacts = facts.PageFacts;

const READ_FACTS = tasksOf<typeof facts>(new URL("./page-facts.ts", import.meta.url))("factsOf");
/** Left for judging and the reply, of the operation's deadline. */
const MARGIN_MS = 4_000;

const countsOf = (controls: readonly { status: Status }[]): Record<Status, number> =>
  Object.fromEntries(
    STATUSES.map((status) => [status, controls.filter((one) => one.status === status).length]),
  ) as Record<Status, number>;

const shownRegulation = (regulation: Regulation, sector: Sector | undefined, now: number) => {
  const { applies_when, applied_until, checks, ...rest } = regulation;
  const today = new Date(now).toISOString().slice(0, 10);
  return {
    ...rest,
    applied_until: applied_until ?? null,
    applies_when: {
      sectors: applies_when.sectors ? [...applies_when.sectors] : null,
      condition: applies_when.condition,
    },
    checks: [...checks],
    applies: appliesTo(regulation, sector, today),
  };
};

/** An observed domain, with what the thread read of its page. */
interface ReadSite extends ObservedSite {
  page: PageFacts | undefined;
  input_sha256: string;
}

/** What was observed, judged: the members that both operations answer with. */
const shownCheck = ({ observation, notObserved, page, input_sha256 }: ReadSite) => {
  const controls = judgeControls({ ...observation, page });
  const headers = observation.headers
    ? scoreHeaders(observation.headers, observation.cookies ?? [], page?.scripts, observation.isHttps ?? true)
    : null;
  return {
    domain: observation.host,
    checked_at: new Date(observation.now).toISOString(),
    controls,
    counts: countsOf(controls),
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
    ruleset_version: RULESET_VERSION,
    input_sha256,
    not_observed: notObserved,
  };
};

const byRegulation = (
  regulations: readonly Regulation[],
  controls: readonly Judged[],
  sector: Sector | undefined,
  now: number,
) =>
  regulations.map((regulation) => {
    const own = controls
      .filter(({ id }) => regulation.checks.includes(id))
      .map(({ id, status }) => ({ id, status }));
    return { regulation: shownRegulation(regulation, sector, now), counts: countsOf(own), controls: own };
  });

export const govHandlers = (deps: GovDeps): Handlers<typeof gov> => {
  const read = async (
    text: string,
    sent: Sent,
    caller: Caller,
  ): Promise<ReadSite | Failure<"invalid_domain" | "unavailable" | "content_too_costly">> => {
    const parsed = parsePastedDomain(text);
    if (!parsed.ok) return fail("invalid_domain", `The domain ${parsed.detail}.`);
    const site = await observeSite(deps, parsed.host, sent, caller.timeoutMs - MARGIN_MS);
    if (site === "busy")
      return fail("unavailable", "This host is being visited at this moment.", { retryAfterSeconds: 5 });
    const { html, url, observation } = site;
    const before = `${observation.host}\n`;
    const after = `\n${JSON.stringify([observation.headers ?? null, observation.dns])}`;
    if (html === undefined) return { ...site, page: undefined, input_sha256: sha256(before, after) };
    const input = { html, url: url.href, hashedAround: [before, after] as const };
    const result = await deps.scans.run(READ_FACTS, input, caller, undefined, memoryOf(html));
    if (result instanceof Failure) return result;
    return { ...site, page: result.facts, input_sha256: result.sha256 };
  };

  return {
    check: async ({ params }, context) => {
      const startedMs = performance.now();
      const site = await read(params.domain, {}, context);
      if (site instanceof Failure) return site;
      return { ...shownCheck(site), meta: metaOf("gov", context, startedMs) };
    },

    regulations: async ({ query: { country, sector } }, context) => {
      const startedMs = performance.now();
      const regulations = regulationsFor(country, sector).map((one) =>
        shownRegulation(one, sector, deps.now()),
      );
      const checked = new Set(regulations.flatMap(({ checks }) => checks));
      return {
        count: regulations.length,
        regulations,
        controls: CONTROLS.filter(({ id }) => checked.has(id)).map(({ id, category, title, refs }) => ({
          id,
          category,
          title,
          refs: [...refs],
        })),
        ruleset_version: RULESET_VERSION,
        meta: metaOf("gov", context, startedMs),
      };
    },

    complianceReport: async ({ body: { domain, country, sector, ...sent } }, context) => {
      const startedMs = performance.now();
      const site = await read(domain, sent, context);
      if (site instanceof Failure) return site;
      const checked = shownCheck(site);
      return {
        ...checked,
        sent: site.sent,
        country: country?.toUpperCase() ?? null,
        sector: sector ?? null,
        regulations: byRegulation(regulationsFor(country, sector), checked.controls, sector, deps.now()),
        meta: metaOf("gov", context, startedMs),
      };
    },
  };
};
