import type { Handlers } from "../../../src/contract.ts";
import { EMBEDDING_MODEL, VECTOR_SIZE } from "../../../src/domain/embeddings/static-vectors.ts";
import { Failure, fail } from "../../../src/errors.ts";
import { round, sha256 } from "../common/finding.ts";
import { metaOf } from "../common/meta.ts";
import { type FetchPage, type Observed, observe } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import { readAddress } from "./address.ts";
import type { Label } from "./categories.ts";
import type { Classification } from "./classifier.ts";
import type { neural } from "./contract.ts";
import type { NeuralTasks } from "./tasks.ts";

export interface NeuralDeps {
  fetchPage: FetchPage;
  scans: Scans;
  tasks: NeuralTasks;
}

const MODULE = "neural";
const RULESET_VERSION = `1+${EMBEDDING_MODEL}`;
/** Texts of up to so many units together are done where they arrive (about 2 ms); longer ones in a thread. */
const SHORT_CHARS = 16_384;
/** Left for the reply after fetching, of the operation's deadline. */
const MARGIN_MS = 5_000;

const shownClassification = ({ label, confidence, none, ranked }: Classification) => ({
  label,
  confidence: round(confidence, 4),
  none_confidence: round(none, 4),
  abstained: label === null,
  ranked: ranked.map((one) => ({ label: one.label, confidence: round(one.confidence, 4) })),
});

const labelOf = ({ name, description }: { name: string; description?: string | undefined }): Label => ({
  name,
  descriptions: description ? [description] : [],
});

/** Runs a task here when its input is short, else in a thread. */
const run = async <T extends keyof NeuralTasks>(
  { scans, tasks }: NeuralDeps,
  task: T,
  input: Parameters<NeuralTasks[T]>[0],
  chars: number,
): Promise<ReturnType<NeuralTasks[T]> | Failure<"unavailable">> => {
  if (chars <= SHORT_CHARS)
    return (tasks[task] as (given: typeof input) => ReturnType<NeuralTasks[T]>)(input);
  return scans.run<ReturnType<NeuralTasks[T]>>(task, input);
};

const analysed = async (deps: NeuralDeps, seen: Observed, fallback: URL) => {
  const { html, text } = seen;
  if (html === undefined && text === undefined) return null;
  const url = (seen.url ?? fallback).href;
  const source = { html, text, url };
  const analysis = await run(deps, "analyse", source, Number.POSITIVE_INFINITY);
  if (analysis instanceof Failure) return analysis;
  return {
    ...analysis,
    fetched: seen.status !== undefined,
    status: seen.status ?? null,
    final_url: url,
    language: { ...analysis.language, confidence: round(analysis.language.confidence) },
    topics: analysis.topics.map(({ topic, weight }) => ({ topic, weight: round(weight) })),
    category: shownClassification(analysis.category),
  };
};

export const neuralHandlers = (deps: NeuralDeps): Handlers<typeof neural> => {
  return {
    analyzeUrl: async ({ body }, context) => {
      const startedMs = performance.now();
      const seen = await observe(body, deps.fetchPage, Math.max(1_000, context.timeoutMs - MARGIN_MS));
      if (seen instanceof Failure) return fail("invalid_url", seen.detail, seen);
      const url = new URL(body.url);
      const page = await analysed(deps, seen, url);
      if (page instanceof Failure) return page;
      const notPage = new Set(["headers", "cookies", "dns"]);
      return {
        address: readAddress(url),
        page,
        ruleset_version: RULESET_VERSION,
        input_sha256: seen.sha256,
        // A page sent as text lacks nothing by not being HTML.
        not_observed: seen.notObserved.filter(
          ({ what }) => !notPage.has(what) && !(what === "html" && page !== null),
        ),
        meta: metaOf(MODULE, context, startedMs),
      };
    },
    classify: async ({ body }, context) => {
      const startedMs = performance.now();
      const labels = body.labels?.map(labelOf);
      const chars =
        body.text.length +
        (labels ?? []).reduce(
          (sum, { name, descriptions }) => sum + name.length + descriptions.join().length,
          0,
        );
      const result = await run(deps, "classify", { text: body.text, labels }, chars);
      if (result instanceof Failure) return result;
      return {
        result: shownClassification(result),
        ruleset_version: RULESET_VERSION,
        input_sha256: sha256(JSON.stringify([body.text, labels ?? null])),
        not_observed: [],
        meta: metaOf(MODULE, context, startedMs),
      };
    },
    embeddings: async ({ body }, context) => {
      const startedMs = performance.now();
      const chars = body.texts.reduce((sum, text) => sum + text.length, 0);
      const embedded = await run(deps, "embed", body.texts, chars);
      if (embedded instanceof Failure) return embedded;
      return {
        model: EMBEDDING_MODEL,
        dimensions: VECTOR_SIZE,
        embeddings: embedded.map((one, index) => ({ index, ...one })),
        total_tokens: embedded.reduce((sum, { tokens }) => sum + tokens, 0),
        ruleset_version: RULESET_VERSION,
        input_sha256: sha256(JSON.stringify(body.texts)),
        not_observed: [],
        meta: metaOf(MODULE, context, startedMs),
      };
    },
  };
};
