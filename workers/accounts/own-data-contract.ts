/** Operations on an account as a whole: a copy of what it holds, and its end. */
import { z } from "zod";
import { AgentBlocked } from "../../schemas/access.ts";
import { Agent, License, Project, User } from "../../schemas/account.ts";
import { Host, Timestamp } from "../../schemas/common.ts";
import type { Operations } from "../../src/rpc/contract.ts";
import { HASH_TIMEOUT_MS, Password } from "./fields.ts";

const CLOSE_TIMEOUT_MS = 30_000;

const Stays = z
  .array(z.object({ what: z.string(), until: z.string(), why: z.string() }))
  .meta({ id: "WhatStays", description: "What a closed account leaves, for how long, and why" });
const Count = z.int().min(0);

export const ownDataOperations = {
  exportAccount: {
    method: "GET",
    paths: ["/api/account/export"],
    summary: "A copy of what the registry holds of the account",
    description:
      "Keys and tokens are kept as hashes alone, and so are not in it. Sites with their configuration, gateway keys, receipts and waiting requests are in listSites, listKeys, listSiteReceipts and listAccessRequests; `/account/export` gives all in one file.",
    auth: "account",
    reply: z
      .object({
        exported_at: Timestamp,
        user: User,
        proved_email: z.string().nullable(),
        notices_by_mail: z.boolean(),
        sites: z.array(Host),
        licenses: z.array(License),
        projects: z.array(Project),
        agents: z.array(Agent),
        agent_blocks: z.array(AgentBlocked),
        wallet: z.array(z.object({ domain: Host, added_at: Timestamp })),
        log_ins: z.array(z.object({ log_in_id: z.string(), at: Timestamp, from: z.string() })),
        stays_after_closing: Stays,
        known_addresses: z.int().meta({
          description: "Addresses that the account was last used from, kept as keyed hashes alone",
        }),
      })
      .meta({ id: "AccountExport" }),
    errors: ["authentication_required"],
    example: "/api/account/export",
  },
  closeAccount: {
    method: "POST",
    paths: ["/api/account/close"],
    summary: "Close the account, with everything it owns, at once and for good",
    description:
      "By the password, or without it by a log-in of the last ten minutes. Sites stay in the directory as the crawl verifies them; their licenses, and documents that the registry serves for them, end. The address can register again.",
    auth: "account",
    limits: ["password_changes", "password_hashes"],
    bodyOptional: true,
    body: z.object({ password: Password.optional() }),
    reply: z
      .object({
        closed: z.literal(true),
        removed: z.object({
          sites: Count,
          licenses: Count,
          projects: Count,
          agents: Count,
          keys: Count,
          access_requests: Count,
        }),
        stays: Stays,
      })
      .meta({ id: "AccountClosed" }),
    errors: ["invalid_credentials", "authentication_required", "rate_limited"],
    timeoutMs: Math.max(CLOSE_TIMEOUT_MS, HASH_TIMEOUT_MS),
    example: '/api/account/close {"password":"{{password}}"}',
  },
} as const satisfies Operations;
