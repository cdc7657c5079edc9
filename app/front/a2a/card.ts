/** The A2A 1.0 agent card, signed by the registry's key (specification section 8.4: JWS over the card's JCS form). */
import { VERSIONS } from "../../../schemas/common.ts";
import { encodeBase64Url } from "../../../src/domain/protocols/base64url.ts";
import { sign } from "../../../src/domain/trust/ed25519.ts";
import { canonicalize } from "../../../src/domain/trust/jcs.ts";
import type { Identity } from "../../../src/stores/identity.ts";
import { type MachineInterface, PATHS, SUMMARY, TITLE } from "../machine-interface.ts";

export const A2A_PATH = "/a2a";
export const A2A_CARD_PATH = "/.well-known/agent-card.json";
/** The registry's public key as a JWK set (RFC 7517, RFC 8037), which the signature names. */
export const KEYS_PATH = "/.well-known/jwks.json";

const TEXT = "text/plain";
const JSON_TYPE = "application/json";

/** Members that have the protocol's default value are left out: the signed form has none. */
const unsignedCard = (publicUrl: string): object => ({
  name: TITLE,
  description: SUMMARY,
  version: VERSIONS.bridge,
  supportedInterfaces: [
    { url: `${publicUrl}${A2A_PATH}`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
  documentationUrl: `${publicUrl}${PATHS.docs}`,
  capabilities: { streaming: false, pushNotifications: false },
  defaultInputModes: [TEXT, JSON_TYPE],
  defaultOutputModes: [TEXT, JSON_TYPE],
  skills: [
    {
      id: "search_sites",
      name: "Find agent-ready websites",
      description:
        'Words, or data {"query", "category", "near", "limit"}: verified sites in their order of relevance',
      tags: ["search", "websites", "directory"],
      examples: ["loose leaf tea", "dentist in vienna"],
    },
    {
      id: "site_verdict",
      name: "Say what is known of a website",
      description: 'A host name, or data {"domain"}: its state, trust and what was found, with the reasons',
      tags: ["trust", "verification", "websites"],
      examples: ["shop.example"],
    },
  ],
});

export const signedCard = (
  { publicUrl }: MachineInterface,
  { privateKey, kid }: Pick<Identity, "privateKey" | "kid">,
): object => {
  const card = unsignedCard(publicUrl);
  const header = encodeBase64Url(
    JSON.stringify({ alg: "EdDSA", kid, typ: "JOSE", jku: `${publicUrl}${KEYS_PATH}` }),
  );
  const input = Buffer.from(`${header}.${encodeBase64Url(canonicalize(card))}`, "ascii");
  const signature = encodeBase64Url(sign(privateKey, input));
  return { ...card, signatures: [{ protected: header, signature }] };
};

export const keySet = ({ publicKey, kid }: Pick<Identity, "publicKey" | "kid">): object => ({
  keys: [{ kty: "OKP", crv: "Ed25519", x: publicKey, kid, use: "sig", alg: "EdDSA" }],
});
