/** What one visit saw of a site, whoever made it. */
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { Dnssec, VisitReason } from "../../schemas/site.ts";
import type { VisitMeasurements } from "./pages/measured.ts";
import type { StageReport } from "./stages/stage.ts";

/** What a visit saw. `failure`: no conclusion (network, parse); `mismatch`: what was claimed is not so; `sound`: ring 1 to 3. */
export type VisitVerdict = "sound" | "mismatch" | "failure";

export interface Observation {
  verdict: VisitVerdict;
  ring: 0 | 1 | 2 | 3;
  reason: VisitReason;
  detail: string;
  dnssec: Dnssec;
  /** Whether DNS holds a usable TXT record, even where the document is missing or wrong. */
  txtValid: boolean;
  address: string | null;
  document: DiscoveryDocument | null;
  serial: number | null;
  kid: string | null;
  /** Of the key that signed. */
  expiresAt: string | null;
  discoveryUrl: string | null;
  etag: string | null;
  documentSha256: string | null;
  contentSha256: string | null;
  /** What the pages show of how the site deals with visitors; null when none could be read. */
  measured: VisitMeasurements | null;
  /** One for each stage that was run, in order. */
  checks: readonly StageReport[];
}

/** Of a visit that read no document. */
export const NOTHING_SEEN = {
  document: null,
  serial: null,
  kid: null,
  expiresAt: null,
  discoveryUrl: null,
  etag: null,
  documentSha256: null,
  contentSha256: null,
  measured: null,
} as const;

/** Why each reason counts as it does: a removal or a contradiction is a fact, the rest may be the network's. */
const MISMATCHES: ReadonlySet<VisitReason> = new Set([
  "no_txt",
  "txt_invalid",
  "txt_ambiguous",
  "key_revoked",
  "signature_invalid",
  "manifest_invalid",
  "manifest_expired",
  "manifest_not_yet_valid",
  "serial_lowered",
  "domain_mismatch",
  "document_mismatch",
]);
export const visitVerdict = (reason: VisitReason): VisitVerdict =>
  MISMATCHES.has(reason) ? "mismatch" : "failure";
