/** `authenticate` and `siteToken`: the tokens of sessions and of sites. */
import type { ActiveLicense } from "../../schemas/license.ts";
import { SESSION_SECONDS, SITE_TOKEN_SECONDS } from "../../schemas/session.ts";
import { limitedTo } from "../../src/domain/listing/site-configuration.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import type { Handlers, Input, Principals } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { issueSiteToken, type SessionClaims } from "../../src/stores/issued-tokens.ts";
import { findLicense } from "../../src/stores/licenses.ts";
import type { session } from "./contract.ts";
import type { SessionDeps } from "./deps.ts";
import { permissionsOf } from "./site.ts";

type Body = Input<(typeof session)["operations"]["openSession"]>["body"];
type Agent = Principals["agent"] | undefined;

const HOW_TO_ASK = "POST /api/bridge/access-requests asks the site's owner for one.";

export const authenticate =
  (deps: SessionDeps): Handlers<typeof session>["openSession"] =>
  async ({ body }, { principal: agent, clientAddress }) => {
    const license = await licenseOf(deps, body, agent);
    if (license instanceof Failure) return license;
    const { licenseId, siteId, accountId, keyHash, configuration } = license;
    if (agent && license.blockedAccounts.includes(agent.accountId))
      return fail("agent_blocked", `The owner of ${siteId} blocks this agent.`);
    const payer = { license: licenseId, account: accountId, clientAddress };
    const refused = await deps.limiter.refusal("sessions", payer);
    if (refused) return refused;
    const session_id = await openSession(deps, license, body, agent);
    const claims: SessionClaims = {
      site: siteId,
      agent: body.agentId ?? "",
      license: licenseId,
      account: accountId,
      key: keyHash,
    };
    const token = await deps.tokens.issue(session_id, { ...claims });
    const { document } = await deps.documents.of(siteId);
    const permissions = permissionsOf(limitedTo(configuration, body.permissions), document);
    return {
      type: "auth_success",
      session: { session_id, siteId, token, expiresIn: SESSION_SECONDS, permissions },
    };
  };

async function licenseOf(deps: SessionDeps, { licenseKey, siteId }: Body, agent: Agent) {
  if (licenseKey !== undefined && siteId !== undefined)
    return wrongMember("Send either licenseKey or siteId, not both.");
  if (siteId !== undefined) return licenseInWallet(deps, siteId, agent);
  if (licenseKey === undefined)
    return wrongMember("licenseKey is required, or siteId with an agent's token.");
  const license = await findLicense(deps.accounts, licenseKey, deps.now());
  return license ?? fail("authentication_required", "The license key is not valid.");
}

const wrongMember = (message: string): Failure<"invalid_request"> =>
  fail("invalid_request", message, {
    errors: [{ pointer: "/body/licenseKey", code: "invalid_request", message }],
  });

/** The license in the wallet of an agent's account. */
async function licenseInWallet(
  { accounts, wallets, now }: SessionDeps,
  siteId: string,
  agent: Agent,
): Promise<
  | ActiveLicense
  | Failure<"authentication_required" | "invalid_domain" | "license_missing" | "license_invalid">
> {
  if (!agent)
    return fail(
      "authentication_required",
      "Send an agent's token (POST /api/account/keys) with siteId, or a licenseKey.",
    );
  const parsed = parseHost(siteId);
  if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
  const key = await wallets.licenseFor(agent.accountId, parsed.host);
  if (key === undefined)
    return fail("license_missing", `The wallet has no license for ${parsed.host}. ${HOW_TO_ASK}`);
  const license = await findLicense(accounts, key, now());
  if (license?.siteId === parsed.host) return license;
  return fail("license_invalid", `The license in the wallet for ${parsed.host} has ended. ${HOW_TO_ASK}`);
}

/** Stores the session. @returns its id */
async function openSession(
  { sessions, now }: SessionDeps,
  { siteId, keyHash }: ActiveLicense,
  { agentId = "", agentName = "", permissions, purpose }: Body,
  agent: Agent,
): Promise<string> {
  const { sessionId } = await sessions.create({
    siteId,
    licenseHash: keyHash,
    agentId,
    agentName: agentName || (agent?.name ?? ""),
    ...(agent && {
      agent: { agentId: agent.agentId, accountId: agent.accountId, keyHash: agent.keyHash },
    }),
    ...(permissions && { permissions }),
    ...(purpose !== undefined && { purpose }),
    createdAt: new Date(now()).toISOString(),
    expiresAt: now() + SESSION_SECONDS * 1_000,
    page: null,
    history: [],
    fields: {},
    offset: 0,
    cookies: [],
    busy: null,
  });
  return sessionId;
}

export const siteToken =
  (deps: SessionDeps): Handlers<typeof session>["createSiteToken"] =>
  async ({ body: { siteId } }, { principal }) => {
    const parsed = parseHost(siteId);
    if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
    const owned = await deps.accounts.site(parsed.host);
    if (owned?.value.accountId !== principal.accountId)
      return fail("permission_denied", "The account has not proved to own this site.");
    const token = await issueSiteToken(deps.siteTokens, parsed.host, principal);
    return { type: "site_token", siteId: parsed.host, token, expiresIn: SITE_TOKEN_SECONDS };
  };
