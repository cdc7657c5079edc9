/** `authenticate` and `siteToken`: the tokens of sessions and of sites. */
import { SESSION_SECONDS, SITE_TOKEN_SECONDS } from "../../schemas/session.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import { issueSiteToken, type SessionClaims } from "../../src/stores/issued-tokens.ts";
import { findLicense } from "../../src/stores/licenses.ts";
import type { session } from "./contract.ts";
import type { SessionDeps } from "./deps.ts";
import { permissionsOf } from "./site.ts";

export const authenticate =
  (deps: SessionDeps): Handlers<typeof session>["authenticate"] =>
  async ({ body: { licenseKey, agentId = "", agentName = "" } }, { clientAddress }) => {
    const { accounts, limiter, now, sessions, tokens, documents } = deps;
    const license = await findLicense(accounts, licenseKey, now());
    if (!license) return fail("authentication_required", "The license key is not valid.");
    const { licenceId, siteId, keyHash, configuration } = license;
    const refused = await limiter.refusal("sessions", {
      license: licenceId,
      account: license.accountId,
      clientAddress,
    });
    if (refused) return refused;
    const expiresAt = now() + SESSION_SECONDS * 1_000;
    const { sessionId } = await sessions.create({
      siteId,
      licenceHash: keyHash,
      agentId,
      agentName,
      createdAt: new Date(now()).toISOString(),
      expiresAt,
      page: null,
      history: [],
      fields: {},
      offset: 0,
      cookies: [],
      busy: null,
    });
    const claims: SessionClaims = {
      site: siteId,
      agent: agentId,
      licence: licenceId,
      account: license.accountId,
      key: keyHash,
    };
    const token = await tokens.issue(sessionId, { ...claims });
    const permissions = permissionsOf(configuration, (await documents.of(siteId)).document);
    return { type: "auth_success", session: { token, expiresIn: SESSION_SECONDS, permissions } };
  };

export const siteToken =
  (deps: SessionDeps): Handlers<typeof session>["siteToken"] =>
  async ({ body: { siteId } }, { principal }) => {
    const parsed = parseHost(siteId);
    if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
    const owned = await deps.accounts.site(parsed.host);
    if (owned?.value.accountId !== principal.accountId)
      return fail("permission_denied", "The account has not proved to own this site.");
    const token = await issueSiteToken(deps.siteTokens, parsed.host, principal);
    return { type: "site_token", siteId: parsed.host, token, expiresIn: SITE_TOKEN_SECONDS };
  };
