/** Scalars shared by records and payloads. */
import { z } from "zod";

/** Canonical host: A-labels, lower case, no final dot, no port. Also called siteId. */
export const Host = z
  .string()
  .max(253)
  .regex(/^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)+$/)
  .meta({
    description: "Canonical host: A-labels, lower case, no final dot, no port",
    example: "shop.example",
  });

/** RFC 3339 in UTC, with the final Z. */
export const Timestamp = z.iso
  .datetime()
  .meta({ description: "RFC 3339 time in UTC", example: "2026-01-31T12:00:00.000Z" });

/** SHA-256 in lower-case hexadecimal. */
export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: "SHA-256, lower-case hexadecimal" });

export const IntentTag = z
  .string()
  .min(1)
  .max(32)
  .meta({ description: "An intent that the site serves, in the site's own words", example: "book-table" });

export const TrustRing = z.int().min(0).max(4).meta({
  description: "0 discovered, 1 document, 2 document and TXT record, 3 signed, 4 registered with proof",
  example: 3,
});

/** What DNSSEC says of an answer (RFC 4033 section 5). */
export const Dnssec = z.enum(["secure", "insecure", "bogus", "unknown"]);
export type Dnssec = z.infer<typeof Dnssec>;

/** Of a signed document: a year and a month to renew in, for small sites are static, and the TXT record revokes a key at once. */
export const MAX_MANIFEST_LIFE_DAYS = 398;

export const Location = z
  .looseObject({
    country: z.string().max(64).optional().meta({ description: "ISO 3166-1 code or name", example: "AT" }),
    region: z.string().max(128).optional(),
    city: z.string().max(128).optional(),
    lat: z.number().min(-90).max(90).optional().meta({ description: "Degrees north" }),
    lon: z.number().min(-180).max(180).optional().meta({ description: "Degrees east" }),
  })
  .meta({ description: "Where the business is" });
export type Location = z.infer<typeof Location>;

/** Longest HTML that is read or parsed, UTF-16 units. */
export const MAX_HTML_CHARS = 2 * 1024 * 1024;

/** Versions that the specification fixes (section 9). `bridge` is the software's own: deploy/version.ts writes it. */
export const VERSIONS = {
  bridge: "1.2.0",
  protocol: "1.0",
  meta: "bridge/3.19",
  handshake: "bridge-trust-handshake/1.1",
  promptSnippet: "1.0",
} as const;

/** Components of a vector. */
export const VECTOR_SIZE = 256;
