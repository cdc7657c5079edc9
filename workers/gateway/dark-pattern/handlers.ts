import type { z } from "zod";
import { PATTERN_IDS } from "../../../schemas/dark-pattern.ts";
import { SURFACES } from "../../../schemas/tables.ts";
import { PATTERNS } from "../../../src/detectors/dark-pattern/catalogue.ts";
import { darkPatternRuleset, gradeOf } from "../../../src/detectors/dark-pattern/grade.ts";
import { LAWS, obligationsFor } from "../../../src/detectors/dark-pattern/law.ts";
import type { Handlers, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import { moduleMeta } from "../common/meta.ts";
import { type FetchPage, observePage } from "../common/observed-page.ts";
import type { Scans } from "../common/scans.ts";
import type { darkPattern } from "./contract.ts";
import type * as tasks from "./scan.ts";

export interface DarkPatternDeps {
  fetchPage: FetchPage;
  scans: Scans;
}

const SCAN = tasksOf<typeof tasks>(new URL("./scan.ts", import.meta.url))("scanForDarkPatterns");
const FETCH_TIMEOUT_MS = 8_000;
type Body = z.output<(typeof darkPattern)["operations"]["scanDarkPatterns"]["body"]>;
type Context = RequestContext<Principals["key"]>;

export function darkPatternHandlers({ fetchPage, scans }: DarkPatternDeps): Handlers<typeof darkPattern> {
  const scan = async ({ later, ...input }: Body, context: Context) => {
    const startedMs = performance.now();
    const observed = await observePage(
      input,
      fetchPage,
      Math.min(FETCH_TIMEOUT_MS, context.timeoutMs / 2),
      context.signal,
    );
    if (observed instanceof Failure) return observed;
    const { seen, notObserved } = observed;
    // What a server answers with an error is not the page that was asked for.
    const { html, text } = seen === "none" ? { html: undefined, text: undefined } : observed;
    const url = observed.url?.href;
    const snapshot = later && { html: later.html, text: later.text };
    const result = await scans.run(
      SCAN,
      { url, html, text, isPart: seen === "part", later: snapshot, secondsLater: later?.seconds },
      context,
    );
    if (result instanceof Failure) return result;
    return {
      ...result,
      url: url ?? null,
      // Without style sheets of its own, a page is judged as its HTML alone shows it.
      not_observed: [
        ...notObserved,
        ...(later ? [] : [{ what: "later", reason: "not sent" }]),
        { what: "scripts", reason: "they are read, not run" },
      ],
      meta: moduleMeta("dark-pattern", context, startedMs),
    };
  };

  return {
    scanDarkPatterns: ({ body }, context) => scan(body, context),

    auditDarkPatterns: async ({ body: { jurisdictions, ...body } }, context) => {
      const result = await scan(body, context);
      if (result instanceof Failure) return result;
      const found = result.patterns
        .filter(({ verdict }) => verdict === "present" || verdict === "likely_deceptive")
        .map(({ pattern }) => pattern);
      return { ...result, ...gradeOf(result), obligations: obligationsFor(found, jurisdictions) };
    },

    listDarkPatterns: async (_, context) => {
      const startedMs = performance.now();
      return {
        count: PATTERN_IDS.length,
        patterns: PATTERN_IDS.map((id) => ({
          id,
          ...PATTERNS[id],
          needs: SURFACES[PATTERNS[id].needs],
          laws: LAWS.filter(({ patterns }) => patterns.includes(id)).map(({ jurisdiction, citation }) => ({
            jurisdiction,
            citation,
          })),
        })),
        ruleset_version: darkPatternRuleset(),
        meta: moduleMeta("dark-pattern", context, startedMs),
      };
    },
  };
}
