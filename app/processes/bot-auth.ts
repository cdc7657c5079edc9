/** Web Bot Auth as this registry's: its secret, address and clock. */
import type { RequestSigner } from "../../src/adapters/http/fetcher.ts";
import { isPublicAddress } from "../../src/domain/names/address.ts";
import { type BotAuth, openBotAuth } from "../../src/domain/trust/bot-auth.ts";
import type { Core } from "../../src/runtime/core.ts";

export const botAuthOf = ({
  config,
  identity,
  publicUrl,
  broker,
}: Pick<Core, "config" | "identity" | "publicUrl" | "broker">): BotAuth =>
  openBotAuth({
    secret: identity.secret,
    publicUrl,
    form: () => config.BRIDGE_SIGNATURE_AGENT,
    now: () => broker.now(),
  });

/**
 * Signs what a site can verify. Without HTTPS nobody on the Internet can fetch our keys, so that nothing is signed for them; what
 * the operator allows besides, such as a synthetic web, can.
 */
export function requestSigner(botAuth: BotAuth, publicUrl: string): RequestSigner {
  const isVerifiable = publicUrl.startsWith("https:");
  return (authority, address) =>
    isVerifiable || !isPublicAddress(address, []) ? botAuth.signRequest(authority) : {};
}
