/** The registry's public key as a JWK set (RFC 7517, RFC 8037). */
import type { Identity } from "../../../src/stores/identity.ts";

export const KEYS_PATH = "/.well-known/jwks.json";

export const keySet = ({ publicKey, kid }: Pick<Identity, "publicKey" | "kid">): object => ({
  keys: [{ kty: "OKP", crv: "Ed25519", x: publicKey, kid, use: "sig", alg: "EdDSA" }],
});
