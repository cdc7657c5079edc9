/** One command of one session while it is carried out, and what the owners of sites permit of it. */
import type { SitePermission } from "../../../schemas/license.ts";
import { type Command, isBuiltIn, PERMISSION_OF } from "../../../src/browser/plan.ts";
import { configurationRefusal } from "../../../src/domain/listing/site-configuration.ts";
import type { Principals } from "../../../src/rpc/contract.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import type { SessionDeps } from "../deps.ts";
import type { ReadFor } from "../pages/page-reader.ts";
import type { SessionSite } from "../site.ts";
import type { SpendingConsent } from "./confirm.ts";

/** Time before the deadline that is left for storing what came. */
export const STORE_MS = 1_500;

export interface Execution {
  deps: SessionDeps;
  site: SessionSite;
  command: Command;
  /** Whether only to tell what the command would do. */
  dryRun: boolean;
  agreement: SpendingConsent;
  /** Name of the caller's Idempotency-Key, if any. */
  once: string | undefined;
  /** Who acts, for receipts. */
  agent: Pick<Principals["session"], "licenseId" | "agentId" | "accountId">;
  /** Broker milliseconds after which nobody waits for the reply any more. */
  deadline: number;
  caller: Caller;
}

/** For whom, and within what is left of the deadline, a thread reads a page. */
export const readingOf = ({ deps, site, caller, deadline }: Execution): ReadFor => ({
  caller: { ...caller, timeoutMs: Math.max(0, deadline - deps.now()) },
  siteId: site.siteId,
});

/** The permissions that a command needs by its name. */
export function permissionsOfAction(action: string): SitePermission[] {
  const permission = isBuiltIn(action) ? PERMISSION_OF[action] : undefined;
  return permission ? [permission] : [];
}

/** Why the owner of an address closes it to a command, or undefined. */
export const closedTo =
  (site: SessionSite, action: string, method: "GET" | "POST") =>
  async (url: URL): Promise<string | undefined> =>
    configurationRefusal(await site.configurationAt(url), {
      command: action,
      permissions: neededFor(action, method),
      path: url.pathname,
    });

/** What the owner of every host that a request goes to must permit: what the command needs, or the form behind its name. */
function neededFor(action: string, method: "GET" | "POST"): SitePermission[] {
  if (action === "wait") return ["navigate"];
  if (isBuiltIn(action)) return permissionsOfAction(action);
  return method === "POST" ? ["fillForms"] : [];
}
