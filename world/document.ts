/** What a site publishes for agents: its TXT record, discovery document and beacon, in every state of repair. */
import { createHash } from "node:crypto";
import type { Action } from "../schemas/action.ts";
import { VERSIONS } from "../schemas/common.ts";
import type { DiscoveryDocument } from "../schemas/discovery-document.ts";
import type { Beacon } from "../schemas/peer.ts";
import { type KeyPair, keyFromSeed } from "../src/domain/trust/ed25519.ts";
import { signDocument } from "../src/domain/trust/manifest.ts";
import { oracleOf } from "./kinds.ts";
import { makeProfile, type Profile, type SyntheticSite } from "./site.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** What all documents of one world share. */
export interface PublishContext {
  seed: number;
  /** Port of the HTTPS server. */
  port: number;
  /** Wall clock of the world's start: manifests were issued an hour before. */
  startedAtMs: number;
}

type WhichKey = "current" | "previous" | "stranger";

/** Of trades that no site of the world is in. */
const FOREIGN_TAGS = ["charter-yacht", "auction-stamps", "breed-alpacas", "tune-pianos", "hire-hangar"];

/** The key that the site signs with now. */
export const currentKey = (context: PublishContext, site: SyntheticSite): KeyPair =>
  keyOf(context, site, "current");

const keyOf = (context: PublishContext, { host }: SyntheticSite, which: WhichKey): KeyPair =>
  siteKey(context, host, which);

/** A site's key as its owner holds it. */
export const siteKey = ({ seed }: { seed: number }, host: string, which: WhichKey): KeyPair =>
  keyFromSeed(createHash("sha256").update(`synthetic web ${seed} ${host} ${which}`).digest());

/**
 * The character strings of each TXT record at `_bridge.<host>`; none for an unpublished site. Written out here, as an
 * owner's own tool would, and not by the rules under test.
 */
export function txtOf(context: PublishContext, site: SyntheticSite, key: KeyPair): string[][] {
  const current = key.publicKey;
  const previous = (): string => keyOf(context, site, "previous").publicKey;
  const record = (publicKey: string, host = site.host): string =>
    `v=BRIDGE1; k=ed25519; pk=${publicKey}; endpoint=${siteOrigin(host, context.port)}`;
  switch (site.knobs.txt) {
    case "valid":
      return [[record(current)]];
    case "none":
      return [];
    case "split": {
      // One record of two character strings, cut at 255 bytes inside a long unknown tag.
      const text = `${record(current)}; note=${"neither cut nor space belongs here ".repeat(6).replaceAll(" ", "-")}`;
      return [[text.slice(0, 255), text.slice(255)]];
    }
    case "old_and_new":
      return [[record(previous())], [record(current)]];
    case "old_key":
      return [[record(previous())]];
    case "revoked":
      return [[record("")]];
    case "doubled_tag":
      return [[`${record(current)}; pk=${previous()}`]];
    case "ambiguous":
      return [[record(current)], [record(current, `other.${site.host}`)]];
    case "foreign_endpoint":
      return [[record(current, "elsewhere.test")]];
  }
}

export const siteOrigin = (host: string, port: number): string =>
  `https://${host}${port === 443 ? "" : `:${port}`}`;

/** The bytes at both well-known paths, or undefined where nothing (or something quite different) is served. */
export function documentBytes(
  context: PublishContext,
  site: SyntheticSite,
  key: KeyPair,
): Uint8Array | undefined {
  if (site.knobs.upload !== null) return Buffer.from(site.knobs.upload);
  const profile = makeProfile(context.seed, site);
  const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value, undefined, 1));
  switch (site.knobs.document) {
    case "missing":
    case "redirect_private":
      return undefined;
    case "unsigned":
      return json(plainDocument(context, site, profile));
    case "garbage":
      return Buffer.from('{"bridge_version": "1.2.0", "provider": {"name": oops');
    case "deep":
      return Buffer.from(`{"provider":${"[".repeat(20_000)}${"]".repeat(20_000)}}`);
    case "incomplete":
      return json({ bridge_version: VERSIONS.bridge, provider: { name: site.name } });
    default:
      return json(signedDocument(context, site, profile, key));
  }
}

/** The unsigned document. */
function plainDocument(context: PublishContext, site: SyntheticSite, profile: Profile): DiscoveryDocument {
  const origin = siteOrigin(site.host, context.port);
  const { declares } = site.knobs;
  const independent = declares === "fair" || site.index % 4 !== 0;
  return {
    bridge_version: VERSIONS.bridge,
    generated_at: new Date(context.startedAtMs - HOUR_MS).toISOString(),
    provider: {
      name: site.name,
      domain: site.knobs.document === "wrong_domain" ? `not-${site.host}`.slice(0, 253) : site.host,
      category: site.category,
      description: profile.description,
    },
    capabilities: {
      commands: ["navigate", "read", "click", "fill"],
      permissions: {
        readContent: true,
        click: true,
        scroll: true,
        navigate: true,
        fillForms: true,
      },
      tier: ["free", "starter", "pro"][site.index % 3]!,
      transport: ["https"],
      features: ["noscript"],
    },
    agent_access: {
      bridge_script: `${origin}/bridge.js`,
      api_base: `${origin}/api/bridge`,
      websocket: `${origin.replace("https:", "wss:")}/ws`,
      noscript: `${origin}/`,
      discovery: `${origin}/.well-known/bridge.json`,
    },
    fairness: {
      is_independent: independent,
      commission_rate: independent ? 0 : 5 + (site.index % 11),
      direct_benefit: independent ? "No middleman takes a share" : "Loyalty points on direct orders",
      neutrality_score: independent ? 90 : 60,
    },
    security: { session_required: false, origin_validation: false, rate_limit: 60, sandbox: true },
    endpoints: { home: `${origin}/`, trade: `${origin}${profile.tradePath}`, beacon: `${origin}/.bridge` },
    intent_tags: [...profile.intentTags, ...(declares === "tags" ? FOREIGN_TAGS : [])],
    location: profile.location,
    owner: profile.owner,
    actions: actionsOf(profile),
  };
}

const actionsOf = (profile: Profile): Action[] =>
  profile.intentTags.map((intent) => ({
    name: intent,
    description: `${intent.charAt(0).toUpperCase()}${intent.slice(1).replaceAll("-", " ")} on this site`,
    category: /buy|basket|order|ticket|book/.test(intent) ? "commerce" : "navigation",
    parameters: /book|request|buy/.test(intent)
      ? [{ name: "date", type: "date", required: true, description: "Day wanted, ISO 8601" }]
      : [],
    permissions_required: /book|buy|sign/.test(intent) ? ["fillForms"] : ["readContent"],
  }));

/** Signed as the knob says: the flaws are in the signing, the document itself is good. */
function signedDocument(
  context: PublishContext,
  site: SyntheticSite,
  profile: Profile,
  key: KeyPair,
): DiscoveryDocument {
  const flaw = site.knobs.document;
  const issuedMs =
    context.startedAtMs + (flaw === "expired" ? -10 * DAY_MS : flaw === "not_yet_valid" ? DAY_MS : -HOUR_MS);
  const signer = flaw === "forged" ? { ...keyOf(context, site, "stranger"), kid: key.kid } : key;
  const document = signDocument(plainDocument(context, site, profile), signer, {
    endpoint: siteOrigin(site.host, context.port),
    issuedAt: new Date(issuedMs).toISOString(),
    expiresAt: new Date(issuedMs + (flaw === "expired" ? 9 : 30) * DAY_MS).toISOString(),
    serial: site.knobs.serial,
    trustProfile: {
      capabilities: ["read", ...profile.intentTags],
      constraints: ["no-resale", "respect-robots"],
      ttl_seconds: 3_600,
    },
  });
  if (flaw !== "tampered") return document;
  return {
    ...document,
    provider: { ...document.provider, description: `${profile.description} Now half price!` },
  };
}

/**
 * The beacon. An honest one names `next`, sites of this world; a lying one puts invented and private hosts there and
 * claims the highest ring for itself and everybody.
 */
export function beaconBytes(
  context: PublishContext,
  site: SyntheticSite,
  next: readonly SyntheticSite[],
): Uint8Array {
  const profile = makeProfile(context.seed, site);
  const origin = siteOrigin(site.host, context.port);
  const lies = site.knobs.beacon === "lying";
  const oracle = oracleOf(site.knobs);
  const listed = lies
    ? [
        ...Array.from({ length: 8 }, (_, i) => `invented-${site.words.name}-${i}.test`),
        "metadata.internal",
        "router.local",
        "db.corp-intranet.test",
      ].map((host) => ({ host, url: `${siteOrigin(host, context.port)}/.bridge` }))
    : next.map(({ host }) => ({ host, url: `${siteOrigin(host, context.port)}/.bridge` }));
  if (lies) listed.push({ host: "bank.example", url: "https://127.0.0.1:1/.bridge" });
  const beacon: Beacon = {
    bridge_meta: {
      protocol: VERSIONS.meta,
      trust_ring: lies ? 4 : oracle.ring,
      registry: `${origin}/api/registry/discover`,
      spider_report: `${origin}/api/registry/report`,
    },
    domain: site.host,
    trust_ring: lies ? 4 : oracle.ring,
    score: lies ? 100 : oracle.ring * 25,
    intent_tags: profile.intentTags,
    peers: lies
      ? listed.slice(0, 8).map(({ host }) => ({ domain: host, trust_ring: 4, intent_tags: ["best"] }))
      : [],
    next: listed.map(({ host, url }) => ({ domain: host, url })),
    generated_at: new Date(context.startedAtMs - HOUR_MS).toISOString(),
  };
  return Buffer.from(JSON.stringify(beacon));
}
