/** What a licence opens: one site, for agents, as its owner configured it. */
import { z } from "zod";
import { Host, Sha256, Timestamp } from "./common.ts";

/** Plan tiers (specification 2.3), from the least. */
export const TIERS = ["free", "starter", "pro", "enterprise"] as const;
export const Tier = z
  .enum(TIERS)
  .meta({ description: "Plan tier of the account that owns the site", example: "pro" });
export type Tier = z.infer<typeof Tier>;

/** What agents may do on a site. By default the harmless ones alone. */
export const SitePermissions = z
  .object({
    readContent: z.boolean().default(true),
    click: z.boolean().default(true),
    fillForms: z.boolean().default(false),
    scroll: z.boolean().default(true),
    navigate: z.boolean().default(true),
    apiAccess: z.boolean().default(false),
    automatedLogin: z.boolean().default(false),
    extractData: z.boolean().default(false),
  })
  .meta({ id: "SitePermissions", description: "What agents may do on the site" });
export type SitePermissions = z.infer<typeof SitePermissions>;
export type SitePermission = keyof SitePermissions;

/** A path of a site as its owner writes it: from the root, without query or fragment. */
const PathPrefix = z
  .string()
  .max(256)
  .regex(/^\/[^\s?#\p{Cc}]*$/u, "must be a path that begins with / and has no query")
  .refine((text) => text.isWellFormed(), { error: "must be well-formed Unicode" })
  .meta({ example: "/admin" });

export const SiteRestrictions = z
  .object({
    denied_paths: z
      .array(PathPrefix)
      .max(50)
      .default([])
      .meta({
        description: "Paths closed to agents, with everything below them",
        example: ["/admin", "/account"],
      }),
    denied_commands: z
      .array(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/i))
      .max(50)
      .default([])
      .meta({ description: "Actions that agents may not execute", example: ["submit"] }),
  })
  .meta({ id: "SiteRestrictions", description: "What stays closed to agents whatever the permissions" });
export type SiteRestrictions = z.infer<typeof SiteRestrictions>;

export const SiteLogging = z
  .object({
    level: z
      .enum(["none", "errors", "all"])
      .default("errors")
      .meta({ description: "What the site's bridge script writes to the page's console" }),
  })
  .meta({ id: "SiteLogging" });

export const SiteConfiguration = z
  .object({
    permissions: SitePermissions,
    restrictions: SiteRestrictions,
    logging: SiteLogging,
    features: z
      .array(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/))
      .max(50)
      .meta({ description: "Switches of the site's own bridge script", example: ["beta-checkout"] }),
  })
  .meta({ id: "SiteConfiguration", description: "How a site's owner configured it" });
export type SiteConfiguration = z.infer<typeof SiteConfiguration>;

/** Parts of a configuration; permissions one by one, lists whole. */
export const ConfigurationChange = z.object({
  permissions: z
    .object(
      Object.fromEntries(
        Object.keys(SitePermissions.shape).map((name) => [name, z.boolean().optional()]),
      ) as {
        [K in keyof typeof SitePermissions.shape]: z.ZodOptional<z.ZodBoolean>;
      },
    )
    .optional()
    .meta({ description: "Those to change" }),
  restrictions: z
    .object({
      denied_paths: SiteRestrictions.shape.denied_paths.removeDefault().optional(),
      denied_commands: SiteRestrictions.shape.denied_commands.removeDefault().optional(),
    })
    .optional()
    .meta({ description: "Those to change, each list whole" }),
  logging: z.object({ level: SiteLogging.shape.level.removeDefault() }).optional(),
  features: SiteConfiguration.shape.features.optional(),
});
export type ConfigurationChange = z.infer<typeof ConfigurationChange>;

/**
 * A licence key as it is stored, under its hash. That it is in force stands in the account that it belongs to, so that a
 * rotation or a removal is one write there.
 */
export const LicenceRecord = z.looseObject({
  v: z.literal(1),
  licenceId: z.string(),
  keyHash: Sha256,
  accountId: z.string(),
  siteId: Host,
  createdAt: Timestamp,
});
export type LicenceRecord = z.infer<typeof LicenceRecord>;

/** A licence in force: what stands behind a key right now. */
export interface Licence {
  licenceId: string;
  /** SHA-256 of the key: finds the licence again without keeping the key. */
  keyHash: string;
  accountId: string;
  /** Canonical host of the one site that it opens. */
  siteId: string;
  tier: Tier;
  configuration: SiteConfiguration;
  expiresAt: string | null;
}
