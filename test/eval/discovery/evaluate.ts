/**
 * `npm run eval -- discovery --sites DIR --labels FILE`: how documents of real hosts are read and judged, by the functions that visits
 * use. DIR has a folder a host with its files by their paths; FILE has a line a file and format: what it is, whether it conforms, and
 * what it names. Formats that are read elsewhere (robots.txt, sitemaps, pages) are not of this.
 */
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Format, Reading } from "../../../src/agent-web/formats/format.ts";
import { FORMATS, formatOf } from "../../../src/agent-web/formats/table.ts";

interface Label {
  host: string;
  /** As the collectors name it. */
  format: string;
  path: string;
  parses: boolean;
  conforms: boolean | null;
  endpoints?: string[];
  skills_or_tools?: string[];
}

interface Judged {
  label: Label;
  format: string;
  /** "crashed": it threw; undefined: none of its format. */
  read: Reading | undefined | "crashed";
}

/** Of the collectors' formats that are read here, the rows of the table. */
const FORMAT_OF: Readonly<Record<string, string | undefined>> = {
  "a2a-agent-card": "a2a-card",
  "agent-json": "a2a-card",
  "web-bot-auth": "signature-directory",
  "openid-configuration": "oauth-authorization-server",
};
const BY_PATH = new Set(["oauth-metadata", "mcp-json"]);

const GATES = { parse: 0.99, conforms: 0.95, found: 0.98 };

/**
 * Formats whose documents say what can be called; of the others the collectors took every address in the file, which is no endpoint.
 */
const CALLABLE = new Set([
  "a2a-card",
  "mcp-server-card",
  "agent-skills",
  "openapi",
  "ard",
  "ai-catalog",
  "ai-plugin",
]);
/** Formats whose documents name what a service does. */
const NAMING = new Set(["a2a-card", "mcp-server-card", "agent-skills", "openapi"]);

const say = (line: string): void => void process.stderr.write(`${line}\n`);

export async function evaluate(args: string[]): Promise<number> {
  const options = {
    sites: { type: "string" },
    labels: { type: "string" },
    verbose: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ args, options });
  if (values.sites === undefined || values.labels === undefined) {
    say("Usage: npm run eval -- discovery --sites DIR --labels FILE [--verbose]");
    return 2;
  }
  const judged = readLabels(resolve(values.labels)).flatMap(
    (label) => judge(resolve(values.sites!), label) ?? [],
  );
  if (values.verbose) for (const each of judged) tell(each);
  const figures = figuresOf(judged);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  const isGood =
    figures.crashed === 0 &&
    (figures.parse ?? 1) >= GATES.parse &&
    (figures.conforms_accuracy ?? 1) >= GATES.conforms &&
    Math.min(figures.endpoints_f1 ?? 1, figures.names_f1 ?? 1) >= GATES.found;
  return isGood ? 0 : 1;
}

const readLabels = (file: string): Label[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Label);

/** @returns undefined for a format that is not of the table, or a file that is not there */
function judge(sites: string, label: Label): Judged | undefined {
  const { host, path, format: named } = label;
  const format: Format | undefined = BY_PATH.has(named)
    ? formatOf(path)
    : FORMATS.find(({ name }) => name === (FORMAT_OF[named] ?? named));
  const places = [join(sites, host, path), join(sites, host, `${path}.self`)];
  const file = places.find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
  if (format === undefined || file === undefined) return undefined;
  const bytes = readFileSync(file);
  const url = new URL(path, `https://${host}`);
  try {
    return { label, format: format.name, read: format.read(bytes, url, "") };
  } catch (error) {
    say(`${host}${path}: ${String(error)}`);
    return { label, format: format.name, read: "crashed" };
  }
}

function figuresOf(judged: readonly Judged[]) {
  const parsing = judged.filter(({ label }) => label.parses);
  const compared = judged.filter(({ label: { conforms }, read }) => conforms !== null && isRead(read));
  const right = (of: readonly Judged[]) => of.filter(conformsAlike).length;
  const of = (formats: ReadonlySet<string>) => judged.filter(({ format }) => formats.has(format));
  const byFormatOf = (
    formats: ReadonlySet<string>,
    pairOf: (each: Judged) => readonly [string[], string[]],
  ) =>
    Object.fromEntries(
      [...Map.groupBy(of(formats), ({ format }) => format)].map(([format, all]) => [
        format,
        f1(all.map(pairOf)),
      ]),
    );
  const byFormat = Map.groupBy(compared, ({ format }) => format);
  return {
    sites: new Set(judged.map(({ label }) => label.host)).size,
    files: judged.length,
    parse: share(parsing.filter(({ read }) => isRead(read)).length, parsing.length),
    conforms_accuracy: share(right(compared), compared.length),
    conforms_by_format: Object.fromEntries(
      [...byFormat].map(([format, of]) => [format, { n: of.length, accuracy: share(right(of), of.length) }]),
    ),
    endpoints_f1: f1(of(CALLABLE).map(({ label, read }) => [label.endpoints ?? [], endpointsOf(read)])),
    names_f1: f1(of(NAMING).map(({ label, read }) => [label.skills_or_tools ?? [], namesOf(read)])),
    endpoints_by_format: byFormatOf(CALLABLE, ({ label, read }) => [
      label.endpoints ?? [],
      endpointsOf(read),
    ]),
    names_by_format: byFormatOf(NAMING, ({ label, read }) => [label.skills_or_tools ?? [], namesOf(read)]),
    crashed: judged.filter(({ read }) => read === "crashed").length,
  };
}

const isRead = (read: Judged["read"]): read is Reading => read !== undefined && read !== "crashed";

const conformsAlike = ({ label, read }: Judged): boolean => isRead(read) && read.conforms === label.conforms;

const endpointsOf = (read: Judged["read"]): string[] =>
  isRead(read)
    ? [...read.services.map(({ endpoint }) => endpoint), ...(read.documents ?? []).map(({ url }) => url)]
    : [];

/** What can be done: skills are services of their own, others have theirs within. */
const namesOf = (read: Judged["read"]): string[] =>
  isRead(read)
    ? read.services.flatMap(({ protocol, name, tools }) =>
        protocol === "skill" ? [name] : tools.map((tool) => tool.name),
      )
    : [];

const share = (part: number, of: number): number | null => (of === 0 ? null : Number((part / of).toFixed(4)));

/** Micro-averaged over all files. @param pairs what is labelled, and what was found, of each */
function f1(
  pairs: readonly (readonly [wanted: readonly string[], found: readonly string[]])[],
): number | null {
  let [hits, wantedCount, foundCount] = [0, 0, 0];
  for (const [wanted, found] of pairs) {
    const of = new Set(wanted.map(spelled));
    const seen = new Set(found.map(spelled));
    hits += [...seen].filter((each) => of.has(each)).length;
    wantedCount += of.size;
    foundCount += seen.size;
  }
  return share(2 * hits, wantedCount + foundCount);
}

/** Addresses compare without a slash at their end, names by letters and digits: some labels have a skill's id, others its name. */
function spelled(text: string): string {
  const href = URL.parse(text)?.href;
  if (href === undefined) return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return href.endsWith("/") ? href.slice(0, -1) : href;
}

/** What differs from its label, for who reads labels by hand. */
function tell({ label, format, read }: Judged): void {
  const at = `${label.host}${label.path} (${format})`;
  if (!isRead(read)) say(`${at}: ${read ?? "not read"}, parses ${label.parses}`);
  else {
    if (label.conforms !== null && read.conforms !== label.conforms)
      say(
        `${at}: conforms ${read.conforms}, labelled ${label.conforms}: ${read.findings.map(({ rule, place }) => `${rule} ${place}`).join(", ")} | ${JSON.stringify(label)}`.slice(
          0,
          900,
        ),
      );
    const differ = (name: string, wanted: readonly string[], found: readonly string[]) => {
      const [of, seen] = [new Set(wanted.map(spelled)), new Set(found.map(spelled))];
      const [missing, more] = [
        [...of].filter((each) => !seen.has(each)),
        [...seen].filter((each) => !of.has(each)),
      ];
      if (missing.length + more.length > 0)
        say(
          `${at}: ${name} missing ${missing.slice(0, 4).join(" ")} (${missing.length}), more ${more.slice(0, 4).join(" ")} (${more.length})`.slice(
            0,
            600,
          ),
        );
    };
    differ("endpoints", label.endpoints ?? [], endpointsOf(read));
    differ("names", label.skills_or_tools ?? [], namesOf(read));
  }
}
