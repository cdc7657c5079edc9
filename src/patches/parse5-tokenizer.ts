/**
 * parse5's tokenizer, faster: a run of ordinary characters or a plain tag is one step, not a step a character: the same trees in
 * a quarter of the time. Not htmlparser2: without foster parenting it finds other texts hidden.
 */
import {
  type DefaultTreeAdapterMap,
  html,
  InsertionMode,
  type Parser,
  Token,
  Tokenizer,
  TokenizerMode,
} from "parse5";

/** Characters that end a run, a bit for each kind of run: whatever a state of the HTML standard treats by itself. */
const TEXT = 1;
const WORD = 2;
const BLANK = 4;
const DOUBLE_QUOTED = 8;
const SINGLE_QUOTED = 16;
const COMMENT = 32;
const NAME = 64;
const UNQUOTED = 128;
const ALL = 255;

/** By UTF-16 unit. A NUL is replaced, a CR becomes an LF, a surrogate is half a character: they end every run. */
const ENDS = new Uint8Array(0x1_00_00);
const BLANKS = "\t\n\f ";
ENDS.fill(BLANK | NAME);
for (let i = 0; i < BLANKS.length; i++) ENDS[BLANKS.charCodeAt(i)] = NAME;
ends("<&", TEXT);
ends(`<&${BLANKS}`, WORD);
ends('"&', DOUBLE_QUOTED);
ends("'&", SINGLE_QUOTED);
ends("-<", COMMENT);
ends(`>&"'<=\`${BLANKS}`, UNQUOTED);
for (const name of "abcdefghijklmnopqrstuvwxyz0123456789-:_") ENDS[name.charCodeAt(0)]! &= ~NAME;
ends("\0\r", ALL);
ENDS.fill(ALL, 0xd8_00, 0xe0_00);

/**
 * Names that were read, by their hash: pages have few of them, many times. One string for all makes every comparison and
 * lookup of it one of pointers. As many as there are places; a name takes the place of the one before.
 */
const NAMES = new Array<string>(1_024).fill("");
/** Hashes of the names that were read last: one that occurs again is kept. */
const MET = new Int32Array(NAMES.length);
const LONGEST_KEPT = 32;

/** The engine's own copy of a string, which it compares by its address: what property keys are. */
const internalized = (name: string): string => Object.keys({ [name]: true })[0]!;

const CR = 13;
const QUOTE = 34;
const APOSTROPHE = 39;
const SLASH = 47;
const LESS = 60;
const EQUALS = 61;
const GREATER = 62;
const isBlank = (unit: number): boolean => unit === 32 || unit === 10 || unit === 9 || unit === 12;
const isLowerLetter = (cp: number): boolean => cp >= 97 && cp <= 122;
/** Of a plain tag: each is compared with those before it. */
const MAX_PLAIN_ATTRIBUTES = 32;
/** The attributes of every plain tag that has none. Who adds to a list (parse5's adoptAttributes alone) makes it a new one. */
export const NO_ATTRIBUTES: Token.Attribute[] = [];
const CHARACTER = Token.TokenType.CHARACTER;
const WHITESPACE = Token.TokenType.WHITESPACE_CHARACTER;

/** Reads one whole document; makes the tokens that parse5's own makes, save that words and their blanks come together. */
export class RunTokenizer extends Tokenizer {
  readonly #parser: Parser<DefaultTreeAdapterMap>;
  /** The document's UTF-16 units and a NUL: a loop over numbers takes a third of one that asks the string for each. */
  #units = new Uint16Array(1);
  /** The attributes of one plain tag while it is read. */
  readonly #attrs: Token.Attribute[] = [];
  /** The one of every plain end tag: the parser keeps none. */
  readonly #endTagToken: Token.TagToken = {
    type: Token.TokenType.END_TAG,
    tagName: "",
    tagID: html.TAG_ID.UNKNOWN,
    selfClosing: false,
    ackSelfClosing: false,
    attrs: NO_ATTRIBUTES,
    location: null,
  };

  constructor(parser: Parser<DefaultTreeAdapterMap>) {
    super({ sourceCodeLocationInfo: false }, parser);
    this.#parser = parser;
    // The input is one string that is kept anyway: what is cut from it shares it, and no part of it is dropped.
    this.preprocessor.bufferWaterline = Number.POSITIVE_INFINITY;
  }

  override write(chunk: string, isLastChunk: boolean): void {
    this.#units = new Uint16Array(chunk.length + 1);
    Buffer.from(this.#units.buffer).write(chunk, "utf16le");
    super.write(chunk, isLastChunk);
  }

  protected override _flushRun(text: string): void {
    if (this.runEnd === this.runStart && text.length === 0) return;
    const run = this.preprocessor.html.slice(this.runStart, this.runEnd) + text;
    this.runStart = this.runEnd;
    const token = this.currentToken;
    if (token === null) this.currentCharacterToken!.chars += run;
    else if (token.type === Token.TokenType.COMMENT) token.data += run;
    else this.currentAttr.value += run;
  }

  protected override emitCurrentTagToken(): void {
    // The list of a tag that was read by states has room for sixteen more; it lives as long as the element.
    const token = this.currentToken as Token.TagToken;
    if (token.attrs.length > 0) token.attrs = token.attrs.slice();
    super.emitCurrentTagToken();
  }

  protected override _stateData(cp: number): void {
    if (cp !== LESS || !this.#plainTag()) {
      super._stateData(cp);
      this.#characters();
      return;
    }
    // Most tags come after another.
    const { preprocessor } = this;
    while (this.state === TokenizerMode.DATA && this.#units[preprocessor.pos + 1] === LESS) {
      preprocessor.pos++;
      if (!this.#plainTag()) super._stateData(LESS);
    }
  }

  protected override _stateRcdata(cp: number): void {
    super._stateRcdata(cp);
    this.#characters();
  }

  protected override _stateRawtext(cp: number): void {
    super._stateRawtext(cp);
    this.#characters();
  }

  protected override _stateScriptData(cp: number): void {
    super._stateScriptData(cp);
    this.#characters();
  }

  protected override _stateAttributeValueDoubleQuoted(cp: number): void {
    super._stateAttributeValueDoubleQuoted(cp);
    this.#runOn(DOUBLE_QUOTED);
  }

  protected override _stateAttributeValueSingleQuoted(cp: number): void {
    super._stateAttributeValueSingleQuoted(cp);
    this.#runOn(SINGLE_QUOTED);
  }

  protected override _stateComment(cp: number): void {
    super._stateComment(cp);
    this.#runOn(COMMENT);
  }

  protected override _stateTagName(cp: number): void {
    const name = this.#name();
    if (name === "") super._stateTagName(cp);
    else (this.currentToken as Token.TagToken).tagName += name;
  }

  protected override _stateAttributeName(cp: number): void {
    const name = this.#name();
    if (name === "") super._stateAttributeName(cp);
    else this.currentAttr.name += name;
  }

  /**
   * After a word, blanks are told from other characters by framesets and groups of columns alone: there they are kept and
   * words are not. (What comes before the first word is another matter: outside the body blanks are dropped, or have no
   * say.)
   */
  #characters(): void {
    const type = this.currentCharacterToken?.type;
    if (type === WHITESPACE) this.#runOn(BLANK);
    else if (type === CHARACTER) this.#runOn(this.#keepsBlanksAlone() ? WORD : TEXT);
  }

  #keepsBlanksAlone(): boolean {
    const mode = this.#parser.insertionMode;
    return (
      mode === InsertionMode.IN_COLUMN_GROUP ||
      mode === InsertionMode.IN_FRAMESET ||
      mode === InsertionMode.AFTER_FRAMESET ||
      mode === InsertionMode.AFTER_AFTER_FRAMESET
    );
  }

  /** Takes the rest of a run whose last character was just taken. */
  #runOn(run: number): void {
    const { preprocessor } = this;
    // After a CR, an LF is no character.
    if (this.runEnd !== preprocessor.pos + 1 || this.#units[preprocessor.pos] === CR) return;
    this.runEnd = this.#endOf(run, this.runEnd);
    preprocessor.pos = this.runEnd - 1;
  }

  /** Takes the tag that begins with the current character, if it is a plain one. */
  #plainTag(): boolean {
    const { preprocessor } = this;
    const { pos: start } = preprocessor;
    const isEnd = this.#units[start + 1] === SLASH;
    preprocessor.pos = isEnd ? start + 2 : start + 1;
    const isPlain =
      isLowerLetter(this.#units[preprocessor.pos]!) && (isEnd ? this.#endTag() : this.#startTag());
    if (!isPlain) preprocessor.pos = start;
    return isPlain;
  }

  /**
   * Takes a whole start tag whose name begins at the current character, if it is a plain one: lower-case names, values
   * without references. What is not is left to the states, which read it again from there.
   */
  #startTag(): boolean {
    const { preprocessor } = this;
    const tagName = this.#name();
    const attrs = this.#attributes();
    const selfClosing = this.#units[preprocessor.pos + 1] === SLASH;
    if (selfClosing) preprocessor.pos++;
    if (!attrs || this.#units[preprocessor.pos + 1] !== GREATER) return false;
    preprocessor.pos++;
    this._flushRun("");
    this.currentToken = {
      type: Token.TokenType.START_TAG,
      tagName,
      tagID: html.TAG_ID.UNKNOWN,
      selfClosing,
      ackSelfClosing: false,
      attrs,
      location: null,
    };
    this.state = TokenizerMode.DATA;
    super.emitCurrentTagToken();
    return true;
  }

  /** Takes the attributes that follow, and blanks; undefined when one of them is not plain. */
  #attributes(): Token.Attribute[] | undefined {
    const { preprocessor } = this;
    const units = this.#units;
    const attrs = this.#attrs;
    attrs.length = 0;
    while (isBlank(units[preprocessor.pos + 1]!)) {
      while (isBlank(units[preprocessor.pos + 1]!)) preprocessor.pos++;
      preprocessor.pos++;
      const name = this.#name();
      if (name === "") {
        preprocessor.pos--;
        break;
      }
      const value = units[preprocessor.pos + 1] === EQUALS ? this.#value() : "";
      if (value === undefined || attrs.length === MAX_PLAIN_ATTRIBUTES) return undefined;
      for (const attr of attrs) if (attr.name === name) return undefined;
      attrs.push({ name, value });
    }
    return attrs.length === 0 ? NO_ATTRIBUTES : attrs.slice();
  }

  /** Takes an equals sign and the value after it; undefined when that is not plain. */
  #value(): string | undefined {
    const { preprocessor } = this;
    const { html } = preprocessor;
    const units = this.#units;
    const first = preprocessor.pos + 2;
    const quote = units[first];
    if (quote === QUOTE || quote === APOSTROPHE) {
      const end = this.#endOf(quote === QUOTE ? DOUBLE_QUOTED : SINGLE_QUOTED, first + 1);
      if (units[end] !== quote) return undefined;
      preprocessor.pos = end;
      return html.slice(first + 1, end);
    }
    const end = this.#endOf(UNQUOTED, first);
    const after = units[end]!;
    if (end === first || (after !== GREATER && !isBlank(after))) return undefined;
    preprocessor.pos = end - 1;
    return html.slice(first, end);
  }

  /** Takes a whole end tag whose name begins at the current character, if there is nothing but its name. */
  #endTag(): boolean {
    const { preprocessor } = this;
    const tagName = this.#name();
    if (this.#units[preprocessor.pos + 1] !== GREATER) return false;
    preprocessor.pos++;
    this._flushRun("");
    this.#endTagToken.tagName = tagName;
    this.currentToken = this.#endTagToken;
    this.state = TokenizerMode.DATA;
    super.emitCurrentTagToken();
    return true;
  }

  /** The plain name that begins at the current character, and takes it; empty when that is no plain one. */
  #name(): string {
    const { preprocessor } = this;
    const { html, pos: start } = preprocessor;
    const units = this.#units;
    let end = start;
    let hash = 0;
    for (let unit = units[end]!; (ENDS[unit]! & NAME) === 0; unit = units[++end]!)
      hash = Math.imul(hash ^ unit, 0x01000193);
    if (end === start) return "";
    preprocessor.pos = end - 1;
    const place = (hash ^ (hash >>> 15)) & (NAMES.length - 1);
    const known = NAMES[place]!;
    if (known.length === end - start && html.startsWith(known, start)) return known;
    const name = html.slice(start, end);
    if (MET[place] === hash && name.length <= LONGEST_KEPT) NAMES[place] = internalized(name);
    MET[place] = hash;
    return name;
  }

  /** A NUL ends every run: there is one after the last character. */
  #endOf(run: number, from: number): number {
    const units = this.#units;
    let at = from;
    while ((ENDS[units[at]!]! & run) === 0) at++;
    return at;
  }
}

/** Gives each attribute of a tag, those of the same name too: parse5 drops all but the first, as its tree has them. */
export class EveryAttributeTokenizer extends Tokenizer {
  protected override _leaveAttrName(): void {
    (this.currentToken as Token.TagToken).attrs.push(this.currentAttr);
  }
}

function ends(characters: string, runs: number): void {
  for (let i = 0; i < characters.length; i++) ENDS[characters.charCodeAt(i)]! |= runs;
}
