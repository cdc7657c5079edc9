/** What can be wrong with a site: the knobs of its behaviour, the named kinds, and what the registry ought to say of each. */
import type { SiteStatus, VisitReason } from "../schemas/site.ts";
import type { PageConduct } from "./conduct.ts";

/** Everything that can be turned on one site, also while it runs. Times in milliseconds. */
export interface PathReply {
  status?: number;
  body?: string;
  location?: string;
  /** A body without end, or one that comes a byte at a time. */
  spectacle?: "endless" | "slow_body";
  /** Name of an MCP endpoint that misbehaves (agent-web/endpoints.ts), whose answer it is. */
  endpoint?: string;
}

export interface Knobs {
  txt:
    | "valid"
    | "none"
    | "split"
    | "old_and_new"
    | "old_key"
    | "revoked"
    | "doubled_tag"
    | "ambiguous"
    | "foreign_endpoint";
  /** TXT records of `_domainconnect.<host>`: its DNS provider, as Domain Connect finds it. */
  domainConnect: readonly string[];
  /** What it answers at these paths, before anything else: a DNS provider's interface, or a bad one. */
  answers: Readonly<Record<string, PathReply>>;
  /** TXT records of `_bridge-owner.<host>`: what its owner publishes for an account. */
  ownerTxt: readonly string[];
  /** More TXT records of `_bridge.<host>`. */
  moreTxt: readonly string[];
  /** "secure" sets AD when the query asks for it; "bogus" and "servfail" answer SERVFAIL; "silent" says nothing. */
  dns: "insecure" | "secure" | "bogus" | "servfail" | "silent" | "truncated";
  /** A records; null is the address of its own. */
  addresses: string[] | null;
  document:
    | "signed"
    | "missing"
    | "unsigned"
    | "expired"
    | "not_yet_valid"
    | "forged"
    | "tampered"
    | "wrong_domain"
    | "garbage"
    | "deep"
    | "incomplete"
    | "redirect_private"
    | "huge"
    | "endless"
    | "slow_body"
    | "huge_headers";
  /** Serial number of the manifest. */
  serial: number;
  /** A higher edition has another description: the site changed. */
  edition: number;
  robots:
    | "varied"
    | "missing"
    | "allow_all"
    | "disallow_some"
    | "crawl_delay"
    | "disallow_all"
    | "error"
    | "other_robots";
  pages:
    | "plain"
    | "dark_pattern"
    | "injection"
    | "affiliate"
    | "trap"
    | "redirect_private"
    | "shop"
    | "agent"
    | "hostile_style";
  /** How it deals with visitors: on every page, or on `/sale` alone. */
  conduct: readonly PageConduct[];
  saleConduct: readonly PageConduct[];
  /** Pages beside the usual ones, all linked from the home page. */
  morePages: number;
  /** What the document says of the site: `fair` that it is independent and takes nothing, `tags` names trades of others, too. */
  declares: "own" | "fair" | "tags";
  /** The home page, instead of the one that `pages` says. */
  home: string | null;
  /** The bytes of the discovery document, instead of what `document` says: what an owner put there. */
  upload: string | null;
  /** Content-Type of robots.txt, instead of plain text. */
  robotsType: string | null;
  beacon: "honest" | "lying" | "missing";
  tls: "right" | "wrong_name";
  /** Added before every answer. */
  latencyMs: number;
  /** The first so many requests are refused with this status and Retry-After of one second. */
  busyRequests: number;
  busyStatus: number;
  /** Every n-th request, starting with the first, is a 503; 0 is none. */
  failEvery: number;
  /** Every request ends in a reset connection. */
  reset: boolean;
  /** No name and no server any more. */
  gone: boolean;
  /** After this long from the start (or from being set) the knobs of `turnsTo` come into force; null is never. */
  turnsAfterMs: number | null;
  turnsTo: Partial<Knobs> | null;
}

export const SOUND: Readonly<Knobs> = Object.freeze({
  txt: "valid",
  domainConnect: [],
  answers: {},
  ownerTxt: [],
  moreTxt: [],
  dns: "insecure",
  addresses: null,
  document: "signed",
  serial: 7,
  edition: 1,
  robots: "varied",
  pages: "plain",
  conduct: [],
  saleConduct: [],
  morePages: 0,
  declares: "own",
  home: null,
  upload: null,
  robotsType: null,
  beacon: "honest",
  tls: "right",
  latencyMs: 0,
  busyRequests: 0,
  busyStatus: 429,
  failEvery: 0,
  reset: false,
  gone: false,
  turnsAfterMs: null,
  turnsTo: null,
} satisfies Knobs);

/** What a correct registry says of a site once its visits have settled. */
export interface Oracle {
  ring: 0 | 1 | 2 | 3;
  status: SiteStatus;
  reason: VisitReason;
}

const TURN_MS = 60_000;

const KNOBS = {
  sound: {},
  secure: { dns: "secure" },
  unsigned: { document: "unsigned" },
  no_txt: { txt: "none" },
  no_document: { document: "missing" },
  expired: { document: "expired" },
  not_yet_valid: { document: "not_yet_valid" },
  forged: { document: "forged" },
  rotated: { txt: "old_and_new" },
  wrong_key: { txt: "old_key" },
  revoked: { txt: "revoked" },
  txt_doubled_tag: { txt: "doubled_tag" },
  txt_ambiguous: { txt: "ambiguous" },
  txt_foreign_endpoint: { txt: "foreign_endpoint" },
  txt_split: { txt: "split" },
  txt_truncated: { dns: "truncated" },
  dns_servfail: { dns: "servfail" },
  domain_mismatch: { document: "wrong_domain" },
  document_tampered: { document: "tampered" },
  serial_lowered: { turnsAfterMs: TURN_MS, turnsTo: { serial: 3, edition: 2 } },
  robots_disallow_all: { robots: "disallow_all" },
  robots_error: { robots: "error" },
  slow: { latencyMs: 1_500 },
  rate_limited: { busyRequests: 3 },
  flaky_5xx: { failEvery: 3 },
  redirect_to_private: { document: "redirect_private" },
  page_redirect_private: { pages: "redirect_private" },
  private_address: { addresses: ["10.0.0.1"] },
  huge_body: { document: "huge" },
  endless_body: { document: "endless" },
  slow_body: { document: "slow_body" },
  huge_headers: { document: "huge_headers" },
  garbage_json: { document: "garbage" },
  deep_json: { document: "deep" },
  incomplete: { document: "incomplete" },
  connection_reset: { reset: true },
  tls_wrong_name: { tls: "wrong_name" },
  lying_beacon: { beacon: "lying" },
  gone_later: { turnsAfterMs: TURN_MS, turnsTo: { gone: true } },
  dark_pattern: { pages: "dark_pattern" },
  injection: { pages: "injection" },
  affiliate: { pages: "affiliate" },
  trap: { pages: "trap" },
  shop: { pages: "shop", robots: "other_robots" },
  agent: { txt: "none", document: "missing", robots: "allow_all", pages: "agent", beacon: "missing" },
  large: { morePages: 10, declares: "fair" },
  presses: { conduct: ["presses"] },
  one_trap: { morePages: 10, saleConduct: ["traps"] },
  undisclosed: { conduct: ["undisclosed"], morePages: 4 },
  follows: { conduct: ["follows"], morePages: 4 },
  anonymous: { conduct: ["anonymous"], morePages: 4 },
  false_tags: { declares: "tags", morePages: 4 },
  false_commission: { conduct: ["undisclosed"], declares: "fair" },
  false_independence: { conduct: ["subsidiary"], declares: "fair" },
  false_both: { conduct: ["undisclosed", "subsidiary"], declares: "fair" },
  unfair: {
    conduct: ["traps", "stuffing", "follows", "anonymous", "subsidiary"],
    declares: "fair",
    morePages: 10,
  },
} satisfies Record<string, Partial<Knobs>>;

export type SiteKind = keyof typeof KNOBS;
export const KINDS = Object.keys(KNOBS) as SiteKind[];

const BY_KIND = new Map<SiteKind, Readonly<Knobs>>(
  KINDS.map((kind) => [kind, Object.freeze({ ...SOUND, ...KNOBS[kind] })]),
);

const DOCUMENT_FAULTS: Readonly<Record<Knobs["document"], VisitReason | undefined>> = {
  signed: undefined,
  unsigned: "unsigned",
  missing: "document_missing",
  // A redirect is not followed for a manifest, so nothing is there.
  redirect_private: "document_missing",
  expired: "manifest_expired",
  not_yet_valid: "manifest_not_yet_valid",
  forged: "signature_invalid",
  tampered: "document_mismatch",
  wrong_domain: "domain_mismatch",
  garbage: "document_invalid",
  deep: "document_invalid",
  incomplete: "document_invalid",
  huge: "document_invalid",
  endless: "document_invalid",
  slow_body: "unreachable",
  huge_headers: "unreachable",
};

const MANIFEST_FAULTS: ReadonlySet<VisitReason> = new Set([
  "unsigned",
  "manifest_expired",
  "manifest_not_yet_valid",
  "signature_invalid",
  "document_mismatch",
]);

/** Weighted kinds of the sites of a world, as shares of the unsound part. */
export type KindWeights = Partial<Record<SiteKind, number>>;

export const isKind = (text: string): text is SiteKind => Object.hasOwn(KNOBS, text);

/** The knobs of a kind: one frozen object shared by all its sites. */
export const knobsOf = (kind: SiteKind): Readonly<Knobs> => BY_KIND.get(kind)!;

/**
 * The oracle, from the table of rings and states in the design: ring 3 both hold, ring 2 unsigned, ring 1 a
 * document without a TXT record; a valid TXT record beside a missing or wrong document is partial at ring 0.
 * `serial_lowered` and what else depends on the past shows in `turnsTo` and is the test's own to say.
 */
export function oracleOf(knobs: Knobs): Oracle {
  const oracle = oracleOfClaims(knobs);
  // A site whose pages attack machines is verified all the same, and not listed.
  return oracle.ring > 0 && knobs.pages === "injection"
    ? { ...oracle, status: "partial", reason: "malicious_page" }
    : oracle;
}

function oracleOfClaims(knobs: Knobs): Oracle {
  const txt = txtFault(knobs);
  const document = documentFault(knobs);
  if (txt === undefined) {
    if (document === undefined) return { ring: 3, status: "enabled", reason: "verified" };
    if (document === "unsigned") return { ring: 2, status: "partial", reason: "unsigned" };
    return { ring: 0, status: "partial", reason: document };
  }
  // A failure is no conclusion: the site may have a record and want to be asked elsewhere, so nothing is read.
  if (txt === "dns_failed" || txt === "dns_bogus") return { ring: 0, status: "disabled", reason: txt };
  // Keys come from DNS alone: without them a manifest beside the document says nothing, right or wrong.
  if (document === undefined || MANIFEST_FAULTS.has(document))
    return { ring: 1, status: "partial", reason: txt };
  return { ring: 0, status: "disabled", reason: txt };
}

/** Why the TXT record alone cannot be relied on, or undefined when it can. */
function txtFault(knobs: Knobs): VisitReason | undefined {
  if (knobs.gone) return "no_txt";
  if (knobs.dns === "bogus") return "dns_bogus";
  if (knobs.dns === "servfail" || knobs.dns === "silent") return "dns_failed";
  switch (knobs.txt) {
    case "none":
      return "no_txt";
    case "revoked":
      return "key_revoked";
    case "ambiguous":
      return "txt_ambiguous";
    case "doubled_tag":
    case "foreign_endpoint":
      return "txt_invalid";
    default:
      return undefined;
  }
}

/** Why the document cannot be had or believed, or undefined when it can. */
function documentFault(knobs: Knobs): VisitReason | undefined {
  if (knobs.addresses?.some((address) => !address.startsWith("127."))) {
    return "address_refused";
  }
  if (knobs.gone || knobs.reset || knobs.tls === "wrong_name") return "unreachable";
  const fault = DOCUMENT_FAULTS[knobs.document];
  if (fault === undefined && knobs.txt === "old_key") return "signature_invalid";
  return fault;
}

/** True when a first visit may fail although the oracle is reached in the end, or the site changes with time. */
export const settlesLater = (knobs: Knobs): boolean =>
  knobs.busyRequests > 0 || knobs.failEvery > 0 || knobs.turnsAfterMs !== null;

/**
 * Deals `count` kinds: each kind's number is its share rounded so that the sum is right; equal weights over
 * all kinds but "sound", "shop" (which is sound too) and "agent" when none are given. The order is the table's; the caller spreads them.
 */
export function dealKinds(count: number, weights?: KindWeights): SiteKind[] {
  const wanted: [SiteKind, number][] =
    weights === undefined
      ? KINDS.filter((kind) => kind !== "sound" && kind !== "shop" && kind !== "agent").map((kind) => [
          kind,
          1,
        ])
      : KINDS.filter((kind) => (weights[kind] ?? 0) > 0).map((kind) => [kind, weights[kind]!]);
  const total = wanted.reduce((sum, [, weight]) => sum + weight, 0);
  if (total <= 0) return Array.from({ length: count }, () => "sound");
  const dealt: SiteKind[] = [];
  let owed = 0;
  for (const [kind, weight] of wanted) {
    owed += (count * weight) / total;
    while (dealt.length < Math.round(owed)) dealt.push(kind);
  }
  return dealt;
}
