/** SHA-256 of what a module analyzed, as replies carry it. */
import { createHash } from "node:crypto";

/** SHA-256 of a page as an analysis read it, whichever of its parts are there. */
export const pageDigest = (
  url: string | undefined,
  html: string | undefined,
  text: string | undefined,
): string => sha256(url, "\n", html, "\n", text);

/** Lower-case hexadecimal, over all parts that are there, strings as UTF-8. */
export function sha256(...parts: (string | Uint8Array | undefined)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) if (part !== undefined) hash.update(part);
  return hash.digest("hex");
}
