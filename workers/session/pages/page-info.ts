/** `pageInfo`: a page of a registered site, described for agents that only look at it. */
import type { SiteRecord } from "../../../schemas/site.ts";
import { networkGroup } from "../../../src/domain/names/address.ts";
import { hostKey, isWithin, parseHost, registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { parseWebAddress } from "../../../src/domain/names/web-address.ts";
import type { Handlers, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { session } from "../contract.ts";
import type { SessionDeps } from "../deps.ts";
import { homeOf } from "../site.ts";

/** The registered site that a host is of: itself, or the nearest one above it up to the registrable domain. */
const registeredSite = async (
  { sites, accounts }: SessionDeps,
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

/** The site and address that page-info is asked for. */
const askedPage = async (
  deps: SessionDeps,
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

export const pageInfo =
  (deps: SessionDeps): Handlers<typeof session>["pageInfo"] =>
  async ({ query }, context) => {
    const asked = await askedPage(deps, query, context);
    if (asked instanceof Failure) return asked;
    const asker = networkGroup(context.clientAddress) ?? "inside";
    const page = await deps.publicPages.read(asked.siteId, asked.url, asker, context);
    return page instanceof Failure ? page : page.info;
  };
