/** The tokens that the registry issues: for log-ins, agents' sessions, and sites that join the websocket. */
import { SESSION_SECONDS, SITE_TOKEN_SECONDS } from "../../schemas/session.ts";
import type { Broker } from "../ports/broker.ts";
import { type AccountStore, activeAccount } from "./accounts.ts";
import type { Identity } from "./identity.ts";
import { openTokens, type Tokens, type TokenUse } from "./tokens.ts";

/** Dependencies for opening the token keys. */
interface Issuer {
  broker: Pick<Broker, "buckets" | "now">;
  identity: Pick<Identity, "kid">;
}

const DAY_SECONDS = 86_400;

/** The issuer claim: the same in every process, whatever its address. */
export const tokenIssuer = ({ kid }: Pick<Identity, "kid">): string => `urn:bridge:${kid}`;

/** @param lifeSeconds of one token; each use has keys of its own */
const tokensOf =
  (use: TokenUse, lifeSeconds: number) =>
  ({ broker: { buckets, now }, identity }: Issuer): Tokens =>
    openTokens({
      bucket: buckets.keys,
      use,
      issuer: tokenIssuer(identity),
      now,
      lifeSeconds,
    });

export const loginTokens = tokensOf("login", DAY_SECONDS);
export const sessionTokens = tokensOf("session", SESSION_SECONDS);
export const siteTokens = tokensOf("site", SITE_TOKEN_SECONDS);

/** Claims of a session token. */
export interface SessionClaims {
  site: string;
  agent: string;
  license: string;
  account: string;
  /** SHA-256 of the license key: revoking or rotating a license ends its sessions. */
  key: string;
}

export interface SiteMember {
  siteId: string;
  accountId: string;
}

/**
 * @param owner the caller as access control identified it: a token belongs to the generation of the log-in that
 * requested it
 */
export const issueSiteToken = (
  tokens: Tokens,
  siteId: string,
  { accountId, generation }: { accountId: string; generation: number },
): Promise<string> => tokens.issue(siteId, { account: accountId, gen: generation });

/** The site that a token authenticates, if its account is still valid in the same generation and still owns the site. */
export async function siteOfToken(
  tokens: Tokens,
  store: AccountStore,
  token: string,
): Promise<SiteMember | undefined> {
  const payload = await tokens.read(token);
  if (!payload || typeof payload.claims.account !== "string") return undefined;
  const member = { siteId: payload.subject, accountId: payload.claims.account };
  const [account, site] = await Promise.all([
    activeAccount(store, member.accountId, Number(payload.claims.gen)),
    store.site(member.siteId),
  ]);
  return account && site?.value.accountId === member.accountId ? member : undefined;
}
