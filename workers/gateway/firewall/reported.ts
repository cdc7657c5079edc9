/** What confirmed reports of the bounty network say of an address that an agent is about to read. */
import type { ConfirmedReport, ConfirmedReports, ReportKind } from "../../../schemas/bounty.ts";
import type { LinkFinding } from "../../../src/detectors/firewall/links.ts";
import { canonicalUrl } from "../../../src/domain/names/canonical-url.ts";
import type { Records } from "../../../src/stores/records.ts";
import { confirmedReports } from "../../../src/stores/reports.ts";

/** Kinds that endanger an agent or its user; the others are for the site's verdict. */
const DANGERS: readonly ReportKind[] = ["prompt_injection", "phishing", "malware", "scam"];
/** Findings about other pages of a host: they say nothing of this one, and block nothing. */
const MAX_OTHER_PAGES = 3;

/** Findings about addresses: of the page itself what was reported of it, and of its host a few others. */
export async function reportedFindings(
  confirmed: Pick<Records<ConfirmedReports>, "get">,
  addresses: readonly URL[],
  nowMs: number,
): Promise<LinkFinding[]> {
  const hosts = [...new Set(addresses.map(({ hostname }) => hostname))];
  const reports = (await Promise.all(hosts.map((host) => confirmedReports(confirmed, host, nowMs)))).flat();
  const dangers = reports.filter(({ kind }) => DANGERS.includes(kind));
  const pages = new Set(addresses.map(canonicalUrl));
  const ofPage = dangers.filter(({ url }) => pages.has(url));
  const ofHost = dangers.filter(({ url }) => !pages.has(url)).slice(-MAX_OTHER_PAGES);
  return [
    ...ofPage.map((report) => findingOf(report, true)),
    ...ofHost.map((report) => findingOf(report, false)),
  ];
}

function findingOf(report: ConfirmedReport, isThisPage: boolean): LinkFinding {
  const kind = report.kind.replaceAll("_", " ");
  const who = report.confirmedBy === "operator" ? "an operator" : "the registry's modules";
  return {
    rule: isThisPage ? "reported-page" : "reported-host",
    category: "reported",
    severity: isThisPage ? "critical" : "low",
    confidence: isThisPage ? 0.95 : 0.25,
    evidence: { snippet: report.url.slice(0, 240), start: null, end: null },
    remediation: isThisPage
      ? `Do not act on it: this page was reported for ${kind}, and ${who} confirmed it (report ${report.reportId}).`
      : `Take care: another page of this host was reported for ${kind}, and ${who} confirmed it (report ${report.reportId}).`,
  };
}
