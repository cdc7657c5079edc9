/** The operator's key that signs requests of Domain Connect, read from its file. */
import { createPrivateKey } from "node:crypto";
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
  {
    BRIDGE_DOMAIN_CONNECT_KEY: file,
    BRIDGE_DOMAIN_CONNECT_LABEL: label,
  }: Pick<Config, "BRIDGE_DOMAIN_CONNECT_KEY" | "BRIDGE_DOMAIN_CONNECT_LABEL">,
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
    if (privateKey.asymmetricKeyType === "rsa" && bits >= LEAST_BITS) return { privateKey, label };
  } catch {
    // Whatever it is: said below.
  }
  throw refuse(`${file} holds no RSA key of at least ${LEAST_BITS} bits in PEM`);
}
