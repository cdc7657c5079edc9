/** Operations on a site's key that the registry holds: the other choice is a key of the owner's own, which is never sent. */
import { z } from "zod";
import { OwnerRecord } from "../../../schemas/account.ts";
import { Host, KeyHolder, Timestamp } from "../../../schemas/common.ts";
import type { Operations } from "../../../src/rpc/contract.ts";

const SiteParams = z.object({ siteId: Host });

const HeldKey = z
  .object({
    siteId: Host,
    key_holder: KeyHolder.meta({
      description: "registry: this registry holds a key of the site; owner: none",
    }),
    state: z.enum(["none", "waits", "in_force", "left"]).meta({
      description:
        "none: no key is held here; waits: nothing is signed with it, since its record was not seen in DNS yet; in_force: what the registry serves for the site is signed with it; left: the owner gave a document that another key signed",
    }),
    key: z
      .object({
        kid: z.string().meta({ description: "Thumbprint (RFC 7638)" }),
        pk: z.string().meta({ description: "Its public half, in base64url" }),
        made_at: Timestamp,
        endpoint: z.string().meta({ example: "https://shop.example" }),
        document_url: z.url().meta({ description: "Where the signed document is to answer" }),
        record: OwnerRecord.meta({ description: "The TXT record to publish; it says who holds the key" }),
        signed_until: Timestamp.nullable(),
        renewed_from: Timestamp.nullable().meta({ description: "From when on the registry signs it again" }),
        next: z
          .object({ kid: z.string(), pk: z.string(), made_at: Timestamp, record: OwnerRecord })
          .nullable()
          .optional()
          .meta({
            description: "The key that is to take its place (rotateHeldKey), and its record to publish",
          }),
      })
      .nullable(),
  })
  .meta({ id: "HeldKey" });
export type HeldKeyShown = z.infer<typeof HeldKey>;

export const heldKeyOperations = {
  heldKey: {
    operationId: "getHeldKey",
    method: "GET",
    paths: ["/api/account/sites/{siteId}/key"],
    summary: "The key that the registry holds for a site, if any",
    auth: "account",
    params: SiteParams,
    reply: HeldKey,
    errors: ["not_found", "authentication_required"],
    example: "/api/account/sites/{{siteId}}/key",
  },
  holdKey: {
    method: "PUT",
    paths: ["/api/account/sites/{siteId}/key"],
    summary: "Have the registry hold a key for a site, sign its document, and renew the signature in time",
    description:
      "The other choice is a key of your own, which you never send: then only you can speak for the site, and you sign again every 30 days. A key that the registry holds is said to be so in the TXT record (`key_holder=registry`), in the verdict and in DNS checks; whoever broke into the registry could sign in your name. The first call makes the key and names the record to publish; the next one looks for it in DNS, signs what the registry serves for the site, and answers `in_force`. From then on the registry signs again ten days before each signature ends, as long as DNS has the record. Call it again at any time: the key stays the same. To leave it, publish a key of your own beside it, give a document that you signed, and end this one.",
    auth: "account",
    limits: ["account_keys", "domain_proofs"],
    params: SiteParams,
    bodyOptional: true,
    body: z.object({
      endpoint: z.string().max(512).optional().meta({
        description: "Origin that serves the document: the site's, or a name below it. Default: the site's",
        example: "https://shop.example",
      }),
    }),
    reply: HeldKey,
    errors: ["not_found", "authentication_required", "proof_required", "rate_limited"],
    timeoutMs: 15_000,
    example: "/api/account/sites/{{siteId}}/key {}",
  },
  rotateHeldKey: {
    method: "POST",
    makes: true,
    paths: ["/api/account/sites/{siteId}/key/rotate"],
    summary: "Replace the key that the registry holds for a site by a new one, without a gap",
    description:
      "The first call makes the next key and names its record, to be published beside the other: the key in force goes on signing. The next call looks for it in DNS, signs with it, and removes the old key; then remove the old record. Call it again at any time.",
    auth: "account",
    limits: ["account_keys", "domain_proofs"],
    params: SiteParams,
    reply: HeldKey,
    errors: ["not_found", "authentication_required", "proof_required", "rate_limited"],
    timeoutMs: 15_000,
    example: "/api/account/sites/{{keyedSite}}/key/rotate",
  },
  endHeldKey: {
    method: "DELETE",
    paths: ["/api/account/sites/{siteId}/key"],
    summary: "Have the registry forget the key that it holds for a site",
    description:
      "It signs nothing more for the site. What it signed holds until it runs out, or until the key's record leaves DNS: remove that too.",
    auth: "account",
    params: SiteParams,
    reply: HeldKey,
    errors: ["not_found", "authentication_required"],
    example: "/api/account/sites/{{keyedSite}}/key",
  },
} as const satisfies Operations;
