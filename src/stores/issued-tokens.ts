/** The tokens this registry issues: those of log-ins, of agents' sessions, and of sites that join the websocket. */
import { SESSION_SECONDS, SITE_TOKEN_SECONDS } from "../../schemas/session.ts";
import type { Broker } from "../ports/broker.ts";
import type { AccountStore } from "./accounts.ts";
import type { Identity } from "./identity.ts";
import { standingAccount } from "./standing-account.ts";
import { openTokens, type Tokens } from "./tokens.ts";

/** What the keys of tokens are opened with. */
interface Issuer {
  broker: Pick<Broker, "buckets" | "now">;
  identity: Pick<Identity, "kid">;
}

const DAY_SECONDS = 86_400;

/** Names this registry in the tokens that it signs: the same in every process, whatever its address. */
export const tokenIssuer = ({ kid }: Pick<Identity, "kid">): string => `urn:bridge:${kid}`;

/** Tokens of log-ins: a day long. */
export const loginTokens = ({ broker, identity }: Issuer): Tokens =>
  openTokens({
    bucket: broker.buckets.token_keys,
    earlier: broker.buckets.service,
    use: "login",
    issuer: tokenIssuer(identity),
    now: broker.now,
    lifeSeconds: DAY_SECONDS,
  });

/** Tokens of sessions, with keys of their own: the same in every process. */
export const sessionTokens = ({ broker, identity }: Issuer): Tokens =>
  openTokens({
    bucket: broker.buckets.token_keys,
    earlier: broker.buckets.service,
    use: "session",
    issuer: tokenIssuer(identity),
    now: broker.now,
    lifeSeconds: SESSION_SECONDS,
  });

/** Claims that a session's token carries, all of them text. */
export interface SessionClaims {
  site: string;
  agent: string;
  licence: string;
  account: string;
  /**
   * SHA-256 of the license key: a license that was revoked or replaced takes its sessions with it. Sessions that an earlier
   * version opened name the license alone.
   */
  key: string;
}

export const siteTokens = ({ broker, identity }: Issuer): Tokens =>
  openTokens({
    bucket: broker.buckets.token_keys,
    use: "site",
    issuer: tokenIssuer(identity),
    now: broker.now,
    lifeSeconds: SITE_TOKEN_SECONDS,
  });

export interface SiteMember {
  siteId: string;
  accountId: string;
}

/** @param owner as access control identified the caller: a token is of the generation of the log-in that asked for it */
export const issueSiteToken = (
  tokens: Tokens,
  siteId: string,
  { accountId, generation }: { accountId: string; generation: number },
): Promise<string> => tokens.issue(siteId, { account: accountId, gen: generation });

/** The site that a token speaks for, while the account that made it stands as it did then and still owns the site. */
export const siteOfToken = async (
  tokens: Tokens,
  store: AccountStore,
  token: string,
): Promise<SiteMember | undefined> => {
  const payload = await tokens.read(token);
  if (!payload || typeof payload.claims.account !== "string") return undefined;
  const member = { siteId: payload.subject, accountId: payload.claims.account };
  const [account, site] = await Promise.all([
    standingAccount(store, member.accountId, Number(payload.claims.gen)),
    store.site(member.siteId),
  ]);
  return account && site?.value.accountId === member.accountId ? member : undefined;
};
