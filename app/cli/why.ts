/** `bridge why`: what a running registry says of a domain, and what its owner can do. */
import { request } from "undici";
import { type Fix, SiteVerdict } from "../../schemas/verdict.ts";
import { headlineOf } from "../../src/domain/listing/conduct.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { CommandError, print, printable, styled } from "./terminal.ts";

const ANSWER_WITHIN_MS = 15_000;
/** A verdict takes some kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;

const MARKS = {
  pass: ["✓", "green"],
  warn: ["!", "yellow"],
  fail: ["✗", "red"],
  skipped: ["-", "dim"],
} as const;

const COLORS = { good: "green", warn: "yellow", bad: "red", soft: "dim" } as const;

export function printChecks(checks: SiteVerdict["checks"]): void {
  for (const { name, outcome, reason, detail } of checks) {
    const [mark, color] = MARKS[outcome];
    print(
      `${styled(color, mark)} ${name.padEnd(9)} ${printable(detail === "" ? reason : `${reason}: ${detail}`)}`,
    );
  }
}

export function printFixes(fixes: readonly Fix[]): void {
  if (fixes.length > 0) print("What to do:");
  for (const fix of fixes) {
    print(`  ${fix.title} (${gain(fix)}): ${fix.do}`);
    if (fix.page !== null) print(printable(`      ${fix.page}${fix.excerpt ? `: ${fix.excerpt}` : ""}`));
    if (fix.example !== null) print(`      ${printable(fix.example)}`);
  }
}

const gain = ({ gains, of }: Fix): string =>
  typeof gains === "number" ? `+${Math.round(gains * 10) / 10} ${of}` : `to be ${gains}`;

/** Prints the verdict; the exit code is 0 for a listed site, 4 for one that is not known, else 1. */
export async function why(registry: string, input: string, json: boolean): Promise<number> {
  const verdict = await askVerdict(registry, domainOf(input));
  if (json) print(JSON.stringify(verdict));
  else printVerdict(verdict);
  return verdict.listed ? 0 : verdict.state === "unknown" ? 4 : 1;
}

/** Asks a registry. @throws CommandError where it does not answer with a verdict */
export async function askVerdict(registry: string, domain: string): Promise<SiteVerdict> {
  const path = `/api/registry/sites/${encodeURIComponent(domain)}`;
  const answer = await readText(registry, path).catch((error: unknown) => {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `${registry} does not answer: ${(error as Error).message}. Start it with \`npm start\`.`,
    );
  });
  const verdict = answer.status === 200 ? SiteVerdict.safeParse(JSON.parse(answer.text)) : undefined;
  if (!verdict?.success)
    throw new CommandError(`${registry}${path} answered ${answer.status}, and no verdict.`);
  return verdict.data;
}

async function readText(registry: string, path: string): Promise<{ status: number; text: string }> {
  const url = URL.parse(path, registry);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`${JSON.stringify(registry)} is not the address of a registry.`, 2);
  const answer = await request(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  let text = "";
  answer.body.setEncoding("utf8");
  for await (const chunk of answer.body) {
    text += chunk;
    if (text.length > MAX_ANSWER_BYTES) throw new Error("the answer is too long");
  }
  return { status: answer.statusCode, text };
}

/** @throws CommandError for what is no public host name */
export function domainOf(input: string): string {
  const parsed = parsePastedDomain(input);
  if (!parsed.ok)
    throw new CommandError(`${JSON.stringify(input)} is not a public host name (${parsed.reason}).`, 2);
  return parsed.host;
}

function printVerdict(verdict: SiteVerdict): void {
  const { domain, state, listed, reason, detail, since, trust, neutrality, headline, conduct } = verdict;
  const why = `${reason}${since === null ? "" : ` since ${since}`}`;
  print(
    styled(
      ["bold", listed ? "green" : "red"],
      `${domain}: ${state}, ${listed ? "listed" : "not listed"} (${why})`,
    ),
  );
  print(styled(COLORS[headlineOf(state, conduct).tone], headline));
  if (detail !== "") print(printable(detail));
  for (const { severity, rule, page, excerpt } of verdict.findings)
    print(printable(`${severity} ${rule} at ${page}: ${excerpt}`));
  if (state !== "unknown" && state !== "blocked") {
    printChecks(verdict.checks);
    print(
      `ring ${trust.ring}, trust ${trust.score}, neutrality ${neutrality.score} from ${neutrality.pages} pages`,
    );
    print(`visited ${verdict.last_visit_at}; next ${verdict.next_visit_at}`);
  }
  printFixes(verdict.fixes);
}
