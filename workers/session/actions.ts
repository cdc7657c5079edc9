/** `actions`: what can be done on the session's site, from all who say so. */
import { mergeActions } from "../../src/browser/action-list.ts";
import { refusalOf } from "../../src/domain/listing/site-configuration.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import type { session } from "./contract.ts";
import type { SessionDeps } from "./deps.ts";
import { siteOfSession } from "./session-site.ts";

const SCRIPT_LIST_MS = 1_000;

export const actions =
  (deps: SessionDeps): Handlers<typeof session>["actions"] =>
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
      record.page ? deps.reader.actions(record.page.pageId, reading) : undefined,
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
