/** Texts that are measured on and never learned from: of licenses that do not allow it, or kept to measure with. */
import { readRows } from "../data.ts";
import { type Source, type SourcedText, textOf } from "./sources.ts";

interface Row {
  text: string;
  label: string | number;
  kind?: string;
  source: string;
}

const COLLECTED = ["malignant", "owasp-cheatsheets", "mcp-injection-experiments"];

export function readMeasured(): Source[] {
  const rows = readRows<Row>("agent-web-2/injection/rows.jsonl");
  const labelled = (file: string, source: string): SourcedText[] =>
    readRows<Row>(`prompt-injection/${file}.jsonl`).map(({ text, label }) => ({
      text,
      isAttack: label === 1,
      source,
      role: "user",
    }));
  return [
    ...COLLECTED.map((name) => ({
      name,
      license: "measured only",
      texts: rows.filter(({ source }) => source === name).map((row) => textOf(row, name)),
    })),
    { name: "deepset", license: "measured only", texts: labelled("deepset-train", "deepset") },
    { name: "NotInject one", license: "measured only", texts: labelled("notinject-one", "NotInject one") },
  ];
}
