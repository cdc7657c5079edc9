/** Whether a script asks for an address as soon as it runs, or only where some function of it is called. */
import { isRunScript } from "../../pages/element.ts";
import type { Reference } from "./loads.ts";

const MAX_SCRIPT_CHARS = 200_000;
const MAX_BLOCKS = 20_000;
const MAX_HEAD_CHARS = 120;

interface Block {
  from: number;
  to: number;
}

/** Whether the address is asked for before anybody can answer anything: by markup, or by a script's own course. */
export function isAtOnce({ means, element, start }: Reference): boolean {
  if (means !== "scripted") return true;
  const text = element?.childNodes[0];
  if (!element || !text || !("value" in text) || !isRunScript(element)) return false;
  const source = text.value.slice(0, MAX_SCRIPT_CHARS);
  const at = start - element.until;
  return blocksOf(source)
    .filter(({ from, to }) => from < at && at < to)
    .every((block) => isCalledAtOnce(source, block));
}

/** Blocks in braces of a script, strings and comments skipped: one pass. Unclosed ones end where the script does. */
function blocksOf(source: string): Block[] {
  const blocks: Block[] = [];
  const open: Block[] = [];
  for (let at = 0; at < source.length && blocks.length < MAX_BLOCKS; at++) {
    at = skipped(source, at);
    if (source[at] === "{") {
      const block = { from: at, to: source.length };
      open.push(block);
      blocks.push(block);
    } else if (source[at] === "}") {
      const block = open.pop();
      if (block) block.to = at;
    }
  }
  return blocks;
}

/** Where a string or a comment ends that begins here; the same place where none does. */
function skipped(source: string, at: number): number {
  const sign = source[at];
  if (sign === "/" && source[at + 1] === "/") {
    const end = source.indexOf("\n", at);
    return end === -1 ? source.length : end;
  }
  if (sign !== '"' && sign !== "'") return at;
  let end = at + 1;
  while (end < source.length && source[end] !== sign && source[end] !== "\n")
    end += source[end] === "\\" ? 2 : 1;
  return end;
}

/** `(function () {…})()` and `!function () {…}()`: called where it is written. */
const isCalledAtOnce = (source: string, { from, to }: Block): boolean =>
  isFunctionHead(source.slice(Math.max(0, from - MAX_HEAD_CHARS), from)) &&
  /^\}\s{0,9}\)?\s{0,9}(?:\.call\s{0,9})?\(/.test(source.slice(to, to + 40));

/** Whether what stands before a block makes it a function's: `function (a, b)`, `function name()`, `(a) =>`. */
function isFunctionHead(head: string): boolean {
  const text = head.trimEnd();
  if (text.endsWith("=>")) return true;
  const words = text
    .slice(0, text.endsWith(")") ? text.lastIndexOf("(") : 0)
    .trimEnd()
    .split(" ");
  return words.slice(-2).some((word) => word.endsWith("function"));
}
