/** BERT's uncased WordPiece tokenizer, for the static vectors and the encoder: one vocabulary, the encoder's being its beginning. */

/** A word of more code points, or with a part that no piece matches, is one unknown piece. */
const MAX_WORD_LENGTH = 100;
const UNKNOWN = "[UNK]";

const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
/** Tab and line ends are spaces, not controls. */
export const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
/** CJK ideographs; kana and hangul are words as in other scripts. */
const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
const ACCENT = /\p{Mn}/gu;
const UPPER_SIGMA = /Σ/g;
/** Punctuation of Unicode, and every sign of ASCII. */
const WORD = /[\p{P}$+<=>^`|~]|[^\p{White_Space}\p{P}$+<=>^`|~]+/gu;
const PLAIN_WORD = /[a-z0-9]+|[^\sa-z0-9]/g;

/** Lower case sign by sign: JavaScript's own knows that a sigma at a word's end is written otherwise. */
const lower = (text: string): string => text.replace(UPPER_SIGMA, "σ").toLowerCase();

const normalize = (text: string): string =>
  lower(text.replace(DROPPED, "").replace(IDEOGRAPH, " $& ").normalize("NFD").replace(ACCENT, ""));

/**
 * BERT's uncased WordPiece tokenizer (Devlin et al. 2019), cut for cut as the model's own: texts are cleaned, characters
 * of Chinese script stand alone, accents go, and words are cut into the longest pieces the vocabulary has. Only special
 * tokens differ: "[CLS]" in a text is text.
 */
export class Tokenizer {
  readonly #starts = new Map<string, number>();
  readonly #continuations = new Map<string, number>();
  readonly #unknown: number;
  /** Of each piece, UTF-16 units of its text. */
  readonly #lengths: Uint16Array;
  /** UTF-16 units of the longest piece. */
  #longest = 1;

  /** @param vocabulary pieces by their ids; those that go on a word begin with "##" */
  constructor(vocabulary: readonly string[]) {
    this.#lengths = new Uint16Array(vocabulary.length);
    vocabulary.forEach((piece, id) => {
      const isContinuation = piece.startsWith("##") && piece.length > 2;
      const text = isContinuation ? piece.slice(2) : piece;
      (isContinuation ? this.#continuations : this.#starts).set(text, id);
      this.#lengths[id] = text.length;
      this.#longest = Math.max(this.#longest, text.length);
    });
    this.#unknown = this.#starts.get(UNKNOWN) ?? 0;
  }

  /** The length of a piece's text, without the sign that it goes on a word. */
  lengthOf(id: number): number {
    return this.#lengths[id]!;
  }

  /** Whether it is one word that the vocabulary has whole. */
  isWord(word: string): boolean {
    const [pieces, ...others] = this.words(word);
    return pieces?.length === 1 && others.length === 0 && pieces[0] !== this.#unknown;
  }

  /** The ids of a text's pieces in order, without [CLS] and [SEP], not cut at any length. */
  pieces(text: string): number[] {
    const ids: number[] = [];
    for (const word of wordsOf(text)) this.#cut(word, ids);
    return ids;
  }

  /** The same, the pieces of each word and sign by themselves. */
  words(text: string): number[][] {
    return wordsOf(text).map((word) => {
      const ids: number[] = [];
      this.#cut(word, ids);
      return ids;
    });
  }

  #cut(word: string, ids: number[]): void {
    const whole = this.#starts.get(word);
    if (whole !== undefined && word.length <= MAX_WORD_LENGTH) {
      ids.push(whole);
      return;
    }
    const before = ids.length;
    if (this.#isTooLong(word) || !this.#cutPieces(word, ids)) {
      ids.length = before;
      ids.push(this.#unknown);
    }
  }

  #isTooLong(word: string): boolean {
    return (
      word.length > 2 * MAX_WORD_LENGTH ||
      (word.length > MAX_WORD_LENGTH && Array.from(word).length > MAX_WORD_LENGTH)
    );
  }

  /** Longest piece first; false when a part has none. */
  #cutPieces(word: string, ids: number[]): boolean {
    for (let at = 0; at < word.length; ) {
      const known = at === 0 ? this.#starts : this.#continuations;
      let end = Math.min(word.length, at + this.#longest);
      let id: number | undefined;
      for (; end > at; end--) {
        id = known.get(word.slice(at, end));
        if (id !== undefined) break;
      }
      if (id === undefined) return false;
      ids.push(id);
      at = end;
    }
    return true;
  }
}

function wordsOf(text: string): string[] {
  const isPlain = PLAIN.test(text);
  return (isPlain ? text.toLowerCase() : normalize(text)).match(isPlain ? PLAIN_WORD : WORD) ?? [];
}
