/** Sites that join the websocket: the token that a proved owner makes for a page or backend of his own. */

import type { Broker } from "../../../src/adapters/nats/broker.ts";
import type { AccountStore } from "../../../src/stores/accounts.ts";
import type { Identity } from "../../../src/stores/identity.ts";
import { standingAccount } from "../../../src/stores/standing-account.ts";
import { openTokens, type Tokens } from "../../../src/stores/tokens.ts";
import { tokenIssuer } from "./account.ts";

/** A day: a kiosk or backend asks for the next one before. */
export const SITE_TOKEN_SECONDS = 86_400;

export const siteTokens = ({ broker, identity }: { broker: Broker; identity: Identity }): Tokens =>
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

/** @param owner as the door knows him: a token is of the generation of the log-in that asked for it */
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
