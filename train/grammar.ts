/** Sentences from templates: `{name}` is one of the choices of that name, `[words]` may be left out, `(a|b)` is one of the two. */

export type Grammar = Readonly<Record<string, readonly string[]>>;

/** What templates write for characters that mean something in them. */
const LITERAL: Record<string, string> = { "⟦": "[", "⟧": "]", "⟪": "{{", "⟫": "}}", "⏎": "\n" };

/** Choices, one a line. */
export const lines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** @throws Error for a name without choices */
export function expand(template: string, grammar: Grammar, random: () => number): string {
  let text = template;
  for (let depth = 0; depth < 12 && /[[({]/.test(text); depth++) {
    const next = text
      .replace(/\{(\w+)\}/g, (_, name: string) => {
        const choices = grammar[name];
        if (!choices) throw new Error(`no choices for {${name}}`);
        return pick(choices, random);
      })
      .replace(/\[([^[\](){}]*)\]/g, (_, words: string) => (random() < 0.5 ? words : ""))
      .replace(/\(([^[\](){}]*\|[^[\](){}]*)\)/g, (_, words: string) => pick(words.split("|"), random));
    if (next === text) break;
    text = next;
  }
  return text
    .replace(/ {2,}/g, " ")
    .replace(/ ([.,!?:;])/g, "$1")
    .replace(/[⟦⟧⟪⟫⏎]/g, (mark) => LITERAL[mark]!)
    .trim();
}

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)]!;

/** Some of the ways the same sentence is written. */
export function vary(text: string, random: () => number): string {
  const roll = random();
  if (roll < 0.06) return text.toUpperCase();
  if (roll < 0.16) return text.toLowerCase();
  if (roll < 0.24) return text.replace(/[.!]$/, "");
  if (roll < 0.28) return `${text.replace(/[.!]$/, "")}!`;
  return text;
}
