/** `bridge check`: the crawl's own visit of one domain, now, without a broker; nothing is stored. */

import type { SiteVerdict } from "../../schemas/verdict.ts";
import { afterVisit } from "../../src/crawl/judgement.ts";
import { openPageReading, type PageReading } from "../../src/crawl/pages/page-reading.ts";
import { siteVerdict } from "../../src/crawl/verdict.ts";
import { visitHost } from "../../src/crawl/visit.ts";
import { createGate, type GateRecord } from "../../src/egress/gate.ts";
import { createPolite, type Polite } from "../../src/egress/polite.ts";
import { iso } from "../../src/ports/time.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { StoredRecord } from "../../src/stores/records.ts";
import { type OutgoingClients, openOutgoing } from "../processes/outgoing.ts";
import { CommandError, print, styled } from "./terminal.ts";
import { askVerdict, domainOf, printChecks, printFixes } from "./why.ts";
import { homeWorld } from "./world.ts";

/** A number that one visit tells another than a registry, which knows the visits before. */
interface Measure {
  value: number;
  this_visit_only: boolean;
}

/** The verdict that a first visit comes to; the scores are a registry's where one was asked. */
export interface CheckReport
  extends Pick<SiteVerdict, "domain" | "state" | "listed" | "reason" | "detail" | "checks" | "fixes"> {
  ring: number;
  trust_score: Measure;
  neutrality: Measure;
  /** What a registry knows beside, and one visit does not; empty where one was asked. */
  not_checked: readonly string[];
}

export interface CheckCommandOptions {
  json: boolean;
  /** Reads more pages than a visit of the crawl does. */
  deep: boolean;
  /** Address of a registry, whose scores are shown. */
  registry?: string | undefined;
}

interface VisitOptions extends Omit<CheckCommandOptions, "json"> {
  pages: PageReading;
}

/** Pages that `--deep` reads: as many as give the neutrality score its full weight. */
const DEEP_PAGES = 10;

const NOT_CHECKED = [
  "what earlier visits found: a higher serial, a quarantine, failures that are forgiven",
  "an operator's blocks",
  "a registration for ring 4",
];

/** Nobody else holds what one process asks for; longer than any pause that a site may ask for. */
const LEASE_MS = 600_000;
/** Longest wait for a site's pause. */
export const MAX_PAUSE_MS = 60_000;

/** Requests with the crawl's manners, by a gate of this process alone. */
export function politeAlone({ clock, fetcher }: OutgoingClients, config: Config): Polite {
  const stored = new Map<string, StoredRecord<GateRecord>>();
  const common = { now: () => clock.now(), clockErrorMs: () => 0, clock, leaseMs: LEASE_MS };
  const gate = createGate({
    ...common,
    holder: "check",
    records: {
      get: async (key) => stored.get(key),
      compareAndSet: async (key, value, revision) => {
        if ((stored.get(key)?.revision ?? 0) !== revision) return undefined;
        stored.set(key, { value, revision: revision + 1 });
        return revision + 1;
      },
    },
  });
  // A person waits, and asks once: the pause is a session's.
  const hostDelayMs = config.BRIDGE_IP_DELAY_MS;
  return createPolite({ ...common, gate, fetcher, hostDelayMs, ipDelayMs: 0 });
}

/** Prints each step; the exit code is 0 for a site that would be listed, else 1. */
export async function checkCommand(
  config: Config,
  input: string,
  options: CheckCommandOptions,
): Promise<number> {
  const pages = openPageReading(1);
  const report = await reportOn(config, input, { ...options, pages }).finally(pages.close);
  if (options.json) print(JSON.stringify(report));
  else printReport(report);
  return report.listed ? 0 : 1;
}

/** Visits a domain beside whatever registry runs from this home: on its synthetic web, where it has one. */
export async function reportOn(given: Config, input: string, options: VisitOptions): Promise<CheckReport> {
  const domain = domainOf(input);
  const { config, ca } = homeWorld(given);
  const outgoing = openOutgoing(config, ca === undefined ? {} : { ca: [ca] });
  try {
    return await checkDomain(outgoing, domain, config, options);
  } finally {
    await outgoing.close();
  }
}

/** Checks a domain by the crawl's own stages, and judges it as a first visit would. */
async function checkDomain(
  outgoing: OutgoingClients,
  domain: string,
  config: Config,
  { registry, ...options }: VisitOptions,
): Promise<CheckReport> {
  const result = await visitOnce(outgoing, domain, config, options);
  if (result.kind === "not_now")
    throw new CommandError(`${domain} must not be asked before ${iso(result.retryAt)}.`, 3);
  const now = outgoing.clock.now();
  const { record } = afterVisit(undefined, domain, result.seen, now, now);
  const { state, listed, reason, detail, checks, fixes, trust, neutrality } = siteVerdict(
    { host: domain, record, isBlocked: false },
    now,
  );
  const known = registry === undefined ? undefined : await askVerdict(registry, domain);
  const measure = (ours: number, theirs: number | undefined): Measure => ({
    value: theirs ?? ours,
    this_visit_only: theirs === undefined,
  });
  return {
    domain,
    ring: trust.ring,
    state,
    listed,
    reason,
    detail,
    checks,
    fixes,
    trust_score: measure(trust.score, known?.trust.score),
    neutrality: measure(neutrality.score, known?.neutrality.score),
    not_checked: known ? [] : NOT_CHECKED,
  };
}

/** Visits a domain as the crawl does. */
async function visitOnce(
  outgoing: OutgoingClients,
  domain: string,
  config: Config,
  { deep, pages }: Pick<VisitOptions, "deep" | "pages">,
) {
  const entry = await politeAlone(outgoing, config).open(domain, MAX_PAUSE_MS);
  if (!entry.ok) throw new Error("the gate of one process was held");
  await using visit = entry.visit;
  return await visitHost(visit, domain, undefined, {
    resolver: outgoing.resolver,
    robotsToken: config.BRIDGE_USER_AGENT.split("/")[0]!,
    httpsPort: config.BRIDGE_HTTPS_PORT,
    now: () => outgoing.clock.now(),
    pagesPerVisit: deep ? DEEP_PAGES : config.pagesPerVisit,
    readPage: pages.read,
  });
}

export function printReport(report: CheckReport): void {
  const { domain, ring, listed, reason, trust_score, neutrality, not_checked } = report;
  printChecks(report.checks);
  const outcome = `ring ${ring}: ${domain} would ${listed ? "be listed" : `not be listed (${reason})`}`;
  print(styled(["bold", listed ? "green" : "red"], outcome));
  const only = trust_score.this_visit_only ? " (by this visit only)" : "";
  print(`trust ${trust_score.value}, neutrality ${neutrality.value}${only}`);
  printFixes(report.fixes);
  if (not_checked.length > 0) print(`Not checked here: ${not_checked.join("; ")}.`);
}
