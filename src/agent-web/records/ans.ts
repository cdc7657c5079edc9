/**
 * Agent Name Service (agentnameservice/ans 0.1.6, section 5.5.1): a record a protocol, which names what to fetch or that the host is
 * spoken to at once. Its badge, the address of a transparency log, is a proof (proofs.ts).
 */
import { A2A_CARD } from "../formats/a2a-card.ts";
import { describedService, Findings, linkedAddress, servicesOf } from "../formats/document.ts";
import type { DescribedService, NamedDocument, Reading } from "../formats/format.ts";
import { MCP_SERVER_CARD } from "../formats/mcp-server-card.ts";
import type { RecordContext, RecordFormat } from "./record-format.ts";
import { checkDoubled, recordsOf } from "./tag-list.ts";

const PROTOCOLS = ["a2a", "mcp", "http"] as const;
const MODES = ["card", "direct"];
const TYPES: Readonly<Record<string, string>> = {
  a2a: A2A_CARD.mediaTypes[0]!,
  mcp: MCP_SERVER_CARD.mediaTypes[0]!,
};

export const ANS: RecordFormat = { name: "ans", label: "_ans", type: "TXT", read };

function read(texts: readonly string[], { domain }: RecordContext): Reading | undefined {
  const findings = new Findings();
  const services: DescribedService[] = [];
  const documents: NamedDocument[] = [];
  const host = new URL(`https://${domain}/`);
  const records = recordsOf(texts, /^ans1$/i);
  for (const [i, list] of records.entries()) {
    const at = `/${i}`;
    checkDoubled(list, at, findings);
    const [p, mode = "card", url] = ["p", "mode", "url"].map((key) => list.tags.get(key));
    const protocol = PROTOCOLS.find((each) => each === p?.toLowerCase());
    if (p !== undefined && !protocol)
      findings.breaks("unknown_protocol", `${at}/p`, `Name one of ${PROTOCOLS.join(", ")}.`);
    if (!MODES.includes(mode))
      findings.breaks("unknown_mode", `${at}/mode`, "Write mode=card or mode=direct.");
    const address = url === undefined ? undefined : linkedAddress(url, host);
    if (url !== undefined && !address?.startsWith("https://"))
      findings.breaks("address_scheme", `${at}/url`, "Write an https address.");
    else if (mode === "direct" && protocol) services.push(describedService(protocol, address ?? host.href));
    else if (mode === "card")
      documents.push({
        url: address ?? new URL(A2A_CARD.paths[0]!.path, host).href,
        type: TYPES[protocol ?? "a2a"] ?? "",
      });
  }
  if (records.length === 0) return undefined;
  return {
    revision: "ans1",
    conforms: findings.conforms,
    usable: services.length + documents.length > 0,
    findings: findings.list,
    services: servicesOf(services),
    documents,
  };
}
