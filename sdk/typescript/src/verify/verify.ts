/**
 * A site's evidence, checked here from its TXT records to the document, without trusting the registry (docs/trust.md). The
 * signatures of DNS are not checked here, since no maintained validator runs in browsers: the Python SDK checks them.
 */
import { VerificationError } from "../errors.ts";
import { type LogState, openNewer, type ProvedLeaf, verifyLeaf } from "./log.ts";
import { type Jws, type Manifest, readDocument, readManifest, verifyJws } from "./manifest.ts";
import { keysOf, type TxtKeys } from "./txt.ts";

/** What was verified before, so that older evidence is not believed again. Keep it, as JSON, between runs. */
export interface Seen {
  /** Domain → the newest manifest; `proven` is the Python SDK's. */
  sites: Record<string, { serial: number; kid: string; proven?: boolean }>;
  /** The largest state of the log. */
  log: LogState | null;
}

export interface VerifyOptions {
  /** The log's key in note format, from elsewhere than this registry. Default: what the registry says, told as `pinned: false`. */
  logKey?: string;
  /** true: always an error here, since signatures of DNS are not checked; in Python it is one for zones that are not signed. */
  requireDnssec?: boolean;
  /** Asks DNS itself for the TXT records of a name; what it says must be what the evidence says. */
  resolveTxt?: (name: string) => Promise<string[]>;
  /** Read and added to. Default: what this client saw. */
  seen?: Seen;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface Verification {
  domain: string;
  /** live: DNS says the same to this client. unproven: on the registry's word. */
  dns: "live" | "unproven";
  /** Why DNS is not proven: the registry's reason, or `not_checked_here` where the evidence has signatures. */
  dnsReason: string;
  /** Origin of the site, by DNS. */
  endpoint: string;
  /** Thumbprint of the key that signed. */
  kid: string;
  serial: number;
  issuedAt: string;
  expiresAt: string;
  /** What the site says of itself, as it signed it. */
  document: Record<string, unknown>;
  /** Whether the log holds a registration by a key that stands in DNS. */
  registered: boolean;
  log: LogState & { pinned: boolean };
}

interface Bundle {
  dns: { txt: string[]; reason: string | null };
  manifest: (Jws & { document: string }) | null;
  log: {
    checkpoint: string;
    registration: ProvedLeaf | null;
    consistency_proof: string[] | null;
  };
}

const VERSION = "bridge-evidence/1";

/** The options, with a key of the log and what was seen. */
export type CheckedOptions = VerifyOptions & { logKey: string; seen: Seen; pinned: boolean };

/**
 * Checks a site's evidence.
 * @param domain canonical: lower case, A-labels
 * @throws VerificationError with the step that failed
 */
export async function verifyEvidence(
  evidence: unknown,
  domain: string,
  options: CheckedOptions,
): Promise<Verification> {
  const nowMs = (options.now ?? Date.now)();
  const bundle = readBundle(evidence, domain);
  const dns = await checkDns(domain, bundle.dns, options);
  const txt = await keysOf(bundle.dns.txt, domain);
  if (!bundle.manifest) throw new VerificationError("signature", "the site's document is not signed");
  const { payload, kid } = await verifyJws(bundle.manifest, txt.keys);
  const manifest = readManifest(payload, domain, txt, nowMs);
  checkSeen(domain, manifest, txt, options.seen);
  const document = await readDocument(bundle.manifest.document, manifest);
  const { checkpoint, consistency_proof } = bundle.log;
  const log = await openNewer(checkpoint, consistency_proof, { ...options, seen: options.seen.log });
  const registered = await isRegistered(domain, txt, bundle, log);
  const { sites } = options.seen;
  const before = Object.hasOwn(sites, domain) ? sites[domain] : {};
  sites[domain] = { ...before, serial: manifest.serial, kid };
  options.seen.log = log;
  const { serial, issued_at: issuedAt, expires_at: expiresAt } = manifest;
  const said = { serial, issuedAt, expiresAt, document };
  const pinnedLog = { ...log, pinned: options.pinned };
  return { domain, ...dns, endpoint: txt.origin, kid, registered, ...said, log: pinnedLog };
}

/** The evidence, of the form that is documented. */
function readBundle(evidence: unknown, domain: string): Bundle {
  if (!isObject(evidence) || evidence.version !== VERSION) return fail(`this is no ${VERSION}`);
  if (evidence.domain !== domain) return fail(`this is the evidence of another site than ${domain}`);
  const { dns, manifest, log } = evidence;
  const isDns = isObject(dns) && isTexts(dns.txt) && (dns.reason === null || typeof dns.reason === "string");
  const isManifest =
    manifest === null ||
    (isObject(manifest) &&
      [manifest.protected, manifest.payload, manifest.signature, manifest.document].every(
        (each) => typeof each === "string",
      ));
  const registration = isObject(log) ? log.registration : undefined;
  const isLog =
    isObject(log) &&
    typeof log.checkpoint === "string" &&
    (log.consistency_proof === null || isTexts(log.consistency_proof)) &&
    (registration === null ||
      (isObject(registration) &&
        typeof registration.leaf === "string" &&
        typeof registration.leaf_index === "number" &&
        [registration.salt, registration.entry].every(
          (each) => each === undefined || typeof each === "string",
        ) &&
        isTexts(registration.inclusion_proof)));
  if (!isDns || !isManifest || !isLog) return fail("members are missing or of another type");
  return evidence as unknown as Bundle;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function fail(message: string): never {
  throw new VerificationError("bundle", message);
}
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 64 && value.every((each) => typeof each === "string");

/** Refuses the evidence's records where the caller asks for more than this checks, or DNS says otherwise. */
async function checkDns(
  domain: string,
  { txt, reason }: Bundle["dns"],
  { requireDnssec, resolveTxt }: VerifyOptions,
): Promise<Pick<Verification, "dns" | "dnsReason">> {
  const name = `_bridge.${domain}`;
  const dnsReason = reason ?? "not_checked_here";
  if (requireDnssec) throw new VerificationError("dns", `not proven (${dnsReason})`);
  if (!resolveTxt) return { dns: "unproven", dnsReason };
  const live = (await resolveTxt(name)).toSorted();
  const shown = txt.toSorted();
  if (live.length !== shown.length || live.some((text, i) => text !== shown[i]))
    throw new VerificationError("txt", `DNS says something else of ${name} than the evidence`);
  return { dns: "live", dnsReason };
}

function checkSeen(domain: string, { serial }: Manifest, { keys }: TxtKeys, seen: Seen): void {
  const before = Object.hasOwn(seen.sites, domain) ? seen.sites[domain] : undefined;
  // A key that left DNS left its serials behind.
  if (before && keys.some(({ kid }) => kid === before.kid) && serial < before.serial)
    throw new VerificationError(
      "freshness",
      `serial ${serial} after ${before.serial}: this is older than what was seen`,
    );
}

/** Whether the log's entry is a registration of this domain by a key that stands in DNS. */
async function isRegistered(
  domain: string,
  { keys }: TxtKeys,
  { log }: Bundle,
  state: LogState,
): Promise<boolean> {
  if (!log.registration) return false;
  const entry = await verifyLeaf(log.registration, state);
  if (entry.kind !== "registration" || entry.domain !== domain)
    throw new VerificationError("log", "the entry is not this domain's registration");
  return keys.some(({ kid }) => kid === entry.kid);
}
