import type { SessionRecord } from "../../schemas/session.ts";
import { SESSION_SECONDS, SITE_TOKEN_SECONDS } from "../../schemas/session.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { refusalOf } from "../../src/domain/listing/site-configuration.ts";
import { networkGroup } from "../../src/domain/names/address.ts";
import { hostKey, isWithin, parseHost, registrableDomain } from "../../src/domain/names/domain-name.ts";
import { parseWebAddress } from "../../src/domain/names/web-address.ts";
import type { Handlers, RequestContext } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { governingSite } from "../../src/stores/governing-site.ts";
import { issueSiteToken, type SessionClaims } from "../../src/stores/issued-tokens.ts";
import { findLicence, licenceInForce } from "../../src/stores/licenses.ts";
import type { Stored } from "../../src/stores/records.ts";
import type { Tokens } from "../../src/stores/tokens.ts";
import { bridgeScript } from "./bridge-script.ts";
import type { session } from "./contract.ts";
import { carryOut } from "./execute.ts";
import { mergeActions } from "./listing.ts";
import { noscriptPage } from "./noscript.ts";
import { homeOf, openSite, permissionsOf, type SessionDeps, type Site } from "./site.ts";

const SCRIPT_LIST_MS = 1_000;

export interface HandlerDeps extends SessionDeps {
  /** Port of https addresses that name none. */
  httpsPort: number;
  /** The registry's own host. */
  ownHost: string;
  siteTokens: Tokens;
}

/** The registered site that a host is of: itself, or the nearest one above it up to the registrable domain. */
const registeredSite = async (
  { sites, accounts }: HandlerDeps,
  host: string,
): Promise<{ siteId: string; record: SiteRecord | undefined } | undefined> => {
  const top = registrableDomain(host);
  for (let at = host; isWithin(at, top); at = at.slice(at.indexOf(".") + 1)) {
    const [record, owned] = await Promise.all([sites.get(hostKey(at)), accounts.site(at)]);
    if ((record && record.value.status !== "disabled") || owned) return { siteId: at, record: record?.value };
    if (at === top) break;
  }
  return undefined;
};

const sessionEnded = () =>
  fail("authentication_required", "The session has ended. POST /api/bridge/authenticate opens a new one.");

/** The session's licence as it stands now, and its site. A revoked licence ends its sessions. */
const siteOfSession = async (
  deps: HandlerDeps,
  sessionId: string,
): Promise<{ stored: Stored<SessionRecord>; site: Site } | Failure<"authentication_required">> => {
  const stored = await deps.sessions.find(sessionId);
  const licence = stored && (await licenceInForce(deps.accounts, stored.value.licenceHash, deps.now()));
  if (!licence || licence.siteId !== stored.value.siteId) return sessionEnded();
  return { stored, site: await openSite(deps, licence.siteId, licence.configuration, deps.httpsPort) };
};

const authenticate =
  (deps: HandlerDeps): Handlers<typeof session>["authenticate"] =>
  async ({ body: { licenseKey, agentId = "", agentName = "" } }, { clientAddress }) => {
    const { accounts, limiter, now, sessions, tokens, documents } = deps;
    const licence = await findLicence(accounts, licenseKey, now());
    if (!licence) return fail("authentication_required", "The licence key is not valid.");
    const { licenceId, siteId, keyHash, configuration } = licence;
    const refused = await limiter.refusal("sessions", {
      license: licenceId,
      account: licence.accountId,
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
      account: licence.accountId,
      key: keyHash,
    };
    const token = await tokens.issue(sessionId, { ...claims });
    const permissions = permissionsOf(configuration, (await documents.of(siteId)).document);
    return { type: "auth_success", session: { token, expiresIn: SESSION_SECONDS, permissions } };
  };

const actions =
  (deps: HandlerDeps): Handlers<typeof session>["actions"] =>
  async ({ query: { siteId } }, context) => {
    const found = await siteOfSession(deps, context.principal.sessionId);
    if (found instanceof Failure) return found;
    const { site, stored } = found;
    if (siteId !== undefined) {
      const asked = parseHost(siteId);
      if (!asked.ok) return fail("invalid_domain", `siteId is not a host name: ${asked.reason}.`);
      if (asked.host !== site.siteId) return fail("permission_denied", `The session is on ${site.siteId}.`);
    }
    const record = stored.value;
    const at = record.page && new URL(record.page.url);
    const closed = at && refusalOf(await site.configurationAt(at), { path: at.pathname });
    if (closed) return fail("permission_denied", closed);
    const reading = { caller: context, siteId: site.siteId };
    const [page, script] = await Promise.all([
      record.page ? deps.reader.offer(record.page.pageId, reading) : undefined,
      deps.scripts.actions(site.siteId, SCRIPT_LIST_MS),
    ]);
    if (page instanceof Failure) return page;
    if (page)
      return {
        type: "actions_list",
        siteId: site.siteId,
        page_url: page.url,
        actions: mergeActions(site.declared, page.actions, script),
      };
    const home = await deps.publicPages.read(site.siteId, site.home, record.licenceHash, context);
    const offered = home instanceof Failure ? undefined : home;
    const declared = mergeActions(site.declared, [], script);
    const names = new Set(declared.map(({ name }) => name));
    return {
      type: "actions_list",
      siteId: site.siteId,
      page_url: offered?.info.url ?? null,
      actions: [...declared, ...(offered?.actions ?? []).filter(({ name }) => !names.has(name))],
    };
  };

const execute =
  (deps: HandlerDeps): Handlers<typeof session>["execute"] =>
  async ({ body }, context) => {
    const { principal } = context;
    const deadline = deps.now() + context.timeoutMs;
    const work = async () => {
      const found = await siteOfSession(deps, principal.sessionId);
      if (found instanceof Failure) return found;
      const turn = { deps, site: found.site, command: body, deadline, caller: context };
      return carryOut(turn, found.stored);
    };
    return (
      (await deps.mailboxes.run(principal.sessionId, work)) ??
      fail("rate_limited", "Too many commands of this session are waiting.", { retryAfterSeconds: 1 })
    );
  };

/** The site and address that page-info is asked for. */
const askedPage = async (
  deps: HandlerDeps,
  { siteId, url }: { siteId?: string | undefined; url?: string | undefined },
  { host }: RequestContext,
) => {
  const written = url === undefined ? undefined : parseWebAddress(url);
  if (written?.ok === false)
    return fail("invalid_url", `url is not an absolute http or https address: ${written.detail}.`);
  const address = written?.url;
  const parsed = parseHost(siteId ?? address?.hostname ?? host.replace(/:\d+$/, ""));
  if (!parsed.ok && siteId !== undefined)
    return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
  const site = parsed.ok ? await registeredSite(deps, parsed.host) : undefined;
  if (!site)
    return fail(
      "site_not_registered",
      "No registered site has this address. POST /api/registry/report names one to verify.",
    );
  if (address && !isWithin(address.hostname, registrableDomain(site.siteId)))
    return fail("invalid_url", `url is no address of ${site.siteId}.`);
  return { siteId: site.siteId, url: address ?? homeOf(site.siteId, site.record, deps.httpsPort) };
};

const pageInfo =
  (deps: HandlerDeps): Handlers<typeof session>["pageInfo"] =>
  async ({ query }, context) => {
    const asked = await askedPage(deps, query, context);
    if (asked instanceof Failure) return asked;
    const asker = networkGroup(context.clientAddress) ?? "inside";
    const page = await deps.publicPages.read(asked.siteId, asked.url, asker, context);
    return page instanceof Failure ? page : page.info;
  };

const noscript =
  (deps: HandlerDeps): Handlers<typeof session>["noscript"] =>
  async ({ params: { siteId } }) => {
    if (siteId === deps.ownHost)
      return noscriptPage({
        siteId,
        document: await deps.ownDocument(),
        record: undefined,
        publicUrl: deps.publicUrl,
      });
    const parsed = parseHost(siteId);
    if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
    const record = (await deps.sites.get(hostKey(parsed.host)))?.value;
    const document =
      record?.status === "enabled" ? (await deps.documents.of(parsed.host)).document : undefined;
    if (!document) return fail("no_enabled_site", `No enabled site is known as ${parsed.host}.`);
    return noscriptPage({ siteId: parsed.host, document, record, publicUrl: deps.publicUrl });
  };

const script =
  (deps: HandlerDeps): Handlers<typeof session>["bridgeScript"] =>
  async ({ query: { siteId } }) => {
    if (siteId === undefined) return bridgeScript(deps.publicUrl, null);
    const parsed = parseHost(siteId);
    if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
    const governing = await governingSite(deps.accounts, new URL(`https://${parsed.host}/`));
    return bridgeScript(deps.publicUrl, parsed.host, governing?.configuration);
  };

const siteToken =
  (deps: HandlerDeps): Handlers<typeof session>["siteToken"] =>
  async ({ body: { siteId } }, { principal }) => {
    const parsed = parseHost(siteId);
    if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
    const owned = await deps.accounts.site(parsed.host);
    if (owned?.value.accountId !== principal.accountId)
      return fail("permission_denied", "The account has not proved to own this site.");
    const token = await issueSiteToken(deps.siteTokens, parsed.host, principal);
    return { type: "site_token", siteId: parsed.host, token, expiresIn: SITE_TOKEN_SECONDS };
  };

export const sessionHandlers = (deps: HandlerDeps): Handlers<typeof session> => ({
  authenticate: authenticate(deps),
  actions: actions(deps),
  execute: execute(deps),
  pageInfo: pageInfo(deps),
  noscript: noscript(deps),
  bridgeScript: script(deps),
  siteToken: siteToken(deps),
});
