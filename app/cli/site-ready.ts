/** `bridge ready`: how useful a site is to agents, as a running registry saw it; an unknown one is reported and waited for. */
import { setTimeout as delay } from "node:timers/promises";
import type { ReadyItem, SiteReadiness } from "../../schemas/readiness.ts";
import { askRegistry } from "./ask.ts";
import { CommandError, print, printable, styled } from "./terminal.ts";
import { domainOf } from "./why.ts";

const LOOK_EVERY_MS = 3_000;

const GROUPS = [
  ["broken", "Broken", "✗", "red"],
  ["works", "Works", "✓", "green"],
  ["not_known", "Described, and not known to work", "?", "dim"],
  ["only_present", "Only there for scanners", "-", "yellow"],
] as const;

/** Prints the report. @returns 0 where agents can use or read something, 4 where nobody looked yet, else 1 */
export async function siteReady(
  registry: string,
  input: string,
  { json, wait }: { json: boolean; wait: number },
): Promise<number> {
  const domain = domainOf(input);
  const report = await lookedAt(registry, domain, wait);
  if (json) print(JSON.stringify(report));
  else printReport(report);
  const { readiness } = report;
  if (readiness === "unknown") return 4;
  return readiness === "usable" || readiness === "readable" ? 0 : 1;
}

/** @param wait seconds that a first look may take */
async function lookedAt(registry: string, domain: string, wait: number): Promise<SiteReadiness> {
  const path = `/api/registry/sites/${encodeURIComponent(domain)}/ready`;
  const ask = () =>
    askRegistry<SiteReadiness>(registry, path).catch((error: unknown) => {
      throw new CommandError((error as Error).message);
    });
  let report = await ask();
  if (report.state !== "unknown" || report.readiness !== "unknown" || wait === 0) return report;
  await askRegistry(registry, "/api/registry/report", { body: { domain } }).catch((error: unknown) => {
    throw new CommandError((error as Error).message);
  });
  process.stderr.write(`${domain} is not known here: it is to be looked at …\n`);
  for (let waited = 0; report.readiness === "unknown" && waited < wait * 1_000; waited += LOOK_EVERY_MS) {
    await delay(LOOK_EVERY_MS);
    report = await ask();
  }
  return report;
}

function printReport({ domain, headline, left_out, seen_at, ...groups }: SiteReadiness): void {
  print(styled("bold", `${domain}: ${headline}`));
  for (const [group, title, mark, color] of GROUPS) {
    if (groups[group].length === 0) continue;
    print(`${title}:`);
    for (const item of groups[group]) printItem(item, styled(color, mark));
  }
  if (left_out > 0) print(`${left_out} more are left out.`);
  if (seen_at !== null) print(styled("dim", `looked at ${seen_at}`));
}

function printItem({ kind, address, says, fixes }: ReadyItem, mark: string): void {
  print(`  ${mark} ${kind} ${printable(address)}`);
  print(`      ${says}`);
  for (const { place, do: fix } of fixes)
    print(`      → ${printable(place === "" ? fix : `${place}: ${fix}`)}`);
}
