/** SHA-256 of what a module analyzed, as replies carry it. */
import { createHash } from "node:crypto";

/** Lower-case hexadecimal, over all parts that are there, strings as UTF-8. */
export const sha256 = (...parts: (string | Uint8Array | undefined)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) if (part !== undefined) hash.update(part);
  return hash.digest("hex");
};
