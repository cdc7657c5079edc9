/**
 * `npm run eval -- discovery --sites DIR --labels FILE`: how well published discovery documents are read and checked. DIR holds
 * `sites/<host>/<path as served>`, FILE a line a document: host, path, format, parses, conforms, endpoints, skills_or_tools.
 * Gates: parse .99, conformance .95, endpoints and names .98, none crashed. `--say` prints each difference to stderr.
 */
import { parseArgs } from "node:util";
import { measureDocuments } from "./measure.ts";

export async function evaluate(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { sites: { type: "string" }, labels: { type: "string" }, say: { type: "boolean" } },
  });
  if (values.sites === undefined || values.labels === undefined) {
    process.stderr.write("Usage: npm run eval -- discovery --sites DIR --labels FILE [--say]\n");
    return 2;
  }
  const say = (line: string): void => void (values.say && process.stderr.write(`${line}\n`));
  const figures = measureDocuments(values.sites, values.labels, say);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  const { parse, conforms_accuracy, endpoints_f1, names_f1, crashed } = figures;
  const isGood =
    (parse ?? 1) >= 0.99 &&
    (conforms_accuracy ?? 1) >= 0.95 &&
    (endpoints_f1 ?? 1) >= 0.98 &&
    (names_f1 ?? 1) >= 0.98;
  return isGood && crashed === 0 ? 0 : 1;
}
