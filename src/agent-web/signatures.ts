/**
 * Whose key signed a document: JSON Web Signatures (RFC 7515) over its canonical form (RFC 8785), as A2A's specification has them for
 * cards (section 8.4). A key counts for a host only where the host's own registrable domain serves it: by `jku` alone every signer
 * would choose who vouches for him.
 */
import { decodeProtectedHeader, flattenedVerify, importJWK, type JWK } from "jose";
import type { Descriptor, DescriptorFinding } from "../../schemas/agent-web.ts";
import { isSameSite } from "../domain/names/domain-name.ts";
import type { FetchResult } from "../ports/http.ts";
import { Findings, itemsOf, membersIn, memberText, readObject } from "./formats/document.ts";
import type { DocumentSignatures } from "./formats/format.ts";

type Whose = NonNullable<Descriptor["signature"]>;
type Fetch = (url: URL) => Promise<FetchResult | undefined>;

/** Public keys alone. */
const ALGORITHMS = ["EdDSA", "Ed25519", "ES256", "ES384", "ES512", "PS256", "RS256"];
const MAX_KEY_SET_BYTES = 64 * 1024;
/** Characters of RSA's modulus (8,192 bits) and exponent: larger ones only cost time. */
const MAX_MODULUS = 1_366;
const MAX_EXPONENT = 6;
/** The best that any signature of a document says of it comes first. */
const ORDER: readonly Whose[] = ["own_key", "invalid", "others_key", "key_unknown"];
const FIXES: Readonly<Record<Exclude<Whose, "own_key">, [rule: string, fix: string]>> = {
  invalid: [
    "signature_invalid",
    "Sign the card as it is served: its RFC 8785 form without signatures and default values.",
  ],
  others_key: [
    "key_of_another",
    "Serve the key set at the card's own domain: nobody vouches for keys elsewhere.",
  ],
  key_unknown: [
    "key_unknown",
    "Name by jku a key set at the card's own domain, and by kid a key that is in it.",
  ],
};

/**
 * @param host whose document it is
 * @param fetch gives undefined where a key set is not asked for: its keys are unknown
 */
export async function signatureOf(
  { payloads, signatures }: DocumentSignatures,
  host: string,
  fetch: Fetch,
): Promise<{ signature: Whose | undefined; findings: DescriptorFinding[] }> {
  const keySets = new Map<string, Promise<JWK[]>>();
  const keysAt = (url: URL): Promise<JWK[]> => {
    const known = keySets.get(url.href) ?? keySetAt(url, fetch);
    keySets.set(url.href, known);
    return known;
  };
  const found: Whose[] = [];
  for (const each of signatures) found.push(await whose(each, payloads, host, keysAt));
  const findings = found.flatMap((kind, at) => {
    if (kind === "own_key") return [];
    const [rule, fix] = FIXES[kind];
    return [{ rule, place: `/signatures/${at}`, fix }];
  });
  return { signature: ORDER.find((kind) => found.includes(kind)), findings };
}

async function whose(
  signature: DocumentSignatures["signatures"][number],
  payloads: readonly string[],
  host: string,
  keysAt: (url: URL) => Promise<JWK[]>,
): Promise<Whose> {
  const header = headerOf(signature.protected);
  if (!header || !ALGORITHMS.includes(header.alg)) return "invalid";
  const url = URL.parse(header.jku);
  if (url === null || url.protocol !== "https:") return "key_unknown";
  if (!isSameSite(url.hostname, host)) return "others_key";
  const jwk = (await keysAt(url)).find(({ kid }) => kid === header.kid);
  if (jwk === undefined) return "key_unknown";
  for (const payload of payloads) if (await verifies(signature, payload, jwk, header.alg)) return "own_key";
  return "invalid";
}

function headerOf(text: string): { alg: string; kid: string; jku: string } | undefined {
  try {
    const { alg, kid, jku } = decodeProtectedHeader({ protected: text });
    return { alg: memberText(alg, 20), kid: memberText(kid, 300), jku: memberText(jku, 2_048) };
  } catch {
    return undefined;
  }
}

async function keySetAt(url: URL, fetch: Fetch): Promise<JWK[]> {
  const reply = await fetch(url);
  if (!reply?.ok || reply.status !== 200 || reply.body.length > MAX_KEY_SET_BYTES) return [];
  const set = membersIn(readObject(reply.body, new Findings()));
  return itemsOf(set.keys).map((key) => membersIn(key) as JWK);
}

async function verifies(
  { protected: header, signature }: DocumentSignatures["signatures"][number],
  payload: string,
  jwk: JWK,
  alg: string,
): Promise<boolean> {
  if (memberText(jwk.n, 10_000).length > MAX_MODULUS || memberText(jwk.e, 100).length > MAX_EXPONENT)
    return false;
  try {
    const { kty, crv, x, y, n, e } = jwk;
    const key = await importJWK({ kty, crv, x, y, n, e } as JWK, alg);
    const jws = { protected: header, payload: Buffer.from(payload).toString("base64url"), signature };
    await flattenedVerify(jws, key, { algorithms: ALGORITHMS });
    return true;
  } catch {
    // A key or a signature of another form verifies nothing, whatever is wrong with it.
    return false;
  }
}
