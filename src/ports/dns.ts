/** Questions to name servers. Nothing here throws for an expected failure. */

export type DnssecState = "secure" | "insecure" | "bogus" | "unknown";
export type DnsFailure = "timeout" | "servfail" | "refused" | "malformed" | "bogus" | "unreachable";

/**
 * What a name server said. "none" is authoritative (NXDOMAIN or NODATA, RFC 2308) and differs from
 * "failed": a failure is never an empty answer.
 */
export type DnsAnswer<T> =
  | { outcome: "found"; records: T[]; ttlSeconds: number; dnssec: DnssecState }
  | { outcome: "none"; nxdomain: boolean; ttlSeconds: number; dnssec: DnssecState }
  | { outcome: "failed"; reason: DnsFailure; detail: string };

export interface Resolver {
  /** TXT records, each one's character strings joined with nothing between, as UTF-8. */
  txt(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  /**
   * A and AAAA together, as text addresses (A first). Fails when either is bogus, and when neither is found and one
   * failed (a failure is never an empty answer; NXDOMAIN speaks for both).
   */
  addresses(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  /** CAA records (RFC 8659) of `name` alone, as a zone file writes them: `0 issue "ca.example"`. */
  caa(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  /** NS records of the closest enclosing zone are not walked: this asks for `name` alone. */
  nameServers(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  close(): void;
}
