/**
 * A linear classifier that looks at every part of a text: windows of 8 words and more, each half over the next. A window is the
 * n-grams in it, its vector of length one. Sums up to each word make a window cost the same however long it is. Trained by
 * train/firewall.
 */
import { FeatureReader, MAX_CHARS } from "./feature-reader.ts";
import type { FeatureOptions, ModelCard } from "./model-card.ts";

/** Words of the shortest window; each longer one has twice as many. */
const SHORTEST = 8;
const LONGEST = 128;

/** A part of a text, by its words. */
export interface TextWindow {
  /** From 0 to before `to`: places among the reader's words. */
  readonly from: number;
  readonly to: number;
}

export interface Scored extends TextWindow {
  readonly logit: number;
}

/** The windows of a text of so many words, and the whole. */
export function* windowsOf(words: number): Generator<TextWindow> {
  for (let size = SHORTEST; size < words && size <= LONGEST; size *= 2)
    for (let from = 0; ; from += size / 2) {
      const to = Math.min(words, from + size);
      yield { from, to };
      if (to === words) break;
    }
  yield { from: 0, to: words };
}

export class WindowModel {
  readonly card: ModelCard;
  /** The words of the text that was judged last. */
  readonly reader: FeatureReader;
  readonly #weights: Int8Array;
  readonly #sums: WindowSums;

  constructor(card: ModelCard, weights: Int8Array) {
    this.card = card;
    this.#weights = weights;
    this.reader = new FeatureReader(card.features);
    this.#sums = new WindowSums(card.features);
  }

  /** The same model, its logits read by other calibrations. */
  calibratedBy(calibrations: NonNullable<ModelCard["calibrations"]>): WindowModel {
    return new WindowModel({ ...this.card, calibrations }, this.#weights);
  }

  /** The window of a text that is most of the class. `undefined` for a text without words; no more than MAX_CHARS are read. */
  riskiest(text: string): Scored | undefined {
    this.reader.open(text);
    const { words } = this.reader;
    if (words === 0) return undefined;
    this.#sums.read(this.reader, this.#weights);
    const scale = this.card.scales[0]!;
    const bias = this.card.biases[0]!;
    let best: Scored | undefined;
    for (const { from, to } of windowsOf(words)) {
      const logit = this.#sums.of(from, to) * scale + bias;
      if (best === undefined || logit > best.logit) best = { from, to, logit };
    }
    return best;
  }
}

/** Sums of weights and of n-grams up to each word: of the runs of characters with the words themselves, and of runs of words. */
class WindowSums {
  readonly #grams: number;
  /** By length of run: sums before each word. The first is of the words and the characters in them. */
  readonly #sums: readonly Float64Array[];
  /** N-grams in words before each word. */
  readonly #counts = new Uint32Array(MAX_CHARS + 1);
  readonly #scratch: Uint32Array;

  constructor({ words }: FeatureOptions) {
    this.#grams = words;
    this.#sums = Array.from({ length: words }, () => new Float64Array(MAX_CHARS + 1));
    this.#scratch = new Uint32Array(words);
  }

  read(reader: FeatureReader, weights: Int8Array): void {
    const { runs, runStarts } = reader;
    for (let word = 0; word < reader.words; word++) {
      const count = reader.gramsOf(word, this.#scratch);
      for (let n = 0; n < this.#grams; n++) {
        const sums = this.#sums[n]!;
        sums[word + 1] = sums[word]! + (n < count ? weights[this.#scratch[n]!]! : 0);
      }
      let sum = 0;
      for (let i = runStarts[word]!; i < runStarts[word + 1]!; i++) sum += weights[runs[i]!]!;
      this.#sums[0]![word + 1]! += sum;
      this.#counts[word + 1] = this.#counts[word]! + 1 + runStarts[word + 1]! - runStarts[word]!;
    }
  }

  /** Sum of a window's weights, its vector of length one. A run of words that begins before it is not in it. */
  of(from: number, to: number): number {
    let sum = this.#sums[0]![to]! - this.#sums[0]![from]!;
    let count = this.#counts[to]! - this.#counts[from]!;
    for (let n = 1; n < this.#grams && from + n < to; n++) {
      sum += this.#sums[n]![to]! - this.#sums[n]![from + n]!;
      count += to - from - n;
    }
    return sum / Math.sqrt(count);
  }
}
