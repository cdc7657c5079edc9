import { parsePastedDomain } from "../../../src/domain/names/pasted-domain.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import { sha256 } from "../common/digest.ts";
import { metaOf } from "../common/meta.ts";
import type { Scans } from "../common/scans.ts";
import type { FactsJob } from "../scan-thread.ts";
import type { gov } from "./contract.ts";
import { STATUSES, type Status } from "./control.ts";
import { CONTROLS, type Judged, judgeControls, RULESET_VERSION } from "./controls.ts";
import { type LookDeps, type LookedAt, lookAt, type Sent } from "./look.ts";
import { scoreHeaders } from "./observatory.ts";
import type { PageFacts } from "./page-facts.ts";
import type { Regulation, Sector } from "./regulation.ts";
import { appliesTo, regulationsFor } from "./regulations.ts";

export interface GovDeps extends LookDeps {
  scans: Scans;
}

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

const inputOf = ({ html, seen }: LookedAt): string =>
  sha256(seen.host, "\n", html, "\n", JSON.stringify([seen.headers ?? null, seen.dns]));

/** What was looked at, judged: the members that both operations answer with. */
const shownCheck = ({ seen, notObserved, ...looked }: LookedAt, page: PageFacts | undefined) => {
  const controls = judgeControls({ ...seen, page });
  const headers = seen.headers
    ? scoreHeaders(seen.headers, seen.cookies ?? [], page?.scripts, seen.isHttps ?? true)
    : null;
  return {
    domain: seen.host,
    checked_at: new Date(seen.now).toISOString(),
    controls,
    counts: countsOf(controls),
    headers,
    cookies: (seen.cookies ?? []).map(({ name, category, secure, httpOnly, sameSite, maxAgeSeconds }) => ({
      name,
      category,
      secure,
      http_only: httpOnly,
      same_site: sameSite,
      max_age_seconds: maxAgeSeconds,
    })),
    trackers: page?.affiliate.trackers ?? [],
    ruleset_version: RULESET_VERSION,
    input_sha256: inputOf({ seen, notObserved, ...looked }),
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
  const look = async (text: string, sent: Sent, context: Caller) => {
    const parsed = parsePastedDomain(text);
    if (!parsed.ok) return fail("invalid_domain", `The domain ${parsed.detail}.`);
    const looked = await lookAt(deps, parsed.host, sent, context.timeoutMs - MARGIN_MS);
    if (looked === "busy")
      return fail("unavailable", "This host is being visited at this moment.", { retryAfterSeconds: 5 });
    if (looked.html === undefined) return { looked, page: undefined };
    const job: FactsJob = { html: looked.html, url: looked.url.href };
    const facts = await deps.scans.run<PageFacts>("facts", job, context);
    return facts instanceof Failure ? facts : { looked, page: facts };
  };

  return {
    check: async ({ params }, context) => {
      const startedMs = performance.now();
      const found = await look(params.domain, {}, context);
      if (found instanceof Failure) return found;
      return { ...shownCheck(found.looked, found.page), meta: metaOf("gov", context, startedMs) };
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
      const found = await look(domain, sent, context);
      if (found instanceof Failure) return found;
      const checked = shownCheck(found.looked, found.page);
      return {
        ...checked,
        sent: found.looked.sent,
        country: country?.toUpperCase() ?? null,
        sector: sector ?? null,
        regulations: byRegulation(regulationsFor(country, sector), checked.controls, sector, deps.now()),
        meta: metaOf("gov", context, startedMs),
      };
    },
  };
};
