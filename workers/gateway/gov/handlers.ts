import { parsePastedDomain } from "../../../src/domain/names/pasted-domain.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import { sha256 } from "../common/digest.ts";
import { moduleMeta } from "../common/meta.ts";
import type { Scans } from "../common/scans.ts";
import { lawOf } from "./applicability.ts";
import type { gov } from "./contract.ts";
import { GOV_RULESET } from "./controls.ts";
import { type ObserveDeps, observeSite, type SentObservation } from "./observe-site.ts";
import type * as facts from "./page-facts.ts";
import type { Sector } from "./regulation.ts";
import { regulationsFor } from "./regulations.ts";
import {
  byRegulation,
  type Judge,
  type ReadSite,
  shownCheck,
  shownControls,
  shownRegulation,
} from "./shown.ts";

export interface GovDeps extends ObserveDeps {
  scans: Scans;
}

const READ_FACTS = tasksOf<typeof facts>(new URL("./page-facts.ts", import.meta.url))("factsOf");
/** Left for judging and the reply, of the operation's deadline. */
const MARGIN_MS = 4_000;

export function govHandlers(deps: GovDeps): Handlers<typeof gov> {
  const read = async (
    text: string,
    sent: SentObservation,
    caller: Caller,
  ): Promise<ReadSite | Failure<"invalid_domain" | "unavailable" | "content_too_costly">> => {
    const parsed = parsePastedDomain(text);
    if (!parsed.ok) return fail("invalid_domain", `The domain ${parsed.detail}.`);
    const site = await observeSite(deps, parsed.host, sent, caller.timeoutMs - MARGIN_MS, caller.signal);
    if (site === "busy")
      return fail("unavailable", "This host is being visited at this moment.", { retryAfterSeconds: 5 });
    const { html, url, observation } = site;
    const before = `${observation.host}\n`;
    const after = `\n${JSON.stringify([observation.headers ?? null, observation.dns])}`;
    if (html === undefined) return { ...site, page: undefined, input_sha256: sha256(before, after) };
    const input = { html, url: url.href, hashedAround: [before, after] as const };
    const result = await deps.scans.run(READ_FACTS, input, caller);
    if (result instanceof Failure) return result;
    const { facts, sha256: input_sha256 } = result;
    return { ...site, page: { ...facts, complete: facts.complete && !site.isPart }, input_sha256 };
  };

  const judgeOf = (country: string | undefined, sector: Sector | undefined, site?: ReadSite): Judge => ({
    law: lawOf(country, site?.observation.host),
    sector,
    now: deps.now(),
  });

  return {
    checkCompliance: async ({ params, query: { country, sector } }, context) => {
      const startedMs = performance.now();
      const site = await read(params.domain, {}, context);
      if (site instanceof Failure) return site;
      return {
        ...shownCheck(site, judgeOf(country, sector, site)),
        meta: moduleMeta("gov", context, startedMs),
      };
    },

    listRegulations: async ({ query: { country, sector } }, context) => {
      const startedMs = performance.now();
      const judge = judgeOf(country, sector);
      const regulations = regulationsFor(country, sector).map((one) => shownRegulation(one, judge));
      return {
        law: judge.law,
        count: regulations.length,
        regulations,
        controls: shownControls(regulations),
        ruleset_version: GOV_RULESET,
        meta: moduleMeta("gov", context, startedMs),
      };
    },

    createComplianceReport: async ({ body: { domain, country, sector, ...sent } }, context) => {
      const startedMs = performance.now();
      const site = await read(domain, sent, context);
      if (site instanceof Failure) return site;
      const judge = judgeOf(country, sector, site);
      return {
        ...shownCheck(site, judge),
        sent: site.sent,
        country: country?.toUpperCase() ?? null,
        sector: sector ?? null,
        regulations: byRegulation(regulationsFor(judge.law.country ?? undefined, sector), site, judge),
        meta: moduleMeta("gov", context, startedMs),
      };
    },
  };
}
