/**
 * Style sheets and declaration lists, split as CSS Syntax Level 3 splits them (section 5.4), in one pass that never goes back:
 * time grows with length, whatever is wrong with the text. Values and selectors stay as written: only where they end is read.
 */

export interface Declaration {
  /** As written, escapes too. */
  readonly property: string;
  /** As written, comments too, without white space around it. */
  readonly value: string;
  readonly isImportant: boolean;
}

/** Called with what a style sheet or a block in it holds, in its order. */
export interface SheetReader {
  /** What a rule declares, up to the next rule that nests in it: called as often as there is something. */
  declarations(list: readonly Declaration[]): void;
  /** @returns who reads the rule's block; undefined: nobody does */
  rule(prelude: string): SheetReader | undefined;
  /** @param name lower case @returns who reads its block, if it has one; undefined: nobody does */
  atRule(name: string, prelude: string): SheetReader | undefined;
}

const codeOf = (char: string): number => char.charCodeAt(0);
const [AT, BACKSLASH, COLON, EXCLAMATION, HASH, HYPHEN, LESS, SEMICOLON, SLASH, STAR] = [
  ..."@\\:!#-<;/*",
].map(codeOf) as [number, number, number, number, number, number, number, number, number, number];
const [ROUND, ROUND_END, SQUARE, SQUARE_END, CURLY, CURLY_END] = [..."()[]{}"].map(codeOf) as [
  number,
  number,
  number,
  number,
  number,
  number,
];

const isNewline = (code: number): boolean => code === 10 || code === 12 || code === 13;
const isBlank = (code: number): boolean => code === 32 || code === 9 || isNewline(code);
const isQuote = (code: number): boolean => code === 34 || code === 39;
const isNameStart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code >= 128;
const isNameCode = (code: number): boolean =>
  isNameStart(code) || (code >= 48 && code <= 57) || code === HYPHEN;
const closerOf = (code: number): number =>
  code === ROUND ? ROUND_END : code === SQUARE ? SQUARE_END : code === CURLY ? CURLY_END : 0;

class CssScanner {
  readonly #text: string;
  readonly #end: number;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#end = text.length;
  }

  /** Not a number after the end. */
  #code(ahead = 0): number {
    return this.#text.charCodeAt(this.#at + ahead);
  }

  #isEscape(ahead = 0): boolean {
    return (
      this.#code(ahead) === BACKSLASH && this.#at + ahead + 1 < this.#end && !isNewline(this.#code(ahead + 1))
    );
  }

  /** Whether a name begins there (section 4.3.9). */
  #isName(ahead: number): boolean {
    const code = this.#code(ahead);
    if (code !== HYPHEN) return isNameStart(code) || this.#isEscape(ahead);
    return (
      this.#code(ahead + 1) === HYPHEN || isNameStart(this.#code(ahead + 1)) || this.#isEscape(ahead + 1)
    );
  }

  #name(): string {
    const start = this.#at;
    while (this.#at < this.#end)
      if (isNameCode(this.#code())) this.#at++;
      else if (this.#isEscape()) this.#at += 2;
      else break;
    return this.#text.slice(start, this.#at);
  }

  /** White space and comments. */
  #blanks(): void {
    while (this.#at < this.#end)
      if (isBlank(this.#code())) this.#at++;
      else if (this.#isComment()) this.#comment();
      else return;
  }

  #isComment(): boolean {
    return this.#code() === SLASH && this.#code(1) === STAR;
  }

  #comment(): void {
    const end = this.#text.indexOf("*/", this.#at + 2);
    this.#at = end === -1 ? this.#end : end + 2;
  }

  /** A string ends at a line's end, too (section 4.3.5). */
  #string(): void {
    const quote = this.#code();
    this.#at++;
    while (this.#at < this.#end) {
      const code = this.#code();
      if (isNewline(code)) return;
      this.#at++;
      if (code === quote) return;
      if (code === BACKSLASH) this.#at += this.#code() === 13 && this.#code(1) === 10 ? 2 : 1;
    }
  }

  /** The rest of `url(` without quotes, bad ones too: up to a bracket (sections 4.3.6 and 4.3.14). */
  #url(): void {
    let first = 1;
    while (isBlank(this.#code(first))) first++;
    // With quotes it is a function like others: the bracket is read next.
    if (isQuote(this.#code(first))) return;
    while (this.#at < this.#end) {
      const code = this.#code();
      this.#at += this.#isEscape() ? 2 : 1;
      if (code === ROUND_END) return;
    }
  }

  /** One token that is no bracket. */
  #token(): void {
    const code = this.#code();
    if (isNameCode(code) || this.#isEscape()) {
      const name = this.#name();
      if (name.length === 3 && this.#code() === ROUND && name.toLowerCase() === "url") this.#url();
    } else if (isQuote(code)) this.#string();
    else if (this.#isComment()) this.#comment();
    else {
      this.#at += code === LESS && this.#text.startsWith("<!--", this.#at) ? 4 : 1;
      if (code === HASH || code === AT) this.#name();
    }
  }

  /** A component value (section 5.4.7): one token, or a block with all that is in it. */
  #value(): void {
    const closers: number[] = [];
    do {
      const code = this.#code();
      const closer = closerOf(code);
      if (closer !== 0) closers.push(closer);
      else if (code === closers.at(-1)) closers.pop();
      else {
        this.#token();
        continue;
      }
      this.#at++;
    } while (closers.length > 0 && this.#at < this.#end);
  }

  /** Goes to the end, to where the block around ends, or to one of the marks. */
  #until(one: number, other: number, isNested: boolean, third = other): void {
    while (this.#at < this.#end) {
      const code = this.#code();
      if (code === one || code === other || code === third || (isNested && code === CURLY_END)) return;
      this.#value();
    }
  }

  /** The contents of a rule's block that has begun, or of a style attribute: declarations, and rules that nest (section 5.5.4). */
  block(reader: SheetReader, isNested: boolean): void {
    let found: Declaration[] = [];
    const give = (): void => {
      if (found.length > 0) reader.declarations(found);
      found = [];
    };
    for (this.#blanks(); this.#at < this.#end; this.#blanks()) {
      const code = this.#code();
      if (code === SEMICOLON) this.#at++;
      else if (isNested && code === CURLY_END) {
        this.#at++;
        break;
      } else if (code === AT && this.#isName(1)) {
        give();
        this.#atRule(reader, isNested, true);
      } else {
        const start = this.#at;
        const declaration = this.#declaration(isNested);
        if (declaration) found.push(declaration);
        else if (this.#code() === CURLY) {
          give();
          this.#ruleBlock(reader, start);
        }
      }
    }
    give();
  }

  /** Up to `;` or the block's end; or to where the block of a rule begins that nests there. */
  #declaration(isNested: boolean): Declaration | undefined {
    const start = this.#at;
    const property = this.#isName(0) ? this.#name() : "";
    this.#blanks();
    if (property === "" || this.#code() !== COLON) {
      this.#at = start;
      this.#until(SEMICOLON, CURLY, isNested);
      return undefined;
    }
    this.#at++;
    const isCustom = property.startsWith("--");
    if (!isCustom) this.#blanks();
    const from = this.#at;
    const mayHoldBlock = isCustom || this.#code() === CURLY;
    this.#until(SEMICOLON, EXCLAMATION, isNested, mayHoldBlock ? undefined : CURLY);
    const value = this.#text.slice(from, this.#at).trim();
    const isMarked = this.#code() === EXCLAMATION;
    const isImportant = isMarked && this.#important(isNested);
    // What stands after the mark belongs to it, right or wrong.
    this.#until(SEMICOLON, CURLY, isNested);
    return this.#code() !== CURLY && isMarked === isImportant ? { property, value, isImportant } : undefined;
  }

  /** Whether the mark is `!important` and the last that the declaration says. */
  #important(isNested: boolean): boolean {
    this.#at++;
    this.#blanks();
    const word = this.#name().toLowerCase();
    this.#blanks();
    const code = this.#code();
    const isLast = this.#at >= this.#end || code === SEMICOLON || (isNested && code === CURLY_END);
    return isLast && word === "important";
  }

  /** A style sheet (section 5.3.3), or the rules in an at-rule's block. */
  rules(reader: SheetReader, isNested: boolean): void {
    for (this.#blanks(); this.#at < this.#end; this.#blanks()) {
      if (isNested && this.#code() === CURLY_END) {
        this.#at++;
        return;
      }
      if (this.#code() === AT && this.#isName(1)) this.#atRule(reader, isNested, false);
      else if (isNested || !this.#commentMark()) {
        const start = this.#at;
        this.#until(CURLY, CURLY, isNested);
        if (this.#code() === CURLY) this.#ruleBlock(reader, start);
      }
    }
  }

  /** `<!--` and `-->` around a sheet, which old browsers took for a comment. */
  #commentMark(): boolean {
    const mark = ["<!--", "-->"].find((text) => this.#text.startsWith(text, this.#at));
    this.#at += mark?.length ?? 0;
    return mark !== undefined;
  }

  #atRule(reader: SheetReader, isNested: boolean, isInRule: boolean): void {
    this.#at++;
    const name = this.#name().toLowerCase();
    const from = this.#at;
    this.#until(SEMICOLON, CURLY, isNested);
    const inner = reader.atRule(name, this.#text.slice(from, this.#at).trim());
    const code = this.#code();
    if (code === SEMICOLON) this.#at++;
    else if (code === CURLY && !inner) this.#value();
    else if (code === CURLY) {
      this.#at++;
      if (isInRule) this.block(inner!, true);
      else this.rules(inner!, true);
    }
  }

  /** A rule's block, which begins here. @param start where its prelude began */
  #ruleBlock(reader: SheetReader, start: number): void {
    const inner = reader.rule(this.#text.slice(start, this.#at).trim());
    if (!inner) {
      this.#value();
      return;
    }
    this.#at++;
    this.block(inner, true);
  }
}

/** The declarations of a style attribute, wrong ones left out. */
export function readDeclarationList(text: string): readonly Declaration[] {
  const found: Declaration[] = [];
  new CssScanner(text).block(
    { declarations: (list) => found.push(...list), rule: () => undefined, atRule: () => undefined },
    false,
  );
  return found;
}

/**
 * Reads a style sheet's rules.
 * @param reader says which blocks are read: as deep as it lets them, functions call each other
 */
export const readSheet = (text: string, reader: SheetReader): void =>
  new CssScanner(text).rules(reader, false);
