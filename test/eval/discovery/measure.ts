/** Reads labelled documents as visits do, and compares what is read with the labels. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatOf } from "../../../src/agent-web/formats/table.ts";
import type { DocumentSeen } from "../../../src/agent-web/reading.ts";
import { descriptor } from "../../../src/agent-web/reading-thread.ts";
import { rowsOf } from "../agent-web/served.ts";

interface Label {
  host: string;
  path: string;
  format: string;
  parses: boolean | null;
  conforms: boolean | null;
  endpoints?: string[] | null;
  skills_or_tools?: string[] | null;
}

interface ByFormat {
  n: number;
  accuracy: number | null;
}

export interface DiscoveryFigures {
  sites: number;
  /** Labelled documents that are there, and of a format that visits read. */
  files: number;
  /** Labelled documents of what visits read by other means (robots.txt, pages) or not at all: not measured here. */
  other_files: number;
  parse: number | null;
  conforms_accuracy: number | null;
  conforms_by_format: Record<string, ByFormat>;
  endpoints_f1: number | null;
  endpoints_by_format: Record<string, number | null>;
  names_f1: number | null;
  names_by_format: Record<string, number | null>;
  /** Documents of a home-made shape, whose endpoints and names are not compared. */
  home_made: number;
  crashed: number;
}

/** Formats whose addresses are looked for: what is called, or leads to it. Links of llms.txt are pages; OAuth's are for a login. */
const WITHOUT_ENDPOINTS = [
  "llms-txt",
  "agents-md",
  "signature-directory",
  "web-bot-auth",
  "oauth-metadata",
  "oauth-authorization-server",
  "oauth-protected-resource",
  "openid-configuration",
];
/** Formats of which most that is published has a home-made shape: nothing says which of its addresses and names are meant. */
const OFTEN_HOME_MADE = ["acp", "agents-json", "ucp", "x402"];
/** Where the same word means a rule of another document: robots.txt holds Content-Signal. */
const NOT_DOCUMENTS = ["content-signal", "robots", "sitemap", "html", "json-ld", "other-well-known"];

/** @param say gets each difference, in a line */
export function measureDocuments(
  dir: string,
  labelFile: string,
  say: (line: string) => void,
): DiscoveryFigures {
  const counts = {
    sites: new Set<string>(),
    files: 0,
    other: 0,
    crashed: 0,
    home_made: 0,
    parse: new Share(),
    conforms: new Share(),
    endpoints: new Overlap(),
    names: new Overlap(),
  };
  // A corpus, or the folder of its hosts.
  const sites = existsSync(join(dir, "sites")) ? join(dir, "sites") : dir;
  for (const label of rowsOf<Label>(labelFile)) {
    const body = bytesOf(join(sites, label.host), label.path);
    if (body === undefined) continue;
    counts.sites.add(label.host);
    const format = NOT_DOCUMENTS.includes(label.format) ? undefined : formatOf(label.path);
    if (format === undefined) {
      counts.other++;
      continue;
    }
    counts.files++;
    const url = `https://${label.host}${label.path}`;
    try {
      const reply = { url, status: 200, headers: {}, body, truncated: false };
      const { read } = descriptor({ format: format.name, reply, canary: undefined });
      compare(label, read, counts, say);
    } catch (error) {
      counts.crashed++;
      say(`crashed ${url}: ${String(error)}`);
    }
  }
  return {
    sites: counts.sites.size,
    files: counts.files,
    other_files: counts.other,
    parse: counts.parse.all().accuracy,
    conforms_accuracy: counts.conforms.all().accuracy,
    conforms_by_format: counts.conforms.byFormat(),
    endpoints_f1: counts.endpoints.all(),
    endpoints_by_format: counts.endpoints.byFormat(),
    names_f1: counts.names.all(),
    names_by_format: counts.names.byFormat(),
    home_made: counts.home_made,
    crashed: counts.crashed,
  };
}

function compare(
  label: Label,
  read: DocumentSeen["read"],
  counts: { parse: Share; conforms: Share; endpoints: Overlap; names: Overlap; home_made: number },
  say: (line: string) => void,
): void {
  const { format, host, path } = label;
  const where = `${format} ${host}${path}`;
  if (label.parses !== null && !counts.parse.add(format, (read !== undefined) === label.parses))
    say(`parse ${where}: told ${read !== undefined}`);
  if (read === undefined) return;
  if (label.conforms !== null && !counts.conforms.add(format, read.conforms === label.conforms)) {
    const rules = read.findings.map(({ rule, place }) => `${rule} ${place}`).slice(0, 6);
    say(`conforms ${where}: told ${read.conforms}, label ${label.conforms}; ${rules.join(", ")}`);
  }
  if (OFTEN_HOME_MADE.includes(format) && label.conforms !== true) {
    counts.home_made++;
    return;
  }
  if (!WITHOUT_ENDPOINTS.includes(format)) {
    const addresses = [
      ...read.services.map(({ endpoint }) => endpoint),
      ...(read.documents ?? []).map(({ url }) => url),
    ];
    sayOverlap(
      `endpoints ${where}`,
      counts.endpoints.add(format, addresses.map(plainAddress), addressesOf(label)),
      say,
    );
  }
  const names = new Set((label.skills_or_tools ?? []).map((name) => name.trim()));
  // Labels call an item by its name or by its identifier.
  const told = (read.names ?? []).map(({ name, id }) => (names.has(id) ? id : name));
  sayOverlap(`names ${where}`, counts.names.add(format, told, [...names]), say);
}

function sayOverlap(where: string, { missed, extra }: Difference, say: (line: string) => void): void {
  if (missed.length + extra.length > 0)
    say(`${where}: missed ${missed.slice(0, 4).join(" ")} | beyond ${extra.slice(0, 4).join(" ")}`);
}

const addressesOf = ({ endpoints }: Label): string[] =>
  (endpoints ?? []).filter((one) => /^https?:/i.test(one)).map(plainAddress);

/** One spelling of an address: no fragment, no slash at its end. */
function plainAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  url.hash = "";
  return url.href.replace(/\/$/, "");
}

/** A path that is a file and a folder at once ends in `.self`. */
function bytesOf(folder: string, path: string): Uint8Array | undefined {
  const file = [join(folder, path), join(folder, `${path}.self`)].find(
    (one) => existsSync(one) && statSync(one).isFile(),
  );
  return file === undefined ? undefined : readFileSync(file);
}

class Share {
  readonly #counts = new Map<string, { n: number; right: number }>();

  add(format: string, isRight: boolean): boolean {
    const count = this.#counts.get(format) ?? { n: 0, right: 0 };
    count.n++;
    if (isRight) count.right++;
    this.#counts.set(format, count);
    return isRight;
  }

  all(): ByFormat {
    const counts = [...this.#counts.values()];
    return shareOf(
      counts.reduce((sum, { n }) => sum + n, 0),
      counts.reduce((sum, { right }) => sum + right, 0),
    );
  }

  byFormat(): Record<string, ByFormat> {
    return Object.fromEntries(
      [...this.#counts].sort().map(([format, { n, right }]) => [format, shareOf(n, right)]),
    );
  }
}

const shareOf = (n: number, right: number): ByFormat => ({
  n,
  accuracy: n === 0 ? null : rounded(right / n),
});

interface Difference {
  missed: string[];
  extra: string[];
}

/** Micro-averaged F1 of sets. */
class Overlap {
  readonly #counts = new Map<string, { both: number; told: number; labelled: number }>();

  add(format: string, told: readonly string[], labelled: readonly string[]): Difference {
    const [ours, theirs] = [new Set(told), new Set(labelled)];
    const count = this.#counts.get(format) ?? { both: 0, told: 0, labelled: 0 };
    const missed = [...theirs].filter((one) => !ours.has(one));
    count.both += theirs.size - missed.length;
    count.told += ours.size;
    count.labelled += theirs.size;
    this.#counts.set(format, count);
    return { missed, extra: [...ours].filter((one) => !theirs.has(one)) };
  }

  all(): number | null {
    let [both, sum] = [0, 0];
    for (const count of this.#counts.values()) {
      both += count.both;
      sum += count.told + count.labelled;
    }
    return f1(both, sum);
  }

  byFormat(): Record<string, number | null> {
    return Object.fromEntries(
      [...this.#counts]
        .sort()
        .map(([format, { both, told, labelled }]) => [format, f1(both, told + labelled)]),
    );
  }
}

const f1 = (both: number, sum: number): number | null => (sum === 0 ? null : rounded((2 * both) / sum));

const rounded = (share: number): number => Math.round(share * 1000) / 1000;
