/** `listActions`: what can be done on the session's site, from all who say so. */
import type { SitePermission } from "../../schemas/license.ts";
import type { SessionRecord } from "../../schemas/session.ts";
import { type ActionRequest, judgeActions, mergeActions } from "../../src/browser/action-list.ts";
import { configurationRefusal } from "../../src/domain/listing/site-configuration.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import type { Caller, TaskFailure } from "../../src/threads/thread-tasks.ts";
import type { session } from "./contract.ts";
import type { SessionDeps } from "./deps.ts";
import { closedTo } from "./execute/execution.ts";
import { type RefusedBy, refusalsOf } from "./pages/fetch-page.ts";
import type { PageActions } from "./pages/page-tasks.ts";
import { siteOfSession } from "./session-site.ts";
import { allowsAt, type SessionSite } from "./site.ts";

const SCRIPT_LIST_MS = 1_000;

export const listActions =
  (deps: SessionDeps): Handlers<typeof session>["listActions"] =>
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
    const here = await site.configurationAt(at ?? site.home);
    const closed = at && configurationRefusal(here, { path: at.pathname });
    if (closed) return fail("permission_denied", closed);
    const [page, script] = await Promise.all([
      pageOf(deps, site, record, context),
      deps.scripts.actions(site.siteId, SCRIPT_LIST_MS),
    ]);
    if (page instanceof Failure) return page;
    const merged = mergeActions(site.declared, page?.actions ?? [], script ?? []);
    const refused = await closedLeads(deps, site, record, merged);
    return {
      type: "actions_list",
      siteId: site.siteId,
      page_url: page?.url ?? null,
      actions: judgeActions(merged, {
        allows: (permission) => allowsAt(site, here)(permission as SitePermission),
        denies: (action) =>
          [site.configuration, here].some(
            (each) => configurationRefusal(each, { command: action }) !== undefined,
          ),
        closes: ({ method, url }) => refused.get(`${method} ${url}`),
        script: script !== undefined,
        open: record.page !== null,
      }),
    };
  };

/** The forms and links of the session's page; of the home page, which `execute` opens, while none is open. */
async function pageOf(
  { reader, publicPages }: SessionDeps,
  { siteId, home }: SessionSite,
  { page, licenseHash }: SessionRecord,
  caller: Caller,
): Promise<PageActions | undefined | TaskFailure> {
  const open = page ? await reader.actions(page.pageId, { caller, siteId }) : undefined;
  if (open) return open;
  const read = await publicPages.read(siteId, home, licenseHash, caller);
  return read instanceof Failure ? undefined : { url: read.info.url, actions: read.actions };
}

/** Which of the requests that a page's actions make would be refused. */
async function closedLeads(
  { fetching }: SessionDeps,
  site: SessionSite,
  { licenseHash }: SessionRecord,
  found: readonly { name: string; leads?: ActionRequest }[],
): Promise<ReadonlyMap<string, RefusedBy>> {
  const configurations = new Map<string, ReturnType<SessionSite["configurationAt"]>>();
  const remembering: SessionSite = {
    ...site,
    configurationAt: (url) => {
      const known = configurations.get(url.host) ?? site.configurationAt(url);
      configurations.set(url.host, known);
      return known;
    },
  };
  const leading = found.flatMap(({ name, leads }) => (leads ? [{ name, ...leads }] : []));
  const requests = leading.map(({ name, url, method }) => ({
    url: new URL(url),
    closed: closedTo(remembering, name, method),
  }));
  const refusals = await refusalsOf(fetching, requests, { siteId: site.siteId, asker: licenseHash });
  return new Map(
    leading.flatMap(({ url, method }, i) => {
      const refusal = refusals[i];
      return refusal ? [[`${method} ${url}`, refusal.by] as const] : [];
    }),
  );
}
