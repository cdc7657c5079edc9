/** What sites and queries mean, as the service would say: by the encoder where it is asked for, else by static vectors. */
import { ensureEncoder } from "../../../deploy/encoder.ts";
import { EncoderProcess } from "../../../src/adapters/encoder/encoder-process.ts";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { isForeign } from "../../../src/domain/search/embeddings/foreign.ts";
import {
  encoderText,
  queryMeaning,
  type SiteTexts,
  siteVector,
} from "../../../src/domain/search/embeddings/site-meaning.ts";
import { quantize, type StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import type { Encoder } from "../../../src/ports/encoder.ts";
import type { SiteSearch } from "../../../workers/search/find.ts";
import { say } from "./engine.ts";

const START_MS = 60_000;
const POLL_MS = 20;
/** An evaluation may run at the lowest priority. */
const STUCK_MS = 600_000;

export class Meaning {
  readonly #model: StaticVectors;
  readonly #encoder: Encoder | undefined;

  constructor(model: StaticVectors, encoder?: Encoder) {
    this.#model = model;
    this.#encoder = encoder && patient(encoder);
  }

  get encoder(): string | null {
    return this.#encoder?.name ?? null;
  }

  async site(texts: SiteTexts): Promise<Int8Array | undefined> {
    const text = encoderText(texts);
    if (this.#encoder === undefined || text === "") return siteVector(this.#model, texts);
    const foreign = isForeign(this.#model, text);
    return quantize((await this.#encoder.encode(text, { for: "query", waitMs: STUCK_MS, foreign }))!);
  }

  /** What a search has of these words beside them, as the service does (workers/search/role.ts). */
  async of(words: string): Promise<Pick<SiteSearch, "meaning" | "isWord">> {
    return {
      meaning: await queryMeaning(this.#model, this.#encoder, words),
      isWord: (word) => this.#model.tokenizer.isWord(word),
    };
  }
}

/** Waits for each text, one after the other, since few may wait; the same is encoded once, however many hours ask for it. */
function patient(encoder: Encoder): Encoder {
  const known = new Map<string, Promise<Float32Array>>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    name: encoder.name,
    state: encoder.state,
    close: () => encoder.close(),
    encode: (text, options) => {
      const vector =
        known.get(text) ??
        last.then(async () => {
          const encoded = await encoder.encode(text, { ...options, waitMs: STUCK_MS });
          if (encoded === undefined) throw new Error("The encoder does not answer.");
          return encoded;
        });
      known.set(text, vector);
      last = vector;
      return vector;
    },
  };
}

/** @param encoder whether the sentence encoder, installed first where it is not, takes part */
export async function openMeaning(encoder: boolean): Promise<{ meaning: Meaning; close(): Promise<void> }> {
  if (!encoder) return { meaning: new Meaning(embeddingModel()), close: async () => undefined };
  const running = new EncoderProcess({
    ...(await ensureEncoder(say)),
    onFailure: say,
    stuckAfterMs: STUCK_MS,
  });
  const giveUpAt = performance.now() + START_MS;
  while (running.state !== "running") {
    if (performance.now() > giveUpAt) throw new Error("The encoder does not start.");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return { meaning: new Meaning(embeddingModel(), running), close: () => running.close() };
}
