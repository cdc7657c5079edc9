/** Sites that join the websocket: the token that a proved owner makes for a page or backend of his own. */
import type { AccountStore } from "../accounts.ts";
import type { Broker } from "../adapters/nats/broker.ts";
import type { Identity } from "../identity.ts";
import { openTokens, type Tokens } from "../tokens.ts";
import { tokenIssuer } from "./account.ts";

/** A day: a kiosk or backend asks for the next one before. */
export const SITE_TOKEN_SECONDS = 86_400;

export const siteTokens = ({ broker, identity }: { broker: Broker; identity: Identity }): Tokens =>
  openTokens({
    bucket: broker.buckets.service,
    use: "site",
    issuer: tokenIssuer(identity),
    now: broker.now,
    lifeSeconds: SITE_TOKEN_SECONDS,
  });

export interface SiteMember {
  siteId: string;
  accountId: string;
}

/** The site that a token speaks for, while the account that made it still owns it. */
export const siteOfToken = async (
  tokens: Tokens,
  store: AccountStore,
  token: string,
): Promise<SiteMember | undefined> => {
  const payload = await tokens.read(token);
  if (!payload || typeof payload.claims.account !== "string") return undefined;
  const member = { siteId: payload.subject, accountId: payload.claims.account };
  return (await store.site(member.siteId))?.value.accountId === member.accountId ? member : undefined;
};
