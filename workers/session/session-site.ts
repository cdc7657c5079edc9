/** A session that is in force, with its site. */
import type { ActiveLicense } from "../../schemas/license.ts";
import type { SessionRecord } from "../../schemas/session.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { activeKey } from "../../src/stores/keys.ts";
import { activeLicense } from "../../src/stores/licenses.ts";
import type { StoredRecord } from "../../src/stores/records.ts";
import type { SessionDeps } from "./deps.ts";
import { openSite, type SessionSite } from "./site.ts";

/**
 * The session's license as it stands now, and its site. A revoked license ends its sessions, and so do the end of the
 * agent's token that opened them and the owner's block of that agent.
 */
export async function siteOfSession(
  deps: SessionDeps,
  sessionId: string,
): Promise<{ stored: StoredRecord<SessionRecord>; site: SessionSite } | Failure<"authentication_required">> {
  const stored = await deps.sessions.find(sessionId);
  const license =
    stored && (await activeLicense(deps.accounts, stored.value.licenseHash, stored.value.siteId, deps.now()));
  if (!license) return sessionEnded();
  if (!(await isWelcome(deps, stored.value, license))) return sessionEnded();
  const grants = [license.permissions, stored.value.permissions];
  const { siteId, configuration } = license;
  return { stored, site: await openSite(deps, { siteId, configuration, grants }, deps.httpsPort) };
}

export const sessionEnded = (how: "ended" | "expired" = "ended") =>
  fail("authentication_required", `The session has ${how}. POST /api/bridge/authenticate opens a new one.`);

/** Whether the agent whose token opened a session still acts for its account, and the site's owner takes it. */
async function isWelcome(
  { accounts }: SessionDeps,
  { agent }: SessionRecord,
  { blockedAccounts }: ActiveLicense,
): Promise<boolean> {
  if (!agent) return true;
  if (blockedAccounts.includes(agent.accountId)) return false;
  return (await activeKey(accounts, "agent", agent.keyHash, agent.accountId)) !== undefined;
}
