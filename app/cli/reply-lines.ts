/** A reply for a person at a terminal: its members, and its list as a table. */
import { printable } from "./terminal.ts";

type Row = Record<string, unknown>;

/** Widest cell of a column: a long text is whole in `--json`. */
const MOST_CELL = 48;

/** @param width columns of the terminal */
export function replyLines(reply: unknown, width = 110): string[] {
  if (!isRow(reply)) return [cellOf(reply)];
  const members = Object.entries(reply);
  const plain = members.filter(([, value]) => !isList(value));
  const longest = Math.max(0, ...plain.map(([name]) => name.length));
  return [
    ...plain.map(([name, value]) => `${name.padEnd(longest)}  ${cellOf(value)}`),
    ...members.flatMap(([name, value]) => (isList(value) ? [`${name}:`, ...tableOf(value, width)] : [])),
  ];
}

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}

const isList = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow);

/** Rows of one width; columns are the members that any row has and that are no objects. */
function tableOf(rows: readonly Row[], width: number): string[] {
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) =>
    rows.some((row) => row[name] !== null && typeof row[name] !== "object"),
  );
  const cells = [names, ...rows.map((row) => names.map((name) => cellOf(row[name])))];
  const widths = names.map((_, i) => Math.min(MOST_CELL, Math.max(...cells.map((row) => row[i]!.length))));
  return cells.map((row) =>
    cut(
      row
        .map((cell, i) => cut(cell, widths[i]!).padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
      width,
    ),
  );
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).toWellFormed()}…`;
