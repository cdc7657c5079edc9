import { describe, expect, test } from "vitest";
import type { AgentPresence } from "../../schemas/agent-web.ts";
import { WELL_KNOWN_PATHS } from "../../src/agent-web/formats/table.ts";
import { presenceAfter } from "../../src/agent-web/presence.ts";
import { presenceBytes, presenceOf } from "../../src/stores/presence-bytes.ts";

const HOST = "rates.example";
const CARD = `https://${HOST}/.well-known/mcp/server-card.json`;

describe("what is stored of a host's presence", () => {
  test("is read as it was written, with members that this version does not know", () => {
    const later = { ...presence(), seen_from: "Zürich" };
    expect(presenceOf(presenceBytes(later))).toEqual(later);
  });

  test("takes a fifth of its JSON: what nearly every record says costs next to nothing", () => {
    const json = Buffer.byteLength(JSON.stringify(presence()));
    expect(presenceBytes(presence()).length).toBeLessThan(json / 5);
  });

  test("names the dictionary by which it is read (RFC 1950, section 2.2), and that one never changes", () => {
    const bytes = Buffer.from(presenceBytes(presence()));
    expect(bytes[1]! & 0x20, "FDICT").toBe(0x20);
    expect(bytes.readUInt32BE(2)).toBe(DICTIONARY_CHECKSUM);
    bytes.writeUInt32BE(DICTIONARY_CHECKSUM + 1, 2);
    expect(() => presenceOf(bytes)).toThrow("Bad dictionary");
  });

  test("is refused where it is damaged, or becomes more than any record", () => {
    const bytes = presenceBytes(presence());
    expect(() => presenceOf(bytes.subarray(0, -8))).toThrow();
    const bomb = { ...presence(), filler: "0".repeat(2 << 20) };
    expect(() => presenceOf(presenceBytes(bomb))).toThrow("larger than");
  });
});

const DICTIONARY_CHECKSUM = 1_156_575_239;

/** A server that was found by its card and answers, at a host where nothing else is. */
function presence(): AgentPresence {
  const seen_at = "2026-11-27T12:00:00.000Z";
  const asked = {
    revision: null,
    found_by: "well_known" as const,
    named_by: null,
    conforms: null,
    usable: false,
    findings: [],
  } as const;
  const absent = WELL_KNOWN_PATHS.slice(0, 11).map(({ path, format }) => ({
    ...asked,
    format: format.name,
    url: `https://${HOST}${path}`,
    answer: "absent" as const,
    findings: [],
    sha256: null,
    by: "owner",
    seen_at,
  }));
  const card = {
    ...asked,
    format: "mcp-server-card",
    url: CARD,
    answer: "present" as const,
    findings: [],
    usable: true,
    sha256: "5b1d77feb74127ccc55aecaeb78097df49d4c4933079e1697870f7154c26df69",
    by: "owner",
    seen_at,
  };
  const service = {
    protocol: "mcp" as const,
    endpoint: `https://${HOST}/mcp`,
    transports: ["streamable-http"],
    auth: "none" as const,
    name: "Rates",
    description: "Exchange rates of the day, by currency.",
    described_by: [CARD],
    claimed_by: [],
    observation: {
      class: "open" as const,
      detail: "lists its tools",
      revision: "2025-11-25",
      name: "Rates",
      tools: 1,
      tools_sha256: "3515959159e3baca3197d6ea955b49b5a548dda38167b9e1f35ccdc81dff0181",
      latency_ms: 84,
      seen_at,
    },
    screened: "clear" as const,
    failing: null,
    tools: [
      {
        name: "rate_of",
        description: "The rate of one currency in another.",
        parameters: ["from", "to"],
        effect: "read" as const,
        screened: "clear" as const,
      },
    ],
  };
  const look = {
    platform: null,
    descriptors: [card, ...absent],
    services: [service],
    cut: { descriptors: 0, tools: 0 },
  };
  return presenceAfter(undefined, HOST, look, Date.parse(seen_at));
}
