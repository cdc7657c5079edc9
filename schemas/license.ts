/** Licenses: each opens one site to agents, as its owner configured it. */
import { z } from "zod";
import { MoneyText } from "./receipt.ts";

/** Plan tiers (specification 2.3), in ascending order. */
export const TIERS = ["free", "starter", "pro", "enterprise"] as const;
export const Tier = z
  .enum(TIERS)
  .meta({ description: "Plan tier of the account that owns the site", example: "pro" });
export type Tier = z.infer<typeof Tier>;

/** What agents may do on a site. The default grants only harmless permissions. */
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

/** Some of the permissions, by name: what a license or a session is limited to. */
export const PermissionList = z
  .array(z.enum(Object.keys(SitePermissions.shape) as [SitePermission, ...SitePermission[]]))
  .min(1)
  .max(Object.keys(SitePermissions.shape).length)
  .meta({ example: ["readContent", "navigate", "scroll"] });

/** How an agent gets a license for a site. */
export const Access = z.enum(["none", "request", "open"]).meta({
  id: "Access",
  description:
    "How agents get a license: `open`, at once, to read (POST /api/bridge/access-requests); `request`, when the owner approves the same request; `none`, only from the owner",
});
export type Access = z.infer<typeof Access>;

/** An absolute path on the site, without query or fragment. */
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
        description: "Paths closed to agents, including everything below them",
        example: ["/admin", "/account"],
      }),
    denied_commands: z
      .array(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/i))
      .max(50)
      .default([])
      .meta({ description: "Actions that agents must not execute", example: ["submit"] }),
    confirm_above: MoneyText.nullable().default(null).meta({
      description:
        "Agents buy up to this total; above it, or where the page shows none, a person completes the purchase. Null: no limit of the owner's",
      example: "100.00 EUR",
    }),
  })
  .meta({ id: "SiteRestrictions", description: "What stays closed to agents regardless of permissions" });
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
      .meta({ description: "Feature switches of the site's bridge script", example: ["beta-checkout"] }),
    access: Access.default("none"),
  })
  .meta({ id: "SiteConfiguration", description: "The owner's configuration of a site" });
export type SiteConfiguration = z.infer<typeof SiteConfiguration>;

/** A partial configuration. Permissions merge one by one; lists replace. */
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
    .meta({ description: "Permissions to change" }),
  restrictions: z
    .object({
      denied_paths: SiteRestrictions.shape.denied_paths.removeDefault().optional(),
      denied_commands: SiteRestrictions.shape.denied_commands.removeDefault().optional(),
      confirm_above: SiteRestrictions.shape.confirm_above.removeDefault().optional(),
    })
    .optional()
    .meta({ description: "Restrictions to change; a list replaces the previous one" }),
  logging: z.object({ level: SiteLogging.shape.level.removeDefault() }).optional(),
  features: SiteConfiguration.shape.features.optional(),
  access: Access.optional(),
});
export type ConfigurationChange = z.infer<typeof ConfigurationChange>;

/** A license in force, with the account and the configuration behind its key. */
export interface ActiveLicense {
  licenseId: string;
  /** SHA-256 of the key, to look the license up again without storing the key. */
  keyHash: string;
  accountId: string;
  /** Canonical host of the one site it opens. */
  siteId: string;
  tier: Tier;
  /** As the owner set it, less what the license does not grant. */
  configuration: SiteConfiguration;
  /** What the license grants of the site's permissions; null: all of them. */
  permissions: readonly SitePermission[] | null;
  /** Accounts whose agents the owner blocks. */
  blockedAccounts: readonly string[];
  expiresAt: string | null;
}
