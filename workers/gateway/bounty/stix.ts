/** A report as a STIX 2.1 bundle (OASIS, 2021): an indicator by its address, and what was observed of it. */
import { createHash } from "node:crypto";
import type { BountyReport } from "../../../schemas/bounty.ts";
import { isConfirmed } from "./rules.ts";

/** Namespace of STIX identifiers that follow from content (STIX 2.1 section 2.9). */
const NAMESPACE = "00abedb4-aa42-466c-9c01-fed23315a9b7";

/** Open vocabulary of indicator types (section 10.8). */
const INDICATOR_TYPES: Record<string, string> = {
  phishing: "malicious-activity",
  malware: "malicious-activity",
  scam: "malicious-activity",
  prompt_injection: "malicious-activity",
  affiliate_fraud: "anomalous-activity",
  dark_pattern: "anomalous-activity",
  other: "unknown",
};

export function stixBundle(report: BountyReport, publicUrl: string) {
  const { created_at: created, updated_at: modified } = report;
  const identity = `identity--${uuidv5(publicUrl)}`;
  const common = { spec_version: "2.1", created, modified, created_by_ref: identity };
  const indicatorId = `indicator--${uuidv5(`${report.kind} ${report.canonicalUrl}`)}`;
  const url = `url--${uuidv5(`{"value":${JSON.stringify(report.canonicalUrl)}}`)}`;
  const confirmed = isConfirmed(report);
  const supported = report.corroboration.filter(({ supports }) => supports);
  return {
    type: "bundle",
    id: `bundle--${report.reportId}`,
    objects: [
      {
        type: "identity",
        id: identity,
        spec_version: "2.1",
        created,
        modified: created,
        name: publicUrl,
        identity_class: "system",
      },
      { type: "url", spec_version: "2.1", id: url, value: report.canonicalUrl },
      {
        type: "indicator",
        id: indicatorId,
        ...common,
        // Whoever imports this sees our name on it: what a reporter claims must not pass for what we observed.
        name: `${confirmed ? "" : "unconfirmed report: "}${report.kind.replaceAll("_", " ")}`,
        description: `${confirmed ? "A reporter's words: " : "Claimed by a reporter, not seen by this registry: "}${report.description}`,
        indicator_types: [(confirmed && INDICATOR_TYPES[report.kind]) || "unknown"],
        labels: [confirmed ? "observed-by-registry" : "claimed-by-reporter"],
        pattern: `[url:value = '${quoted(report.canonicalUrl)}']`,
        pattern_type: "stix",
        valid_from: created,
        confidence: report.state === "triaged" ? 85 : report.state === "resolved" ? 50 : 15,
        revoked: report.state === "resolved",
      },
      ...supported.map((one) => ({
        type: "note",
        id: `note--${uuidv5(`${report.reportId} ${one.module} ${one.at}`)}`,
        ...common,
        labels: [one.evidence === "sent" ? "claimed-by-reporter" : "observed-by-registry"],
        abstract: `${one.module}: ${one.verdict}${one.evidence === "sent" ? " (on what the reporter sent)" : ""}`,
        content: `${one.module} (${one.ruleset_version}) on the ${one.evidence} evidence, SHA-256 ${one.input_sha256}: ${one.rules.join(", ")}`,
        object_refs: [indicatorId],
      })),
    ],
  };
}

/** RFC 9562 section 5.5: a name-based identifier. */
function uuidv5(name: string): string {
  const namespace = Buffer.from(NAMESPACE.replaceAll("-", ""), "hex");
  const bytes = createHash("sha1").update(namespace).update(name).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

const quoted = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
