/** What shows others, without this registry's word, that DNS says what it says: signed sets from the root to a name. */
import type { DnsAnswer, SignedSet, SignedSets } from "../ports/dns.ts";

const TXT = 16;
const DS = 43;
const DNSKEY = 48;
/** Zones from the root to the name, aliases' included. */
const MAX_ZONES = 12;
/** Bytes of all data and signatures: a chain of large RSA keys takes some 12 KiB. */
const MAX_PROOF_BYTES = 49_152;
/** Where an RRSIG's signer's name begins (RFC 4034 section 3.1). */
const SIGNER_AT = 18;
const MAX_NAME_BYTES = 255;

export type UnprovenReason = "no_record" | "dns_failed" | "unsigned" | "no_ds" | "too_long";

/** `reason` null: the sets lead from the root to the record. Otherwise they end where it says. */
export interface DnsProof {
  reason: UnprovenReason | null;
  sets: SignedSet[];
}

const isAbove = (zone: string, name: string): boolean => zone === "" || name.endsWith(`.${zone}`);

const bytesOf = (sets: readonly SignedSet[]): number =>
  sets
    .flatMap(({ data, signatures }) => [...data, ...signatures])
    .reduce((sum, { length }) => sum + length, 0);

/** Gathers the sets, one zone after the other, each once. */
class Chain {
  readonly sets: SignedSet[] = [];
  readonly #resolver: SignedSets;
  readonly #signal: AbortSignal;
  readonly #proved = new Set<string>();

  constructor(resolver: SignedSets, signal: AbortSignal) {
    this.#resolver = resolver;
    this.#signal = signal;
  }

  /** Asks for the sets of a name. @returns the zones that signed them, or why there are none */
  async take(name: string, type: "TXT" | "DNSKEY" | "DS"): Promise<string[] | UnprovenReason> {
    const answer: DnsAnswer<SignedSet> = await this.#resolver.signedSets(name, type, this.#signal);
    if (answer.outcome === "failed") return "dns_failed";
    if (answer.outcome === "none") return type === "TXT" ? "no_record" : type === "DS" ? "no_ds" : "unsigned";
    const isAsked = ({ type: each }: SignedSet) => type === "TXT" || each === (type === "DS" ? DS : DNSKEY);
    const taken = answer.records.filter(isAsked);
    this.sets.push(...taken);
    // An alias that leads out of the answer.
    if (type === "TXT" && !taken.some((set) => set.type === TXT)) return "no_record";
    const signers = taken.map(({ signatures }) =>
      signatures.map(rrsigSigner).find((signer) => signer !== undefined),
    );
    if (signers.length === 0 || signers.includes(undefined)) return "unsigned";
    return signers as string[];
  }

  /** Takes keys of a zone and of those above it, up to the root. */
  async prove(zone: string): Promise<UnprovenReason | null> {
    for (let at = zone; !this.#proved.has(at); ) {
      if (this.#proved.size >= MAX_ZONES || bytesOf(this.sets) > MAX_PROOF_BYTES) return "too_long";
      this.#proved.add(at);
      const keys = await this.take(at, "DNSKEY");
      if (typeof keys === "string") return keys;
      if (at === "") return null;
      const delegation = await this.take(at, "DS");
      if (typeof delegation === "string") return delegation;
      const [parent] = delegation;
      if (parent === undefined || !isAbove(parent, at)) return "unsigned";
      at = parent;
    }
    return null;
  }
}

/** The signer that an RRSIG's data names, in lower case; undefined where it is damaged. Signers' names are never compressed. */
export function rrsigSigner(signature: Uint8Array): string | undefined {
  const labels: string[] = [];
  for (let at = SIGNER_AT; at < SIGNER_AT + MAX_NAME_BYTES; ) {
    const length = signature[at];
    if (length === undefined || length > 63) return undefined;
    if (length === 0) return labels.join(".");
    const label = signature.subarray(at + 1, at + 1 + length);
    // Zones are named in letters, digits, hyphens and underscores.
    const text = String.fromCharCode(...label).toLowerCase();
    if (label.length < length || !/^[a-z0-9_-]+$/.test(text)) return undefined;
    labels.push(text);
    at += 1 + length;
  }
  return undefined;
}

/** The sets from the root to the TXT records of a name. Whether they are right is for those to check who get them. */
export async function proveTxt(resolver: SignedSets, name: string, signal: AbortSignal): Promise<DnsProof> {
  const chain = new Chain(resolver, signal);
  const signers = await chain.take(name, "TXT");
  if (typeof signers === "string") return { reason: signers, sets: chain.sets };
  for (const zone of new Set(signers)) {
    const reason = await chain.prove(zone);
    if (reason) return { reason, sets: chain.sets };
  }
  return bytesOf(chain.sets) > MAX_PROOF_BYTES
    ? { reason: "too_long", sets: [] }
    : { reason: null, sets: chain.sets };
}
