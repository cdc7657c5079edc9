/** The input of a check: any part may be missing, and what is missing is not observed, never passed. */
import type { DnsAnswer } from "../../../src/ports/dns.ts";
import type { Cookie } from "./cookies.ts";
import type { ComplianceFacts } from "./page-facts.ts";
import type { SecurityTxt } from "./security-txt.ts";

/** Records as the resolver gave them, or why there is no answer; undefined when it was not asked. */
export type DnsObservation = DnsAnswer<string> | undefined;

export interface ComplianceObservation {
  host: string;
  now: number;
  isHttps: boolean | undefined;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>> | undefined;
  cookies: readonly Cookie[] | undefined;
  page: ComplianceFacts | undefined;
  securityTxt: SecurityTxt | undefined;
  dns: { caa: DnsObservation; dmarc: DnsObservation; spf: DnsObservation; address: DnsObservation };
}
