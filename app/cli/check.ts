/** `bridge check`: the crawl's own visit of one domain, now, without a broker; nothing is stored. */

import type { SiteStatus, VisitReason } from "../../schemas/site.ts";
import { afterVisit } from "../../src/crawl/judgement.ts";
import { openPageReading } from "../../src/crawl/pages/page-reading.ts";
import type { Outcome } from "../../src/crawl/stages/stage.ts";
import { adviceOf, type StageName } from "../../src/crawl/stages/table.ts";
import { visitHost } from "../../src/crawl/visit.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { createGate, type GateRecord } from "../../src/egress/gate.ts";
import { createPolite, type Polite } from "../../src/egress/polite.ts";
import { iso } from "../../src/ports/time.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { Stored } from "../../src/stores/records.ts";
import { type Outgoing, openOutgoing } from "../processes/outgoing.ts";
import { CommandError, print, printable } from "./terminal.ts";

export interface Step {
  step: "domain" | StageName;
  /** Whether it passed. */
  ok: boolean;
  outcome: Outcome;
  /** A stable code. */
  reason: string;
  detail: string;
}

export interface CheckReport {
  domain: string;
  ring: number;
  /** What a first visit would make of the site. */
  status: SiteStatus;
  listed: boolean;
  reason: VisitReason;
  steps: Step[];
  /** What a registry knows beside, and one visit does not. */
  not_checked: string[];
}

const NOT_CHECKED = [
  "what earlier visits found: a higher serial, a quarantine, failures that are forgiven",
  "an operator's blocks",
  "a registration for ring 4",
];

/** Nobody else holds what one process asks for; longer than any pause that a site may ask for. */
const LEASE_MS = 600_000;
/** Longest wait for a site's pause. */
const MAX_WAIT_MS = 60_000;

/** Requests with the crawl's manners, by a gate of this process alone. */
const politeAlone = ({ clock, fetcher }: Outgoing, config: Config): Polite => {
  const stored = new Map<string, Stored<GateRecord>>();
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
  const hostDelayMs = config.BRIDGE_SESSION_DELAY_MS;
  return createPolite({ ...common, gate, fetcher, hostDelayMs, ipDelayMs: 0 });
};

/** Visits a domain as the crawl does. */
const visitOnce = async (outgoing: Outgoing, domain: string, config: Config) => {
  const entry = await politeAlone(outgoing, config).open(domain, MAX_WAIT_MS);
  if (!entry.ok) throw new Error("the gate of one process was held");
  const pages = openPageReading(1);
  try {
    return await visitHost(entry.visit, domain, undefined, {
      resolver: outgoing.resolver,
      robotsToken: config.BRIDGE_USER_AGENT.split("/")[0]!,
      httpsPort: config.BRIDGE_HTTPS_PORT,
      now: () => outgoing.clock.now(),
      pagesPerVisit: config.BRIDGE_PAGES_PER_VISIT,
      readPage: pages.read,
    });
  } finally {
    await entry.visit.close();
    await pages.close();
  }
};

/** Checks a domain by the crawl's own stages, and judges it as a first visit would. */
const checkDomain = async (outgoing: Outgoing, input: string, config: Config): Promise<CheckReport> => {
  const parsed = parsePastedDomain(input);
  if (!parsed.ok)
    throw new CommandError(`${JSON.stringify(input)} is not a public host name (${parsed.reason}).`, 2);
  const domain = parsed.host;
  const result = await visitOnce(outgoing, domain, config);
  if (result.kind === "not_now")
    throw new CommandError(`${domain} must not be asked before ${iso(result.retryAt)}.`, 3);
  const now = outgoing.clock.now();
  const { ring, status, reason } = afterVisit(undefined, domain, result.observation, now, now).record;
  const named: Step = { step: "domain", ok: true, outcome: "pass", reason: "public_host", detail: domain };
  const checks = result.checks.map(({ name, outcome, reason, detail }) => ({
    step: name,
    ok: outcome === "pass",
    outcome,
    reason,
    detail,
  }));
  const steps = [named, ...checks];
  return { domain, ring, status, listed: status === "enabled", reason, steps, not_checked: NOT_CHECKED };
};

const MARKS: Record<Outcome, string> = { pass: "✓", warn: "!", fail: "✗", skipped: "-" };

const printReport = ({ domain, ring, listed, reason, steps }: CheckReport): void => {
  for (const { step, outcome, reason: code, detail } of steps) {
    const said = detail === "" ? code : `${code}: ${detail}`;
    print(`${MARKS[outcome]} ${step.padEnd(9)} ${printable(step === "domain" ? detail : said)}`);
    if (step !== "domain" && (outcome === "fail" || outcome === "warn"))
      print(`            ${adviceOf(step)}`);
  }
  print(`ring ${ring}: ${domain} would ${listed ? "be listed" : `not be listed (${reason})`}`);
  print(`Not checked here: ${NOT_CHECKED.join("; ")}.`);
};

/** Prints each step; the exit code is 0 for a site that would be listed, else 1. */
export const check = async (config: Config, domain: string, json: boolean): Promise<number> => {
  const outgoing = openOutgoing(config);
  try {
    const report = await checkDomain(outgoing, domain, config);
    if (json) print(JSON.stringify(report));
    else printReport(report);
    return report.listed ? 0 : 1;
  } finally {
    await outgoing.close();
  }
};
