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

/** Blocks in braces of a script, strings and comments skipped: one pass. Unclosed ones end where the script does. */
const blocksOf = (source: string): Block[] => {
  const blocks: Block[] = [];
  const open: Block[] = [];
  for (const { 0: token, index } of source.matchAll(
    /"(?:[^"\\\n]|\\.){0,4000}"|'(?:[^'\\\n]|\\.){0,4000}'|\/\/[^\n]{0,4000}|[{}]/g,
  )) {
    if (token === "{") {
      const block = { from: index, to: source.length };
      open.push(block);
      if (blocks.push(block) >= MAX_BLOCKS) break;
    } else if (token === "}") {
      const block = open.pop();
      if (block) block.to = index;
    }
  }
  return blocks;
};

const IS_CALLED_FUNCTION =
  /(?:^|[(!+~;,\s-])(?:function\s{0,9}\w{0,40}\s{0,9}\([^()]{0,100}\)|\([^()]{0,100}\)\s{0,9}=>)\s{0,9}$/;

/** `(function () {…})()` and `!function () {…}()`: called where it is written. */
const isCalledAtOnce = (source: string, { from, to }: Block): boolean =>
  IS_CALLED_FUNCTION.test(source.slice(Math.max(0, from - MAX_HEAD_CHARS), from)) &&
  /^\}\s{0,9}\)?\s{0,9}(?:\.call\s{0,9})?\(/.test(source.slice(to, to + 40));

/** Whether the address is asked for before anybody can answer anything: by markup, or by a script's own course. */
export const isAtOnce = ({ means, element, start }: Reference): boolean => {
  if (means !== "scripted") return true;
  const text = element?.childNodes[0];
  if (!element || !text || !("value" in text) || !isRunScript(element)) return false;
  const source = text.value.slice(0, MAX_SCRIPT_CHARS);
  const at = start - element.until;
  return blocksOf(source)
    .filter(({ from, to }) => from < at && at < to)
    .every((block) => isCalledAtOnce(source, block));
};
