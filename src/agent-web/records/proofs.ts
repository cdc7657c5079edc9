/**
 * Records that prove something to others and have nothing in them for an agent to call: keys by which a domain is known to the MCP
 * Registry (modelcontextprotocol/registry, DNS authentication) and to the AGNTCY directory (agntcy/dir, naming), and the address of an
 * ANS agent's entry in a transparency log.
 */
import { Findings } from "../formats/document.ts";
import type { Reading } from "../formats/format.ts";
import type { RecordFormat } from "./record-format.ts";
import { checkDoubled, recordsOf, type Tags } from "./tag-list.ts";

/** Bytes of a public key in base64: Ed25519's, and a compressed point of P-384. */
const REGISTRY_KEYS: Readonly<Record<string, number>> = { ed25519: 32, ecdsap384: 49 };

export const MCP_REGISTRY_KEY = proof("mcp-registry-key", "", "MCPv1", (tags, at, findings) => {
  const bytes = REGISTRY_KEYS[tags.get("k") ?? ""];
  if (bytes === undefined)
    findings.breaks("key_type", `${at}/k`, `Name one of ${Object.keys(REGISTRY_KEYS).join(", ")}.`);
  checkKey(tags, bytes, at, findings);
});

export const OASF_KEY = proof("oasf-key", "_oasf", "oasf1", (tags, at, findings) => {
  if (!tags.get("k")) findings.breaks("missing_member", `${at}/k`, "Say by k of which type the key is.");
  checkKey(tags, undefined, at, findings);
});

export const ANS_BADGE = proof("ans-badge", "_ans-badge", "ans-badge1", (tags, at, findings) => {
  if (URL.parse(tags.get("url") ?? "")?.protocol !== "https:")
    findings.breaks(
      "address_scheme",
      `${at}/url`,
      "Write the https address of the agent's entry in the log.",
    );
});

function proof(
  name: string,
  label: string,
  version: string,
  check: (tags: Tags, at: string, findings: Findings) => void,
): RecordFormat {
  const pattern = new RegExp(`^${version}$`, "i");
  return {
    name,
    label,
    type: "TXT",
    read: (texts): Reading | undefined => {
      const records = recordsOf(texts, pattern);
      if (records.length === 0) return undefined;
      const findings = new Findings();
      for (const [at, list] of records.entries()) {
        checkDoubled(list, `/${at}`, findings);
        check(list.tags, `/${at}`, findings);
      }
      const { conforms, list } = findings;
      return { revision: version, conforms, usable: false, findings: list, services: [] };
    },
  };
}

/** @param bytes undefined: of a type whose length is not known here */
function checkKey(tags: Tags, bytes: number | undefined, at: string, findings: Findings): void {
  const text = tags.get("p") ?? "";
  const isBase64 = /^[A-Za-z0-9+/]{4,2000}={0,2}$/.test(text);
  const isRight = isBase64 && (bytes === undefined || Buffer.from(text, "base64").length === bytes);
  if (!isRight) findings.breaks("key_form", `${at}/p`, "Write the public key in base64.");
}
