/**
 * Tokens of links in mails. Nothing of them is stored: each is of one use and one account, and of what it is to change, so that it
 * holds once: a password that was reset, or an address that was changed, is another.
 */
import { keyed } from "../domain/keyed.ts";
import { openToken, signedToken } from "../domain/signed-token.ts";
import { HOUR_MS } from "../ports/time.ts";

export type MailTokenUse = "email" | "password" | "notices";

export interface MailTokens {
  /** @param binding what it holds for: the address, or the hash of the password */
  issue(use: MailTokenUse, accountId: string, binding: string): string;
  /** The account that a token is for, and whether it holds for what that account has now; undefined if it is not ours or has ended. */
  read(use: MailTokenUse, token: string): { accountId: string; holds(binding: string): boolean } | undefined;
  lifeMs: Record<MailTokenUse, number>;
}

/** What ends mails must hold for as long as anybody may still have them. */
const LIFE_MS = { email: 72 * HOUR_MS, password: HOUR_MS, notices: 400 * 24 * HOUR_MS } as const;

/** @param secret the registry's own @param now milliseconds */
export function openMailTokens(secret: string, now: () => number): MailTokens {
  const purposeOf = (use: MailTokenUse): string => `mail ${use}`;
  /** The link shows neither an address nor a hash of a password. */
  const digestOf = (use: MailTokenUse, binding: string): string =>
    keyed(secret, "mail binding", use, binding).toString("base64url").slice(0, 22);
  return {
    lifeMs: LIFE_MS,
    issue: (use, accountId, binding) =>
      signedToken(secret, purposeOf(use), [accountId, digestOf(use, binding)], now() + LIFE_MS[use]),
    read: (use, token) => {
      const opened = openToken(secret, purposeOf(use), token, now());
      if (!opened) return undefined;
      const [accountId, digest] = opened.payload as [string, string];
      return { accountId, holds: (binding) => digestOf(use, binding) === digest };
    },
  };
}
