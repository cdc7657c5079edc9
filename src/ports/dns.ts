/** DNS queries. Nothing here throws for an expected failure. */

export type DnssecState = "secure" | "insecure" | "bogus" | "unknown";
export type DnsFailure = "timeout" | "servfail" | "refused" | "malformed" | "bogus" | "unreachable";

/**
 * The result of a query. "none" is authoritative (NXDOMAIN or NODATA, RFC 2308) and differs from "failed": a failure is
 * never an empty answer.
 */
export type DnsAnswer<T> =
  | { outcome: "found"; records: T[]; ttlSeconds: number; dnssec: DnssecState }
  | { outcome: "none"; nxdomain: boolean; ttlSeconds: number; dnssec: DnssecState }
  | { outcome: "failed"; reason: DnsFailure; detail: string };

/** Records of one owner and type with the signatures over them, as DNS sends them (RFC 4034), names in full. */
export interface SignedSet {
  /** Lower case, without a final dot; "" is the root. */
  owner: string;
  /** Number of the type. */
  type: number;
  ttlSeconds: number;
  /** Data of each record. */
  data: Uint8Array[];
  /** Data of each RRSIG record. */
  signatures: Uint8Array[];
}

/** What shows others that DNS says so. */
export interface SignedSets {
  /** The answer's sets, aliases on the way included, with their signatures, if the zone has any. Nothing is validated here. */
  signedSets(
    name: string,
    type: "TXT" | "DNSKEY" | "DS",
    signal?: AbortSignal,
  ): Promise<DnsAnswer<SignedSet>>;
}

/** A service binding (RFC 9460 section 2): where a service is, and how it is reached. */
export interface ServiceBinding {
  /** 0: an alias of the target (AliasMode). */
  priority: number;
  /** Normalized; "": the owner itself. */
  target: string;
  /** Values by the numbers of their keys, in the order of these: bytes as Latin-1. */
  parameters: [key: number, value: string][];
}

export interface ServiceBindings {
  /** SVCB records of `name` alone; an alias (AliasMode) is told, not followed. */
  serviceBindings(name: string, signal?: AbortSignal): Promise<DnsAnswer<ServiceBinding>>;
}

export interface Resolver {
  /**
   * TXT records as UTF-8, the character strings of each concatenated.
   * @param maxAgeMs an answer that is kept for longer than this is asked for again; by default its TTL alone counts
   */
  txt(name: string, signal?: AbortSignal, maxAgeMs?: number): Promise<DnsAnswer<string>>;
  /**
   * A and AAAA together, as text addresses (A first). Fails if either is bogus, or if neither is found and one failed
   * (a failure is never an empty answer; NXDOMAIN covers both).
   */
  addresses(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  /** CAA records (RFC 8659) of `name` alone, in zone file format: `0 issue "ca.example"`. */
  caa(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  /** NS records of `name` alone; does not search the enclosing zones. */
  nameServers(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  close(): void;
}

/** All that the resolver of a process answers. */
export type FullResolver = Resolver & SignedSets & ServiceBindings;
