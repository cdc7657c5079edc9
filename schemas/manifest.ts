/** The signed manifest (specification 2.9; docs/trust.md). */
import { z } from "zod";
import { Host, Sha256, Timestamp } from "./common.ts";

export const TrustProfile = z
  .looseObject({
    capabilities: z.array(z.string().max(64)).max(64).meta({ description: "What the site lets an agent do" }),
    constraints: z.array(z.string().max(256)).max(64).meta({ description: "What an agent must observe" }),
    ttl_seconds: z
      .int()
      .min(300)
      .max(86_400)
      .meta({ description: "How long a handshake may be reused, in seconds" }),
  })
  .meta({ id: "TrustProfile" });
export type TrustProfile = z.infer<typeof TrustProfile>;

/** The payload of the JWS, signed by the site's key in DNS. */
export const ManifestPayload = z.looseObject({
  domain: Host,
  endpoint: z.url().max(512),
  handshake: z.string().max(64),
  issued_at: Timestamp,
  expires_at: Timestamp,
  serial: z.int().min(0).meta({ description: "Monotonic: a manifest with a lower serial is rejected" }),
  trust_profile: TrustProfile,
  invariants_sha256: Sha256.optional(),
  document_sha256: Sha256.meta({
    description: "SHA-256 of the RFC 8785 form of the document without `manifest`",
  }),
});
export type ManifestPayload = z.infer<typeof ManifestPayload>;

/** Flattened JWS JSON serialization, RFC 7515 section 7.2.2. */
export const FlattenedJws = z
  .strictObject({
    payload: z.string().max(65_536).meta({ description: "base64url of the RFC 8785 form of the manifest" }),
    protected: z.string().max(2_048).meta({ description: "base64url of {alg, kid}" }),
    signature: z.string().max(128).meta({ description: "base64url of 64 bytes, Ed25519 (RFC 8032)" }),
  })
  .meta({ id: "FlattenedJws" });
export type FlattenedJws = z.infer<typeof FlattenedJws>;
