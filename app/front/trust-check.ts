/** Verifies trust headers at the front: optional everywhere, but invalid ones are a 401. */

import { createHash } from "node:crypto";
import { isBrokerFault } from "../../src/adapters/nats/requests.ts";
import {
  isSignedBy,
  readTrustHeaders,
  type SignedRequest,
  TRUST_WINDOW_MS,
} from "../../src/domain/trust/trust-headers.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import type { Bucket } from "../../src/ports/buckets.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import { type Failure, fail, type TrustErrorCode } from "../../src/rpc/errors.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import { recentlyUsed } from "../../src/stores/recently-used.ts";

export type TrustCheck = (
  headers: Record<string, string | string[] | undefined>,
  request: Omit<SignedRequest, "authority">,
  clientAddress: string,
) => Promise<string | undefined | Failure<TrustErrorCode | "unavailable">>;

export interface TrustCheckDeps {
  resolver: Pick<Resolver, "txt">;
  /** Used nonces, stored for as long as they would be valid, in one bucket for all fronts. */
  nonces: Pick<Bucket, "compareAndSet">;
  limiter: Pick<Limiter, "charge">;
  /** Milliseconds, the broker's clock. */
  now: () => number;
  /** The registry's own host and port, which the signature must cover, whatever the Host field. */
  authority: string;
}

/** Cache of recently proved domains, which are not charged. */
const PROVED = { most: 20_000, ttlMs: 600_000 };

/** Timeout of a look-up, well before the request's own deadline. */
const LOOKUP_TIMEOUT_MS = 3_000;

/** @returns the domain that signed the request, undefined without trust headers, or the failure */
export function createTrustCheck({ resolver, nonces, limiter, now, authority }: TrustCheckDeps): TrustCheck {
  const proved = recentlyUsed<true>(PROVED.most, PROVED.ttlMs);
  return async (headers, request, clientAddress) => {
    const claim = readTrustHeaders(headers);
    if (claim === undefined) return undefined;
    if (claim === "malformed")
      return fail(
        "trust_headers_invalid",
        "Send all three: X-BRIDGE-Trust-Domain (a host), X-BRIDGE-Trust-Nonce (<unix seconds>.<16 random bytes in base64url>), X-BRIDGE-Signature (64 bytes in base64url).",
      );
    if (Math.abs(claim.madeAtMs - now()) > TRUST_WINDOW_MS)
      return fail(
        "trust_nonce_expired",
        `The nonce's time differs from the registry's by more than ${TRUST_WINDOW_MS / 1_000} s.`,
      );
    if (!proved.has(claim.domain)) {
      const admission = await limiter.charge("dns_names", { clientAddress });
      if (!admission.ok) return fail("rate_limited", admission.failure.detail, admission.failure);
    }
    const known = await keysOfDomain(resolver, claim.domain, AbortSignal.timeout(LOOKUP_TIMEOUT_MS));
    if (!known.ok)
      return fail(
        "trust_key_unknown",
        `${claim.domain} has no usable key: ${known.reason} (${known.detail}).`,
      );
    if (!isSignedBy(claim, { ...request, authority }, known.keys)) {
      const tried = known.keys.map(({ kid }) => kid).join(", ");
      return fail(
        "trust_signature_wrong",
        `No signature for ${authority} by ${claim.domain}'s keys: ${tried}.`,
      );
    }
    proved.set(claim.domain, true);
    // Last, so that only key holders can cause a write.
    const key = createHash("sha256").update(`${claim.domain}\n${claim.nonce}`).digest("base64url");
    try {
      if ((await nonces.compareAndSet(key, "", 0)) === undefined)
        return fail("trust_nonce_replayed", "This nonce was used before; create a new one.");
    } catch (error) {
      if (isBrokerFault(error))
        return fail("unavailable", "The nonce cannot be stored now.", { retryAfterSeconds: 2 });
      throw error;
    }
    return claim.domain;
  };
}
