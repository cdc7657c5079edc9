import type { z } from "zod";
import { PATTERN_IDS } from "../../../schemas/dark-pattern.ts";
import { PATTERNS } from "../../../src/detectors/dark-pattern/catalogue.ts";
import { gradeOf, rulesetVersion } from "../../../src/detectors/dark-pattern/grade.ts";
import { LAWS, obligationsFor } from "../../../src/detectors/dark-pattern/law.ts";
import type { DarkPatternInput, DarkPatternResult } from "../../../src/detectors/dark-pattern/rules.ts";
import type { Handlers, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { sha256 } from "../common/digest.ts";
import { metaOf } from "../common/meta.ts";
import { type FetchPage, observe } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import type { darkPattern } from "./contract.ts";

export interface DarkPatternDeps {
  fetchPage: FetchPage;
  scans: Scans;
}

const FETCH_TIMEOUT_MS = 8_000;
type Body = z.output<(typeof darkPattern)["operations"]["scan"]["body"]>;
type Context = RequestContext<Principals["key"]>;

export const darkPatternHandlers = ({ fetchPage, scans }: DarkPatternDeps): Handlers<typeof darkPattern> => {
  const look = async ({ later, ...input }: Body, context: Context) => {
    const startedMs = performance.now();
    const seen = await observe(input, fetchPage, Math.min(FETCH_TIMEOUT_MS, context.timeoutMs / 2));
    if (seen instanceof Failure) return seen;
    const task: DarkPatternInput = {
      first: { html: seen.html, text: seen.text },
      later: later && { html: later.html, text: later.text },
      secondsLater: later?.seconds,
    };
    const result = await scans.run<DarkPatternResult>("darkPattern", task, context);
    if (result instanceof Failure) return result;
    const isSeen = seen.html !== undefined || seen.text !== undefined;
    const missing = seen.notObserved.filter(
      ({ what }) => !["headers", "cookies", "dns"].includes(what) && !(what === "html" && isSeen),
    );
    if (!later) missing.push({ what: "later", reason: "not sent" });
    // Without style sheets of its own, a page is judged as its HTML alone shows it.
    return {
      ...result,
      url: seen.url?.href ?? null,
      input_sha256: sha256(seen.sha256, later?.html, later?.text),
      not_observed: [...missing, { what: "scripts", reason: "they are read, not run" }],
      meta: metaOf("dark-pattern", context, startedMs),
    };
  };

  return {
    scan: ({ body }, context) => look(body, context),

    audit: async ({ body: { jurisdictions, ...body } }, context) => {
      const result = await look(body, context);
      if (result instanceof Failure) return result;
      const found = result.patterns
        .filter(({ verdict }) => verdict === "present" || verdict === "likely_deceptive")
        .map(({ pattern }) => pattern);
      return { ...result, ...gradeOf(result), obligations: obligationsFor(found, jurisdictions) };
    },

    patterns: async (_, context) => {
      const startedMs = performance.now();
      return {
        count: PATTERN_IDS.length,
        patterns: PATTERN_IDS.map((id) => ({
          id,
          ...PATTERNS[id],
          laws: LAWS.filter(({ patterns }) => patterns.includes(id)).map(({ jurisdiction, citation }) => ({
            jurisdiction,
            citation,
          })),
        })),
        ruleset_version: rulesetVersion(),
        meta: metaOf("dark-pattern", context, startedMs),
      };
    },
  };
};
