/** A visit that somebody asks for, because a site changed: the crawl makes it next, and not more often than a site bears. */
import { knownByLook } from "../../src/crawl/known-site.ts";
import { recheckableAt, verdictUrl } from "../../src/crawl/verdict.ts";
import { iso } from "../../src/ports/time.ts";
import { fail } from "../../src/rpc/errors.ts";
import type { ProviderDeps } from "./context.ts";

export async function recheck(deps: ProviderDeps, host: string) {
  const known = await knownByLook(deps, host);
  const now = deps.now();
  const at = recheckableAt(known, now);
  if (at === undefined)
    return fail(
      "site_not_registered",
      known.isBlocked
        ? `${host} is blocked, and is not visited.`
        : known.record
          ? `${host} was looked at and is not kept (${known.record.reason}). Report it: POST /api/registry/report.`
          : `${host} was never visited. Report it: POST /api/registry/report.`,
    );
  const queued = at <= now && (await deps.frontier.bringForward(host, Math.floor(now)));
  return { domain: host, queued, can_recheck_at: iso(at), verdict_url: verdictUrl(deps.publicUrl, host) };
}
