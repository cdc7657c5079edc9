/** Sound discovery documents, drawn by a seed, signed and unsigned: what the mutants are made from. */
import type { DiscoveryDocument } from "../../../../schemas/discovery-document.ts";
import { mulberry32 } from "../../../../src/domain/listing/mulberry32.ts";
import { type KeyPair, keyFromSeed } from "../../../../src/domain/trust/ed25519.ts";
import { signDocument } from "../../../../src/domain/trust/manifest.ts";
import { formatTxtRecord } from "../../../../src/domain/trust/txt-record.ts";

const DAY_MS = 86_400_000;
export const NOW = Date.parse("2026-11-21T09:00:00Z");
const iso = (ms: number): string => new Date(ms).toISOString();

export interface Base {
  domain: string;
  document: DiscoveryDocument;
  key: KeyPair;
  txt: string[];
}

const NAMES = [
  "harbour",
  "linden",
  "kettle",
  "orchard",
  "saddle",
  "violet",
  "quarry",
  "meadow",
  "anvil",
  "copper",
];
const ENDINGS = ["example", "com", "de", "co.uk", "example.org", "fr"];
const TRADES = ["retail", "restaurant", "travel", "crafts", "books"];
const COMMANDS = ["read", "click", "fill", "submit", "scroll", "navigate", "wait", "back", "extract"];
const TAGS = ["book-table", "buy-tea", "rent-bike", "find-shop", "repair-shoe", "read-news"];

/** The `index`-th document of a seed. */
export function drawBase(seed: number, index: number): Base {
  const draw = mulberry32(seed * 1_000_003 + index);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(draw() * from.length)]!;
  const some = <T>(from: readonly T[], least: number): T[] => {
    const taken = from.filter(() => draw() < 0.6);
    return taken.length >= least ? taken : from.slice(0, least);
  };
  const domain = `${pick(NAMES)}-${index}.${pick(ENDINGS)}`;
  const api = draw() < 0.5 ? `https://${domain}` : `https://api.${domain}`;
  const document: DiscoveryDocument = {
    bridge_version: "1.2.0",
    generated_at: iso(NOW - Math.floor(draw() * 20 * DAY_MS)),
    provider: {
      name: `${pick(NAMES)} & Söhne`,
      domain,
      category: pick(TRADES),
      description: `A ${pick(TRADES)} business: ${pick(NAMES)}, ${pick(NAMES)} and "more".`,
    },
    capabilities: {
      commands: some(COMMANDS, 3),
      permissions: {
        readContent: true,
        click: true,
        fillForms: true,
        scroll: true,
        navigate: true,
        apiAccess: draw() < 0.5,
        automatedLogin: false,
        extractData: true,
      },
      tier: pick(["free", "starter", "pro"]),
      transport: ["http"],
      features: some(["search", "registry", "forms"], 1),
    },
    agent_access: {
      bridge_script: draw() < 0.5 ? "" : `https://${domain}/bridge.js`,
      api_base: `${api}/api/bridge`,
      websocket: `wss://${domain}/ws`,
      noscript: `https://${domain}/noscript`,
      discovery: `https://${domain}/.well-known/bridge.json`,
    },
    fairness: {
      is_independent: draw() < 0.7,
      commission_rate: Math.floor(draw() * 20),
      direct_benefit: "Prices are the owner's own.",
      neutrality_score: 50,
    },
    security: { session_required: true, origin_validation: true, rate_limit: 60, sandbox: false },
    endpoints: { ping: `${api}/api/bridge/ping`, search: `${api}/api/bridge/search` },
    intent_tags: some(TAGS, 2),
    location: { country: "AT", city: pick(["Graz", "Linz", "Wien"]), lat: 47 + draw(), lon: 15 + draw() },
    actions: ["add-to-basket", "ask"].map((name) => ({
      name,
      description: `To ${name}.`,
      category: pick(["form", "commerce"] as const),
      parameters: [
        { name: "id", type: "string", required: true, description: "Which one" },
        { name: "count", type: "integer", required: false, description: "How many" },
      ],
      permissions_required: ["click", "fillForms"],
    })),
  };
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32LE(seed, 0);
  bytes.writeUInt32LE(index, 4);
  const key = keyFromSeed(bytes);
  const txt = [formatTxtRecord({ publicKey: key.publicKey, endpoint: `https://${domain}` })];
  return { domain, document, key, txt };
}

/** The document as its owner would publish it. */
export const signed = ({ document, domain, key }: Base): DiscoveryDocument =>
  signDocument(document, key, {
    endpoint: `https://${domain}`,
    issuedAt: iso(NOW - DAY_MS),
    expiresAt: iso(NOW + 30 * DAY_MS),
    serial: 3,
    trustProfile: { capabilities: ["search"], constraints: [], ttl_seconds: 3_600 },
  });
