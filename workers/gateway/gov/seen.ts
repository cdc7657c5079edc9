/** What a check goes by: everything may be missing, and what is missing is not observed, never passed. */
import type { DnsAnswer } from "../../../src/ports/dns.ts";
import type { Cookie } from "./cookies.ts";
import type { PageFacts } from "./page-facts.ts";
import type { SecurityTxt } from "./security-txt.ts";

/** Records as the resolver gave them, or why there is no answer. */
export type Looked = DnsAnswer<string> | undefined;

export interface Seen {
  host: string;
  now: number;
  isHttps: boolean | undefined;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>> | undefined;
  cookies: readonly Cookie[] | undefined;
  page: PageFacts | undefined;
  securityTxt: SecurityTxt | undefined;
  dns: { caa: Looked; dmarc: Looked; spf: Looked; address: Looked };
}
