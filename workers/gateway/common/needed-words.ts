/** What every match of a regular expression has in it, read from the expression: of some literals, at least one. */

/** Parts that no match can be without are told by how much they say; of a set, its poorest member counts. */
const worthOf = (literals: readonly string[]): number =>
  Math.min(...literals.map((literal) => literal.replace(/\d/g, "").trim().length + literal.length / 8));

const better = (a: readonly string[] | undefined, b: readonly string[] | undefined) => {
  if (!a || !b) return a ?? b;
  const gain = worthOf(b) - worthOf(a);
  return gain > 0 || (gain === 0 && b.length < a.length) ? b : a;
};

/** What one atom gives to the literal that it stands in: characters, nothing at all, or an end of it. */
type Atom = { text: string } | { needed: readonly string[] | undefined };

const ENDS: Atom = { needed: undefined };
const ZERO_WIDTH: Atom = { text: "" };

/** A digit stands for all of them. */
const ANY_DIGIT = "0";
const literalOf = (char: string): Atom =>
  /[A-Za-z]/.test(char)
    ? { text: char.toLowerCase() }
    : /\d/.test(char)
      ? { text: ANY_DIGIT }
      : /[ -~]/.test(char)
        ? { text: char }
        : ENDS;

/** Reads the source of an expression from left to right, by recursive descent. */
class SourceReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Alternatives: each must need something for the whole to need one of all. */
  alternatives(): readonly string[] | undefined {
    const all = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at++;
      all.push(this.#sequence());
    }
    return all.every((one) => one !== undefined) ? [...new Set(all.flat() as string[])] : undefined;
  }

  #sequence(): readonly string[] | undefined {
    let best: readonly string[] | undefined;
    let run = "";
    const end = (): void => {
      if (run !== "") best = better(best, [run]);
      run = "";
    };
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at]!)) {
      const atom = this.#atom();
      const [least, most] = this.#times();
      if (!("text" in atom)) {
        end();
        if (least > 0) best = better(best, atom.needed);
        continue;
      }
      if (least > 0) run += atom.text;
      if (least === 0 || most > 1) end();
    }
    end();
    return best;
  }

  /** How often the atom before is there, as far as it matters: 0 or once, and whether more than once. */
  #times(): [least: number, most: number] {
    const [sign, least, most] = /^(?:[?*+]|\{(\d+)(?:,(\d*))?\})?/.exec(this.#source.slice(this.#at))!;
    this.#at += sign.length;
    if (sign !== "" && this.#source[this.#at] === "?") this.#at++;
    if (sign === "") return [1, 1];
    if (least === undefined) return [sign === "+" ? 1 : 0, sign === "?" ? 1 : 2];
    return [Number(least), Number(most ?? least) || 2];
  }

  #atom(): Atom {
    const char = this.#source[this.#at++]!;
    if (char === "(") return this.#group();
    if (char === "[") return this.#charClass();
    if (char === "\\") return this.#escape();
    if (char === "^" || char === "$") return ZERO_WIDTH;
    return char === "." ? ENDS : literalOf(char);
  }

  #group(): Atom {
    const [opening, look] = /^(?:\?(?::|<?([=!])))?/.exec(this.#source.slice(this.#at))!;
    this.#at += opening.length;
    const needed = this.alternatives();
    this.#at++;
    return look === undefined ? { needed } : ZERO_WIDTH;
  }

  /** Of classes, those of digits alone are told. */
  #charClass(): Atom {
    const [, members] = /^((?:\\.|[^\]\\])*)\]/.exec(this.#source.slice(this.#at))!;
    this.#at += members!.length + 1;
    return /^(?:\d-\d|\d|\\d)+$/.test(members!) ? { text: ANY_DIGIT } : ENDS;
  }

  #escape(): Atom {
    const char = this.#source[this.#at++]!;
    if (/[bB]/.test(char)) return ZERO_WIDTH;
    if (char === "d") return { text: ANY_DIGIT };
    if (char === "s" || char === "w") return ENDS;
    if (/[A-Za-z0-9]/.test(char)) throw new Error(`not read here: \\${char} in ${this.#source}`);
    return literalOf(char);
  }
}

/**
 * Literals of which every match has at least one: lower case, any digit as `0`. None goes over the end of a line.
 * @throws Error when there are none, or the expression has escapes other than of signs and `\b \d \s \w`
 */
export const neededBy = (pattern: RegExp): readonly string[] => {
  const needed = new SourceReader(pattern.source).alternatives();
  if (!needed) throw new Error(`matches without a literal: ${pattern.source}`);
  return needed;
};
