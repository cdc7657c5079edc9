/** `execute`: one command of one session at a time, attempted until no other writer was first. */

import type { SessionRecord } from "../../../schemas/session.ts";
import { refusalOf } from "../../../src/domain/listing/site-configuration.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Stored } from "../../../src/stores/records.ts";
import type { session } from "../contract.ts";
import type { SessionDeps } from "../deps.ts";
import { sessionEnded, siteOfSession } from "../session-site.ts";
import { attempt } from "./attempt.ts";
import { sentBefore, settleInterrupted } from "./once.ts";
import { type ActionResult, denied, type Executed } from "./result.ts";
import { permissionsOfAction, STORE_MS, type Turn } from "./turn.ts";

/** Of a command: it opens the home page at most once, and meets other writers else. */
const MAX_ATTEMPTS = 6;

/** The record once no other worker acts on it, with the action of one that died while it acted. */
const freeRecord = async (
  { deps, deadline }: Turn,
  sessionId: string,
  known: Stored<SessionRecord> | undefined,
) => {
  for (let seen = known; ; seen = undefined) {
    const stored = seen ?? (await deps.sessions.find(sessionId));
    if (!stored) return "expired" as const;
    const { busy } = stored.value;
    if (!busy) return { stored, interrupted: undefined };
    if (busy.until <= deps.now()) return { stored, interrupted: busy.action };
    if (deps.now() > deadline - STORE_MS) return "busy" as const;
    await deps.clock.sleep(25 + Math.random() * 50);
  }
};

const withInterrupted = (executed: ActionResult, action: string): ActionResult => {
  const message = "A worker stopped during this action: it may have been done.";
  return { ...executed, result: { ...executed.result, interrupted: { action, message } } } as ActionResult;
};

/** @param now the record as it was read when this command's turn in this process came */
const executeCommand = async (turn: Turn, now: Stored<SessionRecord>): Promise<Executed> => {
  const { sessionId } = now.value;
  const { site, command } = turn;
  const missing = permissionsOfAction(command.action).find((each) => !site.configuration.permissions[each]);
  if (missing) return denied(site, missing);
  const closed = refusalOf(site.configuration, { command: command.action });
  if (closed) return fail("permission_denied", closed);
  const before = turn.dryRun ? undefined : await sentBefore(turn, now.value.page);
  if (before) return before;
  let interrupted: string | undefined;
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const found = await freeRecord(turn, sessionId, attempts === 0 ? now : undefined);
    if (found === "expired") return sessionEnded("expired");
    if (found === "busy") break;
    interrupted ??= found.interrupted;
    const settled = found.interrupted ? await settleInterrupted(turn, found.stored) : found.stored;
    if (!settled) continue;
    const executed = await attempt(turn, settled);
    if (executed === "again") continue;
    if (executed instanceof Failure || !interrupted || executed.outcome === "dry_run") return executed;
    return withInterrupted(executed, interrupted);
  }
  return fail("rate_limited", "Other commands of this session are under way.", { retryAfterSeconds: 1 });
};

export const execute =
  (deps: SessionDeps): Handlers<typeof session>["execute"] =>
  async ({ body }, context) => {
    const { dry_run: dryRun, confirm_total, confirm_unknown_total, max_total, ...command } = body;
    const agreement = { confirm_total, confirm_unknown_total, max_total };
    const { sessionId, licenceId, agentId, accountId } = context.principal;
    const agent = { licenceId, agentId, accountId };
    const deadline = deps.now() + context.timeoutMs;
    const work = async () => {
      const found = await siteOfSession(deps, sessionId);
      if (found instanceof Failure) return found;
      return executeCommand(
        {
          deps,
          site: found.site,
          command,
          dryRun,
          agreement,
          once: context.once,
          agent,
          deadline,
          caller: context,
        },
        found.stored,
      );
    };
    const executed = await deps.turns.run(sessionId, work);
    return executed === "full"
      ? fail("rate_limited", "Too many commands of this session are waiting.", { retryAfterSeconds: 1 })
      : executed;
  };
