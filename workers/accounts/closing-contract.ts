/** The end of an account: what is removed with it, and what stays for how long and why. */
import { z } from "zod";
import { RECEIPT_DAYS } from "../../schemas/receipt.ts";
import type { Operations } from "../../src/rpc/contract.ts";
import { HASH_TIMEOUT_MS, Password } from "./fields.ts";

const CLOSE_TIMEOUT_MS = 30_000;

/** What is left when an account is gone. `until`: the longest. */
export const WHAT_STAYS: readonly { what: string; until: string; why: string }[] = [
  {
    what: "receipts of what agents sent to the sites",
    until: `${RECEIPT_DAYS} days after each`,
    why: "they are the agents' proof too; they hold the site and the account's id, no name and no address",
  },
  {
    what: "requests for access that the account's agents made or its owner answered",
    until: "90 days after each",
    why: "they are the other side's too; they hold the agent's name, and expire by themselves",
  },
  {
    what: "appeals against decisions about the sites",
    until: "400 days after each",
    why: "they show why a decision stands; they hold the account's id and what was said, no name and no address",
  },
  {
    what: "counts of calls and actions by the account's id",
    until: "400 days",
    why: "limits hold over them; they hold no name and no address",
  },
  {
    what: "entries of projects in the transparency log",
    until: "for ever",
    why: "nothing can be taken out of the log; it holds salted hashes, and the operator can erase the text of an entry",
  },
  {
    what: "the operator's audit log and backups",
    until: "400 days, and as long as the operator keeps backups",
    why: "they show what operators did",
  },
];

const Stays = z
  .array(z.object({ what: z.string(), until: z.string(), why: z.string() }))
  .meta({ id: "WhatStays", description: "What a closed account leaves, for how long, and why" });
const Count = z.int().min(0);

export const closingOperations = {
  closeAccount: {
    method: "POST",
    paths: ["/api/account/close"],
    summary: "Close the account, with everything it owns, at once and for good",
    description:
      "By the password, or without it by a log-in of the last ten minutes. Sites stay in the directory as the crawl verifies them; their licenses, and documents that the registry serves for them, end. The address can register again.",
    auth: "account",
    charges: { log_ins: 1, password_hashes: 1 },
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
