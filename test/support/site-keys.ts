/** Keys of the synthetic web's sites, as their owners hold them. */

import { encodeBase64Url } from "../../src/domain/protocols/base64url.ts";
import { type KeyPair, sign } from "../../src/domain/trust/ed25519.ts";
import type { OwnerStatement } from "../../workers/trust/rules.ts";
import { statementText } from "../../workers/trust/rules.ts";
import { siteKey } from "../../world/document.ts";
import type { TestRegistry } from "./registry.ts";

/** The key that a site signs with, or the one before it. */
export const keyOf = (
  { worldSeed }: Pick<TestRegistry, "worldSeed">,
  host: string,
  which: "current" | "previous" = "current",
): KeyPair => siteKey({ seed: worldSeed }, host, which);

/** A registration's body, signed by the site's key. */
export function registrationOf(
  registry: Pick<TestRegistry, "worldSeed">,
  host: string,
  more: Partial<OwnerStatement> = {},
  key = keyOf(registry, host),
): OwnerStatement & { proof: string } {
  const statement: OwnerStatement = {
    domain: host,
    capabilities: ["read"],
    constraints: ["no-resale"],
    ...more,
  };
  const proof = encodeBase64Url(sign(key.privateKey, Buffer.from(statementText(statement), "utf8")));
  return { ...statement, proof };
}
