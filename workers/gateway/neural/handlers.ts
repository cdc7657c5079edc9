import { round } from "../../../src/detectors/risk.ts";
import { EMBEDDING_MODEL, VECTOR_SIZE } from "../../../src/domain/search/embeddings/static-vectors.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Caller, TaskFailure } from "../../../src/threads/thread-tasks.ts";
import { sha256 } from "../common/digest.ts";
import { metaOf } from "../common/meta.ts";
import { type FetchPage, type Observed, observe, parseWebUrl } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import { readAddress } from "./address.ts";
import type { Label } from "./categories.ts";
import type { Classification } from "./classifier.ts";
import type { neural } from "./contract.ts";
import type { NeuralTasks } from "./tasks.ts";

export interface NeuralDeps {
  fetchPage: FetchPage;
  scans: Scans;
}

const MODULE = "neural";
const RULESET_VERSION = `1+${EMBEDDING_MODEL}`;
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

const run = <T extends keyof NeuralTasks>(
  { scans }: NeuralDeps,
  task: T,
  input: Parameters<NeuralTasks[T]>[0],
  caller: Caller,
): Promise<ReturnType<NeuralTasks[T]> | TaskFailure> =>
  scans.run<ReturnType<NeuralTasks[T]>>(task, input, caller);

const analysed = async (deps: NeuralDeps, seen: Observed, fallback: URL, caller: Caller) => {
  const { html, text } = seen;
  if (html === undefined && text === undefined) return null;
  const url = (seen.url ?? fallback).href;
  const source = { html, text, url };
  const analysis = await run(deps, "analyse", source, caller);
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
      const url = parseWebUrl(body.url);
      if (url instanceof Failure) return url;
      const page = await analysed(deps, seen, url, context);
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
      const result = await run(deps, "classify", { text: body.text, labels }, context);
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
      const embedded = await run(deps, "embed", body.texts, context);
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
