/** Labelled texts of anybody's: JSON Lines of {text, label, category?}, labels as numbers, booleans or words. */
import { existsSync, readFileSync } from "node:fs";

export interface LabelledText {
  text: string;
  isPositive: boolean;
  category: string | undefined;
}

const NEGATIVE =
  /^(?:0|false|no|none|benign|safe|legit\w*|clean|ham|normal|negative|harmless|not[ _-].*|non[ _-].*)$/i;

const isPositive = (label: unknown): boolean =>
  typeof label === "number"
    ? label > 0
    : typeof label === "boolean"
      ? label
      : !NEGATIVE.test(String(label ?? "").trim());

/** @throws Error that says which line cannot be read */
export function readLabelled(path: string): LabelledText[] {
  if (!existsSync(path)) throw new Error(`${path} is not there`);
  const rows: LabelledText[] = [];
  for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
    if (line.trim() === "") continue;
    let row: { text?: unknown; label?: unknown; category?: unknown };
    try {
      row = JSON.parse(line);
    } catch {
      throw new Error(`${path}, line ${index + 1}: not JSON`);
    }
    if (typeof row.text !== "string") throw new Error(`${path}, line ${index + 1}: no "text"`);
    const category = typeof row.category === "string" ? row.category : undefined;
    rows.push({ text: row.text, isPositive: isPositive(row.label ?? category), category });
  }
  return rows;
}

/** Values of an option, up to the next one. */
export function optionValues(args: readonly string[], option: string): string[] {
  const at = args.indexOf(option);
  if (at < 0) return [];
  const rest = args.slice(at + 1);
  const end = rest.findIndex((arg) => arg.startsWith("--"));
  return end < 0 ? rest : rest.slice(0, end);
}
