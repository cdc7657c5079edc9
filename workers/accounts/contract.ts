/** Plans, accounts, and what accounts own: sites, their licenses, projects of the Ring 4 log, agents and their wallet. */
import { z } from "zod";
import { AccountSite, License, LoggedIn, OwnerRecord, User } from "../../schemas/account.ts";
import { Host, Timestamp } from "../../schemas/common.ts";
import { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { ConfigurationChange, SiteConfiguration, Tier } from "../../schemas/license.ts";
import { MAX_PLAN_NOTE_CHARS, Plan, PlanRequest } from "../../schemas/plan.ts";
import { WebhookHeaders } from "../../schemas/provider.ts";
import { WatchNews } from "../../schemas/watch.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { hostText, pastedHostText, plainTextSchema } from "../../src/rpc/validation.ts";
import { appealOperations } from "./appeals/contract.ts";
import { closingOperations } from "./closing-contract.ts";
import { Email, HASH_TIMEOUT_MS, NewPassword, Password } from "./fields.ts";
import { mailOperations } from "./mail-contract.ts";
import { NoticeSettings, noticeOperations } from "./notices/contract.ts";
import { passkeyOperations } from "./passkeys-contract.ts";
import { walletOperations } from "./wallet-contract.ts";
import { watchOperations } from "./watches/contract.ts";

const Domain = hostText(1_024).meta({ description: "Host name of the site", example: "shop.example" });
const SiteParams = z.object({ siteId: Host });
/** A record of the bucket holds 64 KiB. */
export const MAX_UPLOADED_BYTES = 60 * 1024;

export const accounts = defineService({
  name: "accounts",
  description: "Plans, accounts, and what accounts own: sites, licenses, projects, agents and their wallet",
  operations: {
    listPlans: {
      method: "GET",
      paths: ["/api/plans"],
      summary: "Plans on offer",
      auth: "none",
      reply: z
        .object({
          plans: z.array(Plan),
        })
        .meta({ id: "Plans" }),
      errors: [],
      example: "/api/plans",
    },
    registerAccount: {
      method: "POST",
      makes: true,
      resumes: true,
      paths: ["/api/auth/register"],
      summary: "Open an account",
      description: "The account has the free plan. Attempts are limited by network.",
      auth: "none",
      charges: { registrations: 1, password_hashes: 1 },
      body: z.object({
        email: Email,
        password: NewPassword,
        name: plainTextSchema(200).meta({ example: "Ada Lovelace" }),
      }),
      reply: z.object({ user: User }),
      status: 201,
      errors: ["email_taken", "rate_limited"],
      timeoutMs: HASH_TIMEOUT_MS,
      example:
        '/api/auth/register {"email":"{{newEmail}}","password":"correct horse battery","name":"Ada Lovelace"}',
    },
    logIn: {
      method: "POST",
      paths: ["/api/auth/login"],
      summary: "Log in",
      description:
        "The reply and its timing are the same for an unknown address and a wrong password. Failures are limited by address and network.",
      auth: "none",
      charges: { log_ins: 1, password_hashes: 1 },
      body: z.object({ email: Email, password: Password }),
      reply: LoggedIn,
      errors: ["invalid_credentials", "rate_limited"],
      timeoutMs: HASH_TIMEOUT_MS,
      example: '/api/auth/login {"email":"{{email}}","password":"{{password}}"}',
    },
    getAccount: {
      method: "GET",
      paths: ["/api/auth/me"],
      summary: "The account, its plan, its usage, and whether it is mailed about its sites",
      auth: "account",
      reply: z
        .object({
          user: User,
          plan: Plan,
          plan_request: PlanRequest.nullable().meta({
            description: "A plan that was asked for and waits for the operator, or was refused",
          }),
          notices: NoticeSettings,
          known_addresses: z.int().meta({
            description: "Addresses that the account was last used from, kept as keyed hashes alone",
          }),
          usage: z.object({
            sites: z.int(),
            actions_this_month: z.int().meta({ description: "In the calendar month, UTC" }),
          }),
        })
        .meta({ id: "Me" }),
      errors: ["authentication_required"],
      example: "/api/auth/me",
    },
    choosePlan: {
      method: "PUT",
      paths: ["/api/account/plan"],
      summary: "Choose a plan: one without a price is in force at once, others wait for the operator",
      description:
        "The operator's answer comes by mail where the address receives any, and stands in `plan_request` of getAccount. Choosing the plan that the account has withdraws a request.",
      auth: "account",
      charges: { requests_to_operators: 1 },
      body: z.object({
        tier: Tier,
        note: plainTextSchema(MAX_PLAN_NOTE_CHARS).optional().meta({
          description: "For the operator",
          example: "Invoice to Corner Shop Ltd., please",
        }),
      }),
      reply: z
        .object({
          plan: Plan.meta({ description: "The account's from now on" }),
          request: PlanRequest.nullable().meta({ description: "What waits for the operator" }),
        })
        .meta({ id: "ChosenPlan" }),
      errors: ["not_found", "authentication_required", "rate_limited"],
      example: '/api/account/plan {"tier":"starter","note":"Invoice to Corner Shop Ltd., please"}',
    },
    listLogIns: {
      method: "GET",
      paths: ["/api/auth/log-ins"],
      summary: "Log-ins whose tokens are good, the newest first",
      description:
        "Of the last day, since a token is good for as long; at most 20. A new password ends all of them.",
      auth: "account",
      reply: z
        .object({
          log_ins: z.array(
            z.object({
              log_in_id: z.string(),
              at: Timestamp,
              expires_at: Timestamp,
              from: z.string().meta({
                description:
                  "The network that it came from (an IPv4 /16 or an IPv6 /48); the address is not kept",
                example: "203.0.0.0/16",
              }),
              is_this: z.boolean().meta({ description: "Whether this request's token is of it" }),
            }),
          ),
        })
        .meta({ id: "LogIns" }),
      errors: [],
      example: "/api/auth/log-ins",
    },
    logOut: {
      method: "POST",
      makes: true,
      paths: ["/api/auth/logout"],
      summary: "End a log-in: this one, or another one of the account; its token is refused from now on",
      auth: "account",
      bodyOptional: true,
      body: z.object({
        log_in_id: z.uuid().optional().meta({
          description: "log_in_id of listLogIns; default: the log-in of this request's token",
          example: "01980000-0000-7000-8000-000000000000",
        }),
      }),
      reply: z.object({ log_in_id: z.string(), ended_at: Timestamp }).meta({ id: "LoggedOut" }),
      errors: ["not_found", "plan_limit", "authentication_required"],
      example: '/api/auth/logout {"log_in_id":"{{logInId}}"}',
    },
    changePassword: {
      method: "POST",
      paths: ["/api/auth/password"],
      summary: "Change the password; invalidates all earlier tokens",
      auth: "account",
      charges: { log_ins: 1, password_hashes: 1 },
      body: z.object({ current_password: Password, new_password: NewPassword }),
      reply: LoggedIn,
      errors: ["invalid_credentials", "authentication_required", "rate_limited"],
      timeoutMs: HASH_TIMEOUT_MS,
      example: '/api/auth/password {"current_password":"{{password}}","new_password":"{{password}}"}',
    },
    ...mailOperations,
    ...noticeOperations,
    ...watchOperations,
    ...closingOperations,
    ...passkeyOperations,
    getSiteChallenge: {
      method: "GET",
      paths: ["/api/account/sites/challenge"],
      summary: "The TXT record that proves that the account owns a domain",
      description: "Publish it at the site's host, or at its registrable domain to cover every host below.",
      auth: "account",
      query: z.object({ domain: Domain }),
      reply: z.object({ siteId: Host, records: z.array(OwnerRecord) }).meta({ id: "SiteChallenge" }),
      errors: ["invalid_domain"],
      example: "/api/account/sites/challenge?domain=shop.example",
    },
    addSite: {
      method: "POST",
      waitsForSites: true,
      makes: true,
      paths: ["/api/account/sites"],
      summary: "Add a site after proving its domain",
      description:
        "Without the challenge's record it fails with 403 `proof_required`, which says what to publish. Of two accounts, the last to prove a domain owns it, once the other's record is gone: while the records of both stand, 409 `site_contested`. Idempotent.",
      auth: "account",
      charges: { account_changes: 2 },
      body: z.object({ domain: Domain }),
      reply: AccountSite,
      errors: [
        "invalid_domain",
        "proof_required",
        "site_contested",
        "plan_limit",
        "authentication_required",
        "rate_limited",
      ],
      timeoutMs: 15_000,
      example: '/api/account/sites {"domain":"{{provedHost}}"}',
    },
    listSites: {
      method: "GET",
      paths: ["/api/account/sites"],
      summary: "Sites of the account",
      auth: "account",
      reply: z.object({ sites: z.array(AccountSite) }).meta({ id: "AccountSites" }),
      errors: [],
      example: "/api/account/sites",
    },
    configureSite: {
      method: "PATCH",
      paths: ["/api/account/sites/{siteId}"],
      summary: "Change what agents may do on a site",
      description:
        "Omitted members do not change. Takes effect at once, also for open sessions; a listing shows `access` after the next visit, which a change of it brings about.",
      auth: "account",
      charges: { account_changes: 4 },
      params: SiteParams,
      body: ConfigurationChange,
      reply: AccountSite,
      errors: ["not_found", "authentication_required", "rate_limited"],
      example: '/api/account/sites/{{siteId}} {"permissions":{"fillForms":true}}',
    },
    publishDocument: {
      method: "PUT",
      paths: ["/api/account/sites/{siteId}/document"],
      summary: "Have the registry serve a discovery document for a site",
      description:
        "For a site that publishes none itself. Sign it with `bridge sign`. It is served to requests whose Host is the site's or `bridge.<site>`, and by `discover` until the crawl has verified one at the site. Replaces the one before; null: the registry makes one from the site's configuration again.",
      auth: "account",
      params: SiteParams,
      body: z.object({ document: DiscoveryDocument.nullable() }),
      bodyLimitBytes: MAX_UPLOADED_BYTES,
      reply: z
        .object({
          siteId: Host,
          signed: z.boolean().meta({ description: "Whether it has a manifest, which agents verify" }),
        })
        .meta({ id: "PublishedDocument" }),
      errors: ["not_found", "authentication_required"],
      example:
        '/api/account/sites/{{siteId}}/document {"document":{"bridge_version":"1.2.0","generated_at":"2026-01-31T12:00:00.000Z","provider":{"name":"Corner Shop","domain":"{{siteId}}","category":"retail","description":"Tea and spices."},"capabilities":{"commands":["navigate","read"],"permissions":{"readContent":true},"tier":"free","transport":["http"],"features":[]},"agent_access":{"bridge_script":"","api_base":"","websocket":"","noscript":"","discovery":""},"fairness":{"is_independent":true,"commission_rate":0,"direct_benefit":"","neutrality_score":50},"security":{"session_required":true,"origin_validation":false,"rate_limit":0,"sandbox":false},"endpoints":{}}}',
    },
    ...appealOperations,
    removeSite: {
      method: "DELETE",
      waitsForSites: true,
      paths: ["/api/account/sites/{siteId}"],
      summary: "Remove a site; revokes its licenses",
      description:
        "With `unlist=true` the registry also deletes the site's record, text and listing, and does not rediscover it until it is added again.",
      auth: "account",
      charges: { account_changes: 2 },
      params: SiteParams,
      query: z.object({
        unlist: z
          .boolean()
          .default(false)
          .meta({ description: "Whether the registry also deletes its listing" }),
      }),
      reply: z
        .object({ siteId: Host, removed: z.literal(true), unlisted: z.boolean() })
        .meta({ id: "RemovedSite" }),
      errors: ["not_found", "authentication_required", "proof_required", "rate_limited"],
      timeoutMs: HASH_TIMEOUT_MS,
      example: "/api/account/sites/{{siteId}}?unlist=false",
    },
    verifyLicense: {
      method: "POST",
      paths: ["/api/license/verify"],
      summary: "Verify a license key for a domain, and read the domain's configuration",
      description: "The reply is the same for a key that is unknown, revoked, expired or for another domain.",
      auth: "none",
      limits: { license_checks: 1 },
      body: z.object({
        licenseKey: plainTextSchema(256).meta({ example: "bridge_lic_…" }),
        domain: pastedHostText(2_048).meta({
          description: "Host name of the site, or an address there",
          example: "shop.example",
        }),
      }),
      reply: z
        .object({
          valid: z.literal(true),
          tier: Tier,
          domain: Host,
          configuration: SiteConfiguration,
          expires_at: License.shape.expires_at,
        })
        .meta({ id: "VerifiedLicense" }),
      errors: ["license_invalid", "invalid_domain"],
      example: '/api/license/verify {"licenseKey":"{{licenseKey}}","domain":"{{licensedHost}}"}',
    },
    ...walletOperations,
  },
  webhooks: {
    watchChanged: {
      summary: "What changed of what an account watches",
      description:
        "POSTed to the `webhook` of a watch, at most once an hour for each. Answered with 2xx it is delivered; what else becomes of it is as of `receiveBatch`. Its signature is by the watch's `secret`.",
      headers: WebhookHeaders,
      body: WatchNews,
    },
  },
});
