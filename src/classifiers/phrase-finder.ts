/** Which of some expressions a text may match, from one pass over its characters: most texts match none of them. */
import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { unitsOf } from "../pages/units.ts";

/** How selective a set of required literals is: by its least selective member. */
const worthOf = (literals: readonly string[]): number =>
  Math.min(...literals.map((literal) => literal.replace(/\d/g, "").trim().length + literal.length / 8));

/** What one element adds to the literal around it: characters, nothing at all, or its end. */
type Part = { text: string } | { required: readonly string[] | undefined };

const ENDS: Part = { required: undefined };
const ZERO_WIDTH: Part = { text: "" };
/** A digit stands for all of them. */
const ANY_DIGIT: Part = { text: "0" };

const isDigit = (element: AST.CharacterClassElement): boolean =>
  element.type === "CharacterClassRange"
    ? isDigit(element.min) && isDigit(element.max)
    : element.type === "Character"
      ? /\d/.test(element.raw)
      : element.type === "CharacterSet" && element.kind === "digit" && !element.negate;

const SPACE = 1;
const DIGIT = 2;
const FIRST_LETTER = 3;
/** Symbols that a state has a place for: two to this. */
const SYMBOL_BITS = 6;
const SYMBOLS = 1 << SYMBOL_BITS;
/** Bits of a number that its sign leaves alone. */
const MAX_PATTERNS = 31;

/** Where letter case is no matter, a regular expression with `u` takes these for `k` and `s`. */
const KELVIN = 0x21_2a;
const LONG_S = 0x01_7f;

/** A beginning of some literals, while the automaton is made. */
interface State {
  readonly number: number;
  readonly last: number;
  readonly next: Map<number, State>;
  /** Literals that end here, by the bits of their patterns. */
  accepts: number;
}

/**
 * Aho and Corasick's automaton over the required literals of the expressions. Letter case does not
 * matter, every digit is the same, and any white space is one space; so it is at both ends of a text.
 */
export class PhraseFinder {
  readonly #bits = new Map<RegExp, number>();
  /** By UTF-16 unit; 0 for what no literal has. */
  readonly #symbols = new Uint8Array(0x1_00_00);
  /** By state and symbol: the next state. */
  readonly #next: Uint16Array;
  readonly #accepts: Int32Array;

  /** @throws Error when there are too many patterns or literals, or a pattern has no required literal */
  constructor(patterns: readonly RegExp[]) {
    if (patterns.length > MAX_PATTERNS) throw new Error(`more than ${MAX_PATTERNS} patterns`);
    let symbols = this.#nameSymbols();
    const states: State[] = [{ number: 0, last: 0, next: new Map(), accepts: 0 }];
    for (const [index, pattern] of patterns.entries()) {
      this.#bits.set(pattern, 1 << index);
      for (const literal of requiredLiterals(pattern)) {
        let state = states[0]!;
        for (let i = 0; i < literal.length; i++) {
          const unit = literal.charCodeAt(i);
          if (this.#symbols[unit] === 0) this.#symbols[unit] = symbols++;
          const symbol = this.#symbols[unit]!;
          const next = state.next.get(symbol) ?? {
            number: states.length,
            last: symbol,
            next: new Map(),
            accepts: 0,
          };
          if (next.number === states.length) states.push(next);
          state.next.set(symbol, next);
          state = next;
        }
        state.accepts |= 1 << index;
      }
    }
    if (symbols > SYMBOLS || states.length > 0x1_00_00) throw new Error("too many literals");
    this.#next = new Uint16Array(states.length * SYMBOLS);
    this.#accepts = new Int32Array(states.length);
    this.#complete(states[0]!);
  }

  /** The patterns that a text may match, a bit each. All that it does match are among them. */
  read(text: string): number {
    const units = unitsOf(text);
    const next = this.#next;
    const accepts = this.#accepts;
    const symbols = this.#symbols;
    let state = next[SPACE]!;
    let found = 0;
    for (let i = 0; i < text.length; i++) {
      state = next[(state << SYMBOL_BITS) | symbols[units[i]!]!]!;
      found |= accepts[state]!;
    }
    return found | accepts[next[(state << SYMBOL_BITS) | SPACE]!]!;
  }

  /** The bit of a pattern. @throws Error for one that it was not made with */
  bitOf(pattern: RegExp): number {
    const bit = this.#bits.get(pattern);
    if (bit === undefined) throw new Error(`not among the patterns: ${pattern.source}`);
    return bit;
  }

  /** Gives a symbol to each letter, digit and white space. @returns the first that is free for other characters */
  #nameSymbols(): number {
    const symbols = this.#symbols;
    for (let unit = 0; unit < symbols.length; unit++)
      if (/\s/.test(String.fromCharCode(unit))) symbols[unit] = SPACE;
    symbols.fill(DIGIT, 48, 58);
    for (let i = 0; i < 26; i++) {
      symbols[65 + i] = FIRST_LETTER + i;
      symbols[97 + i] = FIRST_LETTER + i;
    }
    symbols[KELVIN] = symbols[107]!;
    symbols[LONG_S] = symbols[115]!;
    return FIRST_LETTER + 26;
  }

  /** Fills the tables, shorter states first: where a literal does not go on, its longest end that does. */
  #complete(root: State): void {
    const pending: [State, fallback: number][] = [[root, 0]];
    for (const [state, fallback] of pending) {
      const from = state.number << SYMBOL_BITS;
      this.#accepts[state.number] = state.accepts | this.#accepts[fallback]!;
      for (let symbol = 0; symbol < SYMBOLS; symbol++) {
        const next = state.next.get(symbol);
        const without = state === root ? 0 : this.#next[(fallback << SYMBOL_BITS) | symbol]!;
        this.#next[from | symbol] = next?.number ?? without;
        if (next) pending.push([next, without]);
      }
      if (state.last === SPACE) this.#next[from | SPACE] = state.number;
    }
  }
}

/**
 * Literals of which every match has at least one: lower case, any digit as `0`. None goes over the end of a line.
 * @throws Error when there are none
 */
export function requiredLiterals(pattern: RegExp): readonly string[] {
  const required = requiredOf(new RegExpParser().parseLiteral(String(pattern)).pattern.alternatives);
  if (!required) throw new Error(`matches without a literal: ${pattern.source}`);
  return required;
}

/** The whole has required literals only if each alternative has: those of all together. */
function requiredOf(alternatives: readonly AST.Alternative[]): readonly string[] | undefined {
  const each = alternatives.map(requiredInTurn);
  return each.every((one) => one !== undefined) ? [...new Set(each.flat())] : undefined;
}

function requiredInTurn({ elements }: AST.Alternative): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let run = "";
  const end = (): void => {
    if (run !== "") best = better(best, [run]);
    run = "";
  };
  for (const element of elements) {
    const isQuantified = element.type === "Quantifier";
    const { min, max } = isQuantified ? element : { min: 1, max: 1 };
    const part = partOf(isQuantified ? element.element : element);
    if (!("text" in part)) {
      end();
      if (min > 0) best = better(best, part.required);
      continue;
    }
    if (min > 0) run += part.text;
    if (min === 0 || max > 1) end();
  }
  end();
  return best;
}

function better(a: readonly string[] | undefined, b: readonly string[] | undefined) {
  if (!a || !b) return a ?? b;
  const gain = worthOf(b) - worthOf(a);
  return gain > 0 || (gain === 0 && b.length < a.length) ? b : a;
}

function partOf(element: AST.Element): Part {
  switch (element.type) {
    case "Assertion":
      return ZERO_WIDTH;
    case "Group":
    case "CapturingGroup":
      return { required: requiredOf(element.alternatives) };
    case "Character":
      return characterOf(element);
    case "CharacterSet":
      return element.kind === "digit" && !element.negate ? ANY_DIGIT : ENDS;
    case "CharacterClass":
      return !element.negate && element.elements.every(isDigit) ? ANY_DIGIT : ENDS;
    default:
      return ENDS;
  }
}

function characterOf({ value }: AST.Character): Part {
  const char = String.fromCodePoint(value);
  if (/\d/.test(char)) return ANY_DIGIT;
  return /[ -~]/.test(char) ? { text: char.toLowerCase() } : ENDS;
}
