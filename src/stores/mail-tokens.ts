/**
 * Tokens of links in mails. Nothing of them is stored: a MAC binds each to its use, its account, its end, and to what it is to
 * change, so that it holds once: a password that was reset, or an address that was changed, is another.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export type MailTokenUse = "email" | "password" | "notices";

export interface MailTokens {
  /** @param binding what it holds for: the address, or the hash of the password */
  issue(use: MailTokenUse, accountId: string, binding: string): string;
  /** The account that a token is for, while it has not ended; whether it holds is told by `holds`. */
  accountOf(token: string): string | undefined;
  holds(use: MailTokenUse, token: string, binding: string): boolean;
  lifeMs: Record<MailTokenUse, number>;
}

const HOUR_MS = 3_600_000;
/** What ends mails must hold for as long as anybody may still have them. */
const LIFE_MS = { email: 72 * HOUR_MS, password: HOUR_MS, notices: 400 * 24 * HOUR_MS } as const;
/** Account, end in seconds, MAC. */
const TOKEN = /^([0-9a-f-]{36})\.([0-9]{10,11})\.([A-Za-z0-9_-]{43})$/;

/** @param secret the registry's own @param now milliseconds */
export const openMailTokens = (secret: string, now: () => number): MailTokens => {
  const macOf = (use: MailTokenUse, head: string, binding: string): Buffer =>
    createHmac("sha256", secret).update(`mail-token\n${use}\n${head}\n${binding}`).digest();
  const read = (token: string) => {
    const [, accountId, until, mac] = TOKEN.exec(token) ?? [];
    if (accountId === undefined || Number(until) * 1_000 < now()) return undefined;
    return { accountId, head: `${accountId}.${until}`, mac: Buffer.from(mac!, "base64url") };
  };
  return {
    lifeMs: LIFE_MS,
    issue: (use, accountId, binding) => {
      const head = `${accountId}.${Math.floor((now() + LIFE_MS[use]) / 1_000)}`;
      return `${head}.${macOf(use, head, binding).toString("base64url")}`;
    },
    accountOf: (token) => read(token)?.accountId,
    holds: (use, token, binding) => {
      const found = read(token);
      return found !== undefined && timingSafeEqual(found.mac, macOf(use, found.head, binding));
    },
  };
};
