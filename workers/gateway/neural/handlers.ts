import { VECTOR_SIZE } from "../../../schemas/common.ts";
import { round } from "../../../src/detectors/risk.ts";
import { EMBEDDING_MODEL } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { guessLanguage } from "../../../src/pages/language.ts";
import type { Encoder } from "../../../src/ports/encoder.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import type { GatewayContext } from "../common/context.ts";
import { pageDigest, sha256 } from "../common/digest.ts";
import { moduleMeta } from "../common/meta.ts";
import { type ObservedPage, observePage, parseWebUrl } from "../common/observed-page.ts";
import { openScans } from "../common/scans.ts";
import { readAddress } from "./address.ts";
import type { PageAnalysis } from "./analysis.ts";
import { type Label, SITE_CATEGORIES } from "./categories.ts";
import {
  type Classification,
  Classifier,
  labelTexts,
  type Prototype,
  readCalibrations,
} from "./classifier.ts";
import type { neural } from "./contract.ts";
import type * as tasks from "./thread.ts";

type NeuralDeps = Pick<GatewayContext, "fetchPage" | "scans"> & Partial<Pick<GatewayContext, "encoder">>;

const MODULE = "neural";
const RULESET_VERSION = `2+${EMBEDDING_MODEL}`;
/** Left for the reply after fetching, of the operation's deadline. */
const MARGIN_MS = 5_000;
/** What the encoder does not read in this time is read by the static vectors. */
const ENCODE_WAIT_MS = 4_000;

const task = tasksOf<typeof tasks>(new URL("./thread.ts", import.meta.url));
const [ANALYZE, CLASSIFY, EMBED] = [task("analyze"), task("classify"), task("embed")];

/** Opens the module with threads of its own: its models are larger than all the rest of the gateway. */
export function openNeural({ fetchPage, encoder, onClose }: GatewayContext): Handlers<typeof neural> {
  const { scans, close } = openScans();
  onClose(close);
  return neuralHandlers({ fetchPage, scans, encoder });
}

export function neuralHandlers(deps: NeuralDeps): Handlers<typeof neural> {
  return {
    analyzeUrl: async ({ body }, context) => {
      const startedMs = performance.now();
      const url = parseWebUrl(body.url);
      if (url instanceof Failure) return url;
      const timeoutMs = Math.max(1_000, context.timeoutMs - MARGIN_MS);
      const observed = await observePage(body, deps.fetchPage, timeoutMs, context.signal);
      if (observed instanceof Failure) return observed;
      const read = await analyzed(deps, observed, url, context);
      if (read instanceof Failure) return read;
      return {
        address: readAddress(url),
        ...read,
        ruleset_version: RULESET_VERSION,
        not_observed: observed.notObserved,
        meta: moduleMeta(MODULE, context, startedMs),
      };
    },
    classifyText: async ({ body }, context) => {
      const startedMs = performance.now();
      const labels = body.labels?.map(labelOf) ?? SITE_CATEGORIES;
      const encoder = deps.encoder?.();
      const byEncoder = encoder && (await classifiedBy(encoder, body.text, labels));
      const result = byEncoder ?? (await deps.scans.run(CLASSIFY, { text: body.text, labels }, context));
      if (result instanceof Failure) return result;
      return {
        result: shownClassification(result),
        ruleset_version: byEncoder ? `${RULESET_VERSION}+${encoder!.name}` : RULESET_VERSION,
        input_sha256: sha256(JSON.stringify([body.text, body.labels ?? null])),
        not_observed: [],
        meta: moduleMeta(MODULE, context, startedMs),
      };
    },
    embedTexts: async ({ body }, context) => {
      const startedMs = performance.now();
      const embedded = await deps.scans.run(EMBED, body.texts, context);
      if (embedded instanceof Failure) return embedded;
      return {
        model: EMBEDDING_MODEL,
        dimensions: VECTOR_SIZE,
        embeddings: embedded.map((one, index) => ({ index, ...one })),
        total_tokens: embedded.reduce((sum, { tokens }) => sum + tokens, 0),
        ruleset_version: RULESET_VERSION,
        input_sha256: sha256(JSON.stringify(body.texts)),
        not_observed: [],
        meta: moduleMeta(MODULE, context, startedMs),
      };
    },
  };
}

/** The analysis of an observed page, null where there is none; and the digest of what was observed. */
async function analyzed(
  { scans }: NeuralDeps,
  { html, text, status, url: observedUrl }: ObservedPage,
  requested: URL,
  caller: Caller,
) {
  const url = (observedUrl ?? requested).href;
  if (html === undefined && text === undefined)
    return { page: null, input_sha256: pageDigest(url, undefined, undefined) };
  const source = { html, text, url };
  const read = await scans.run(ANALYZE, source, caller);
  if (read instanceof Failure) return read;
  const { analysis, input_sha256 } = read;
  const page = {
    ...shownAnalysis(analysis),
    fetched: status !== undefined,
    status: status ?? null,
    final_url: url,
  };
  return { page, input_sha256 };
}

/** By the encoder's directions of the text and of all that is said of the labels, one after another; undefined where it has no time. */
async function classifiedBy(
  encoder: Encoder,
  text: string,
  labels: readonly Label[],
): Promise<Classification | undefined> {
  const until = performance.now() + ENCODE_WAIT_MS;
  const encode = async (said: string): Promise<Float32Array | undefined> => {
    const { language } = guessLanguage(said);
    const foreign = language !== null && language !== "en";
    const waitMs = until - performance.now();
    return waitMs > 0 ? encoder.encode(said, { for: "query", waitMs, foreign }) : undefined;
  };
  const direction = await encode(text);
  const prototypes: Prototype[] = [];
  for (const label of direction ? labels : []) {
    const directions: Float32Array[] = [];
    for (const said of labelTexts(label)) {
      const one = await encode(said);
      if (!one) return undefined;
      directions.push(one);
    }
    prototypes.push({ name: label.name, directions });
  }
  return direction && new Classifier(prototypes, readCalibrations().encoder).classify(direction);
}

const shownAnalysis = (analysis: PageAnalysis) => ({
  ...analysis,
  language: { ...analysis.language, confidence: round(analysis.language.confidence) },
  topics: analysis.topics.map(({ topic, weight }) => ({ topic, weight: round(weight) })),
  category: shownClassification(analysis.category),
});

const shownClassification = ({ label, confidence, none, ranked }: Classification) => ({
  label,
  confidence: round(confidence, 4),
  none_confidence: round(none, 4),
  abstained: label === null,
  ranked: ranked.map((one) => ({ label: one.label, confidence: round(one.confidence, 4) })),
});

/** A label as a caller names it. */
const labelOf = ({ name, description }: { name: string; description?: string | undefined }): Label => ({
  name,
  descriptions: description ? [description] : [],
});
