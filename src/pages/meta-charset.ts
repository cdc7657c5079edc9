/**
 * The character encoding that a page names within itself: HTML's prescan (section 13.2.3.2) and the change of encoding when the parser
 * meets a meta element later in the head (section 13.2.6.4.4), as one pass. It is the pass that Chromium makes: tokens, not
 * bytes, so that what stands in comments, scripts, titles and values names nothing.
 */
import { type Token, type TokenHandler, TokenizerMode } from "parse5";
import { EveryAttributeTokenizer } from "../patches/parse5-tokenizer.ts";
import { decoderLabel, MAX_LABEL_CHARS } from "./text-encoding.ts";

/** A meta element counts anywhere among the first characters, and beyond them as long as nothing but a head has begun. */
const PRESCAN_CHARS = 1_024;
const HEAD_TAGS = new Set(["script", "noscript", "style", "link", "meta", "object", "title", "base"]);
/** What a tag's text is, by its name, where it is not markup. */
const TEXT_MODES = new Map<string, EveryAttributeTokenizer["state"]>([
  ["title", TokenizerMode.RCDATA],
  ["textarea", TokenizerMode.RCDATA],
  ["script", TokenizerMode.SCRIPT_DATA],
  ["plaintext", TokenizerMode.PLAINTEXT],
  ...["style", "iframe", "xmp", "noembed", "noframes"].map((tag) => [tag, TokenizerMode.RAWTEXT] as const),
]);

const isSpace = (char: string | undefined): boolean => char !== undefined && char <= " ";

class HeadReader implements TokenHandler {
  encoding: string | undefined;
  readonly #tokenizer = new EveryAttributeTokenizer({ sourceCodeLocationInfo: true }, this);
  #isInHead = true;

  read(html: string): string | undefined {
    this.#tokenizer.write(html, true);
    return this.encoding;
  }

  onStartTag(token: Token.TagToken): void {
    const { tagName } = token;
    if (this.#isOver(token)) return;
    this.#tokenizer.state = TEXT_MODES.get(tagName) ?? this.#tokenizer.state;
    if (tagName === "meta") this.encoding = ofMeta(token);
    if (this.encoding !== undefined) this.#tokenizer.pause();
    if (!HEAD_TAGS.has(tagName) && tagName !== "html" && tagName !== "head") this.#isInHead = false;
  }

  onEndTag(token: Token.TagToken): void {
    if (!this.#isOver(token) && !HEAD_TAGS.has(token.tagName)) this.#isInHead = false;
  }

  onCharacter(token: Token.CharacterToken): void {
    this.#isOver(token);
  }

  onNullCharacter(): void {}
  onWhitespaceCharacter(): void {}
  onComment(): void {}
  onDoctype(): void {}
  onEof(): void {}

  /** What begins after the head, and after the first characters, is not looked at. */
  #isOver({ location }: Token.TagToken | Token.CharacterToken): boolean {
    const isOver = !this.#isInHead && (location?.startOffset ?? 0) >= PRESCAN_CHARS;
    if (isOver) this.#tokenizer.pause();
    return isOver;
  }
}

/** The first meta element that names an encoding. @param html the bytes of a page, one UTF-16 unit each */
export const metaEncoding = (html: string): string | undefined =>
  /<meta/i.test(html) ? new HeadReader().read(html) : undefined;

/**
 * The encoding that an XML declaration names, which must begin the page (HTML section 13.2.3.2, "get an XML encoding").
 * @param start the bytes of a page, one UTF-16 unit each
 */
export function xmlEncoding(start: string): string | undefined {
  if (start.startsWith("<\0?\0x\0")) return "utf-16le";
  if (start.startsWith("\0<\0?\0x")) return "utf-16be";
  if (!start.startsWith("<?xml")) return undefined;
  const declaration = start.slice(0, start.indexOf(">") + 1);
  const at = declaration.indexOf("encoding");
  if (at === -1) return undefined;
  const [, double, single] =
    /^[\0- ]*=[\0- ]*(?:"([^\0- "]*)"|'([^\0- ']*)')/.exec(declaration.slice(at + 8)) ?? [];
  return byteEncoding(double ?? single);
}

/** Whoever can be read byte by byte this far does not write UTF-16. */
function byteEncoding(label: string | undefined): string | undefined {
  if (label?.trim().toLowerCase() === "x-user-defined") return "windows-1252";
  const encoding = decoderLabel(label);
  return encoding?.startsWith("utf-16") ? "utf-8" : encoding;
}

/** Of two attributes of one name, Chromium takes the last charset, and any http-equiv. */
function ofMeta({ attrs }: Token.TagToken): string | undefined {
  let label: string | undefined;
  let needsPragma = false;
  let isContentType = false;
  for (const { name, value } of attrs)
    if (name === "http-equiv") isContentType ||= value.toLowerCase() === "content-type";
    else if (name === "charset" || (name === "content" && !label)) {
      needsPragma = name === "content";
      label = needsPragma ? charsetIn(value) : value;
    }
  return needsPragma && !isContentType ? undefined : byteEncoding(label);
}

/** The charset in a meta element's content (HTML section 2.5.4). One pass. */
function charsetIn(content: string): string | undefined {
  const lower = content.toLowerCase();
  for (let at = lower.indexOf("charset"); at !== -1; at = lower.indexOf("charset", at)) {
    at += "charset".length;
    while (isSpace(lower[at])) at++;
    if (lower[at] !== "=") continue;
    at++;
    while (isSpace(lower[at])) at++;
    const quote = lower[at];
    if (quote !== '"' && quote !== "'") return /^[^\s;"']*/.exec(lower.slice(at, at + MAX_LABEL_CHARS))![0];
    const end = lower.indexOf(quote, at + 1);
    return end === -1 ? undefined : lower.slice(at + 1, end);
  }
  return undefined;
}
