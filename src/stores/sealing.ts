/**
 * Secrets that the registry must give back, such as the licenses of a wallet, at rest: AES-256-GCM (NIST SP 800-38D)
 * under a key that follows from the registry's secret (src/domain/keyed.ts), one for each use. Whoever reads the buckets alone
 * reads no secret; what a sealed text belongs to is authenticated, so that none can be moved to another context.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { keyed } from "../domain/keyed.ts";

const ALGORITHM = "aes-256-gcm";
/** 96 bits (SP 800-38D section 8.2.2): random, so that 2^32 seals under one key stay safe. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealer {
  /** @param context what the text belongs to; `open` needs the same */
  seal(text: string, context: string): string;
  /** @returns undefined for a text that was not sealed here for this context */
  open(sealed: string, context: string): string | undefined;
}

/** @param secret the registry's own (src/stores/identity.ts) @param use each has a key of its own */
export function openSealing(secret: string, use: string): Sealer {
  const key = keyed(secret, "sealing", use);
  return {
    seal: (text, context) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context, "utf8"));
      const bytes = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return bytes.toString("base64url");
    },
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context, "utf8"));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
