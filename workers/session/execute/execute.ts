/** `execute`: one command of one session, planned on the record as it stands, carried out and stored. */
import type { SiteConfiguration } from "../../../schemas/license.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import type { BuiltIn, Change, Command, Plan } from "../../../src/browser/plan.ts";
import { refusalOf } from "../../../src/domain/listing/site-configuration.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Stored } from "../../../src/stores/records.ts";
import type { session } from "../contract.ts";
import type { SessionDeps } from "../deps.ts";
import { sessionEnded, siteOfSession } from "../session-site.ts";
import { navigate } from "./navigate.ts";
import { planCommand } from "./plan-command.ts";
import { type ActionResult, denied, done, type Executed } from "./result.ts";
import { executeByScript } from "./site-script.ts";
import { permissionsOfAction, STORE_MS, type Turn } from "./turn.ts";

const MAX_CONFLICTS = 5;

/** Commands that leave a page, or leave it alone: they stay allowed on a page that its owner closed meanwhile. */
const LEAVING: ReadonlySet<string> = new Set<BuiltIn>(["navigate", "back", "wait"]);

/** Why the owner of the open page forbids a command on it, or undefined. */
const refusalHere = (here: SiteConfiguration, { action }: Command, page: URL): string | undefined =>
  LEAVING.has(action)
    ? undefined
    : refusalOf(here, { command: action, permissions: permissionsOfAction(action), path: page.pathname });

/** Stores a change that no request was needed for. @returns false when another writer was first */
const store = async (
  { deps }: Turn,
  { value, revision }: Stored<SessionRecord>,
  { fields, offset, url }: Change,
): Promise<boolean> => {
  // Compare-and-set, not update: the plan was made on this very revision and would have to be made anew.
  if (!fields && offset === undefined && !url && !value.busy) return true;
  const next: SessionRecord = {
    ...value,
    busy: null,
    ...(fields && { fields: fields as SessionRecord["fields"] }),
    ...(offset !== undefined && { offset }),
    ...(url && value.page && { page: { ...value.page, url: url.slice(0, 2_048) } }),
  };
  return (await deps.sessions.records.compareAndSet(value.sessionId, next, revision)) !== undefined;
};

const failedResult = ({ page }: SessionRecord, { code, message, faults }: Plan & { kind: "failed" }) =>
  done({ ...(page && { url: page.url }), error: { code, message, ...(faults && { faults }) } }, false);

const wait = async (
  turn: Turn,
  stored: Stored<SessionRecord>,
  { ms, next }: Plan & { kind: "wait" },
): Promise<Executed | "again"> => {
  await turn.deps.clock.sleep(ms);
  const { page } = stored.value;
  if (!next) return done({ ...(page && { url: page.url }), waited_ms: ms });
  if (!turn.site.allows("navigate")) return denied(turn.site.siteId, "navigate");
  return navigate(turn, stored, next, "push");
};

/** One attempt on the record as it is now. @returns "again" when another writer was first */
const attempt = async (turn: Turn, stored: Stored<SessionRecord>): Promise<Executed | "again"> => {
  const { site, command } = turn;
  const { value: record } = stored;
  const at = record.page && new URL(record.page.url);
  const here = at ? await site.configurationAt(at) : undefined;
  const refused = here && at && refusalHere(here, command, at);
  if (refused) return fail("permission_denied", refused);
  const plan = await planCommand(turn, record, here);
  if (plan instanceof Failure) return plan;
  if (plan === "script") return executeByScript(turn, record, "The action is the site's own.");
  switch (plan.kind) {
    case "denied":
      return denied(site.siteId, plan.permission);
    case "failed":
      return plan.code === "requires_script"
        ? executeByScript(turn, record, plan.message)
        : failedResult(record, plan);
    case "wait":
      return wait(turn, stored, plan);
    case "go":
      return navigate(turn, stored, plan.request, plan.move);
    case "done":
      return (await store(turn, stored, plan.change)) ? done(plan.result) : "again";
  }
};

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
  return { ...executed, result: { ...executed.result, interrupted: { action, message } } };
};

/** @param now the record as it was read when this command's turn in this process came */
const executeCommand = async (turn: Turn, now: Stored<SessionRecord>): Promise<Executed> => {
  const { sessionId } = now.value;
  const { site, command } = turn;
  const closed = refusalOf(site.configuration, {
    command: command.action,
    permissions: permissionsOfAction(command.action),
  });
  if (closed) return fail("permission_denied", closed);
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
    const found = await freeRecord(turn, sessionId, conflicts === 0 ? now : undefined);
    if (found === "expired") return sessionEnded("expired");
    if (found === "busy") break;
    const executed = await attempt(turn, found.stored);
    if (executed === "again") continue;
    if (executed instanceof Failure || !found.interrupted) return executed;
    return withInterrupted(executed, found.interrupted);
  }
  return fail("rate_limited", "Other commands of this session are under way.", { retryAfterSeconds: 1 });
};

export const execute =
  (deps: SessionDeps): Handlers<typeof session>["execute"] =>
  async ({ body }, context) => {
    const { sessionId } = context.principal;
    const deadline = deps.now() + context.timeoutMs;
    const work = async () => {
      const found = await siteOfSession(deps, sessionId);
      if (found instanceof Failure) return found;
      return executeCommand(
        { deps, site: found.site, command: body, deadline, caller: context },
        found.stored,
      );
    };
    const executed = await deps.turns.run(sessionId, work);
    return executed === "full"
      ? fail("rate_limited", "Too many commands of this session are waiting.", { retryAfterSeconds: 1 })
      : executed;
  };
