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

/** Addresses that are relative to the site's home page. Others without a scheme may be meant as hosts. */
const RELATIVE = /^(?:\/|\?|\.\.?\/)/;

export const pageInfo =
  (deps: SessionDeps): Handlers<typeof session>["getPageInfo"] =>
  async ({ query }, context) => {
    const asked = await askedPage(deps, query, context);
    if (asked instanceof Failure) return asked;
    const asker = networkGroup(context.clientAddress) ?? "inside";
    const page = await deps.publicPages.read(asked.siteId, asked.url, asker, context);
    return page instanceof Failure ? page : page.info;
  };

/** The site and address that page-info or read-page is asked for. */
export async function askedPage(
  deps: SessionDeps,
  { siteId, url }: { siteId?: string | undefined; url?: string | undefined },
  { host }: RequestContext,
) {
  const relative = url !== undefined && RELATIVE.test(url);
  const written = url === undefined || relative ? undefined : parseWebAddress(url);
  if (written?.ok === false) return notAnAddress(written.detail);
  const parsed = parseHost(siteId ?? written?.url.hostname ?? host.replace(/:\d+$/, ""));
  if (!parsed.ok && siteId !== undefined)
    return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
  const site = parsed.ok ? await registeredSite(deps, parsed.host) : undefined;
  if (!site)
    return relative && siteId === undefined
      ? notAnAddress("a path alone names no site")
      : fail(
          "site_not_registered",
          "No registered site has this address. POST /api/registry/report names one to verify.",
        );
  const home = homeOf(site.siteId, site.record, deps.httpsPort);
  const address = relative ? parseWebAddress(url, home) : (written ?? { ok: true as const, url: home });
  if (!address.ok) return notAnAddress(address.detail);
  if (!isWithin(address.url.hostname, registrableDomain(site.siteId)))
    return fail("invalid_url", `url is no address of ${site.siteId}.`);
  return { siteId: site.siteId, url: address.url };
}

const notAnAddress = (detail: string) =>
  fail(
    "invalid_url",
    `url is neither an absolute http or https address nor, beside siteId, a path that begins with /: ${detail}.`,
  );

/** The registered site that a host is of: itself, or the nearest one above it up to the registrable domain. */
async function registeredSite(
  { sites, accounts }: SessionDeps,
  host: string,
): Promise<{ siteId: string; record: SiteRecord | undefined } | undefined> {
  const top = registrableDomain(host);
  for (let at = host; isWithin(at, top); at = at.slice(at.indexOf(".") + 1)) {
    const [record, owned] = await Promise.all([sites.get(hostKey(at)), accounts.site(at)]);
    if ((record && record.value.status !== "disabled") || owned) return { siteId: at, record: record?.value };
    if (at === top) break;
  }
  return undefined;
}
