/** Actions that take a script engine: done by the site's own connected script. */
import type { SessionRecord } from "../../../schemas/session.ts";
import { type ActionResult, done } from "./result.ts";
import { STORE_MS, type Turn } from "./turn.ts";

const SCRIPT_TIMEOUT_MS = 10_000;

/** @param why the text browser cannot do it, for a site without a script */
export const executeByScript = async (
  { deps, site, command, deadline }: Turn,
  { page }: SessionRecord,
  why: string,
): Promise<ActionResult> => {
  const timeoutMs = Math.max(100, Math.min(SCRIPT_TIMEOUT_MS, deadline - deps.now() - STORE_MS));
  const { action, target, value, context } = command;
  const url = page?.url ?? null;
  const answer = await deps.scripts.execute(
    site.siteId,
    { type: "execute", action, target, value, context, url },
    timeoutMs,
  );
  if (answer.kind === "answered") return done({ ...answer.value.result, by: "script" }, answer.value.success);
  const [code, message] =
    answer.kind === "none"
      ? (["requires_script", `${why} No script of the site is connected.`] as const)
      : (["script_failed", answer.message] as const);
  return done({ ...(url && { url }), error: { code, message } }, false);
};
