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
import type { DirectionsBy } from "../../../src/domain/search/ranking.ts";
import type { Encoder } from "../../../src/ports/encoder.ts";
import { say } from "./engine.ts";

const START_MS = 60_000;
const POLL_MS = 20;
/** An evaluation may run at the lowest priority. */
const STUCK_MS = 600_000;

export class Meaning {
  readonly #model: StaticVectors;
  readonly #encoder: Encoder | undefined;
  /** The same text is encoded once: markets and hours ask for it again and again. */
  readonly #known = new Map<string, Promise<Int8Array>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(model: StaticVectors, encoder?: Encoder) {
    this.#model = model;
    this.#encoder = encoder;
  }

  /** Whether a word is one of a language (workers/search/find.ts). */
  readonly isWord = (word: string): boolean => this.#model.tokenizer.isWord(word);

  /** Whose directions `query` gives of these words (workers/search/role.ts). */
  by(words: string): DirectionsBy {
    return isForeign(this.#model, words) ? "foreign" : this.#encoder ? "encoder" : "static";
  }

  get encoder(): string | null {
    return this.#encoder?.name ?? null;
  }

  #encoded(encoder: Encoder, text: string): Promise<Int8Array> {
    const known =
      this.#known.get(text) ??
      // One after the other: few may wait.
      this.#last.then(async () => {
        const vector = await encoder.encode(text, {
          for: "query",
          waitMs: STUCK_MS,
          foreign: isForeign(this.#model, text),
        });
        if (vector === undefined) throw new Error("The encoder does not answer.");
        return quantize(vector);
      });
    this.#known.set(text, known);
    this.#last = known;
    return known;
  }

  async site(texts: SiteTexts): Promise<Int8Array | undefined> {
    const text = encoderText(texts);
    if (this.#encoder === undefined || text === "") return siteVector(this.#model, texts);
    return this.#encoded(this.#encoder, text);
  }

  async query(words: string): Promise<Int8Array | undefined> {
    const { known, toEncode } = queryMeaning(this.#model, words);
    return this.#encoder && toEncode ? this.#encoded(this.#encoder, toEncode.text) : known;
  }
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
