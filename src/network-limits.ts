/** Limits of those who need say nothing of themselves: counted by the network that their address is in. */
import { createHmac } from "node:crypto";
import { networkGroup } from "./domain/address.ts";
import type { Limit } from "./limits.ts";

/** Most calls of one network, an IPv4 /16 or an IPv6 /48, in each period. */
export type NetworkQuotas = Partial<Record<"minute" | "day", number>>;

/**
 * @param secret key of the HMAC that hides addresses in counters
 * @param what names what is counted: lower-case letters, digits and dashes
 * @param clientAddress what is no address counts as one network of its own
 */
export const networkLimits = (
  secret: string,
  what: string,
  clientAddress: string,
  quotas: NetworkQuotas,
): Limit[] => {
  const network = networkGroup(clientAddress) ?? "inside";
  const hidden = createHmac("sha256", secret).update(`network\n${network}`).digest("base64url").slice(0, 22);
  return (["minute", "day"] as const).flatMap((window) => {
    const quota = quotas[window];
    return quota === undefined
      ? []
      : [{ name: `${what}-${window}`, window, key: `network.${what}.${hidden}`, quota }];
  });
};
