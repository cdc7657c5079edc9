/** A session that is in force, with its site. */
import type { SessionRecord } from "../../schemas/session.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { activeLicense } from "../../src/stores/licenses.ts";
import type { Stored } from "../../src/stores/records.ts";
import type { SessionDeps } from "./deps.ts";
import { openSite, type Site } from "./site.ts";

export const sessionEnded = (how: "ended" | "expired" = "ended") =>
  fail("authentication_required", `The session has ${how}. POST /api/bridge/authenticate opens a new one.`);

/** The session's license as it stands now, and its site. A revoked license ends its sessions. */
export const siteOfSession = async (
  deps: SessionDeps,
  sessionId: string,
): Promise<{ stored: Stored<SessionRecord>; site: Site } | Failure<"authentication_required">> => {
  const stored = await deps.sessions.find(sessionId);
  const license = stored && (await activeLicense(deps.accounts, stored.value.licenceHash, deps.now()));
  if (!license || license.siteId !== stored.value.siteId) return sessionEnded();
  return { stored, site: await openSite(deps, license.siteId, license.configuration, deps.httpsPort) };
};
