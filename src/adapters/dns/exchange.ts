/** One query sent and what came of it, over either transport. */
import type { DnsFailure } from "../../ports/dns.ts";
import type { DnsMessage } from "./message.ts";

export type Exchange =
  | { kind: "message"; message: DnsMessage }
  /** UDP only: the answer is right but for its letters' case, so whose it is must be proven over TCP. */
  | { kind: "case_differs" }
  | { kind: "failed"; reason: DnsFailure; detail: string };

export interface ServerAddress {
  /** A text IPv4 or IPv6 address. */
  address: string;
  port: number;
}

/** A socket's error as callers may read it: Node's messages name the name server's address, its codes do not. */
export const unreachable = (error: NodeJS.ErrnoException): Exchange & { kind: "failed" } =>
  failedExchange("unreachable", `a name server cannot be reached (${error.code ?? "no code"})`);

export const failedExchange = (reason: DnsFailure, detail: string): Exchange & { kind: "failed" } => ({
  kind: "failed",
  reason,
  detail,
});
