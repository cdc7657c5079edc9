/** SHA-256 of what a module analyzed, as replies carry it. */
import { createHash } from "node:crypto";

/** Lower-case hexadecimal, over the UTF-8 of all parts that are there. */
export const sha256 = (...parts: (string | undefined)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) if (part !== undefined) hash.update(part);
  return hash.digest("hex");
};
