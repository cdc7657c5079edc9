/** The operator's key that signs requests of Domain Connect, read from its file. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RequestKey } from "../../src/domain/protocols/domain-connect.ts";
import { type Config, ConfigError } from "../../src/runtime/config.ts";

const LEAST_BITS = 2_048;
/** A provider's id has at most so many characters (section 3, `dc-id`). */
const MOST_ID_CHARS = 63;

/**
 * @returns undefined where none is set
 * @throws ConfigError for a file that holds no such key, and for an address that cannot be a provider's id
 */
export function openRequestKey(
  { BRIDGE_DOMAIN_CONNECT_KEY: file }: Pick<Config, "BRIDGE_DOMAIN_CONNECT_KEY">,
  publicUrl: string,
): RequestKey | undefined {
  if (file === undefined) return undefined;
  const refuse = (why: string) => new ConfigError(`BRIDGE_DOMAIN_CONNECT_KEY: ${why}`);
  if (new URL(publicUrl).hostname.length > MOST_ID_CHARS)
    throw refuse(`the host of BRIDGE_PUBLIC_URL is longer than ${MOST_ID_CHARS} characters`);
  let pem: string;
  try {
    pem = readFileSync(file, "utf8");
  } catch (error) {
    throw refuse((error as Error).message);
  }
  try {
    const privateKey = createPrivateKey(pem);
    const bits = privateKey.asymmetricKeyDetails?.modulusLength ?? 0;
    if (privateKey.asymmetricKeyType === "rsa" && bits >= LEAST_BITS)
      return { privateKey, label: labelOf(privateKey) };
  } catch {
    // Whatever it is: said below.
  }
  throw refuse(`${file} holds no RSA key of at least ${LEAST_BITS} bits in PEM`);
}

/** Label below the registry's host at which its public half is published: of the key, so that the next one's can stand beside it. */
function labelOf(privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  return `_dckey-${createHash("sha256").update(der).digest("hex").slice(0, 16)}`;
}
