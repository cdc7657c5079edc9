/** Carrying out one command of one session: plan it, act if it must, keep what changed. */
import { randomBytes } from "node:crypto";
import { type SiteConfiguration, type SitePermission, SitePermissions } from "../../schemas/license.ts";
import type { SessionRecord } from "../../schemas/session.ts";
import { isMove, planMove, type Whereabouts } from "../../src/browser/moves.ts";
import {
  type BuiltIn,
  type Command,
  failed,
  isBuiltIn,
  PERMISSION_OF,
  type Plan,
} from "../../src/browser/plan.ts";
import type { PageRequest } from "../../src/browser/submission.ts";
import { refusalOf } from "../../src/domain/listing/site-configuration.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Stored } from "../../src/stores/records.ts";
import type { Caller, TaskFailure } from "../../src/threads/thread-tasks.ts";
import { type Arrival, journeyTo } from "./browsing.ts";
import type { NamedPlan } from "./commands.ts";
import { openJar } from "./cookies.ts";
import type { SessionDeps, Site } from "./site.ts";

/** Places kept in a session's history. */
const MAX_HISTORY = 30;
/** A command's time beyond its deadline before another worker may take the session. */
const GRACE_MS = 5_000;
/** What is left of the deadline for keeping what came. */
const KEEP_MS = 1_500;
const SCRIPT_TIMEOUT_MS = 10_000;
const MAX_CONFLICTS = 5;

export interface ActionResult {
  type: "action_result";
  success: boolean;
  result: Record<string, unknown>;
}
type Refused = Failure<"authentication_required" | "permission_denied" | "rate_limited" | "unavailable">;
export type Executed = ActionResult | Refused;

const done = (result: Record<string, unknown>, success = true): ActionResult => ({
  type: "action_result",
  success,
  result,
});

const denied = (siteId: string, permission: SitePermission): Refused =>
  fail("permission_denied", `${siteId} does not permit ${permission}.`);

/** One command's surroundings. */
export interface Turn {
  deps: SessionDeps;
  site: Site;
  command: Command;
  /** Broker milliseconds after which nobody waits for the reply any more. */
  deadline: number;
  caller: Caller;
}

const whereabouts = (record: SessionRecord, home: URL): Whereabouts => ({
  home,
  page: record.page ? { url: new URL(record.page.url) } : undefined,
  history: record.history,
});

const PERMISSIONS = Object.keys(SitePermissions.shape) as SitePermission[];

/** For whom, and within what is left of the deadline, a thread reads a page. */
const readingOf = ({ deps, site, caller, deadline }: Turn) => ({
  caller: { ...caller, timeoutMs: Math.max(0, deadline - deps.now()) },
  siteId: site.siteId,
});

/** What the command means on the session's page: decided in a thread, for the page and the selector are strangers'. */
const planOnPage = (
  turn: Turn,
  { page, fields, offset }: SessionRecord,
  permitted: readonly SitePermission[],
): Promise<NamedPlan | TaskFailure> => {
  const { deps, site, command } = turn;
  const job = {
    url: page?.url,
    home: site.home.href,
    fields,
    offset,
    command,
    permitted: [...permitted],
    declared: isBuiltIn(command.action) ? [] : site.declared,
    boundary: `bridge-${randomBytes(16).toString("hex")}`,
  };
  return deps.reader.plan(page?.pageId, job, readingOf(turn));
};

const permissionOf = (action: string): SitePermission[] => {
  const permission = isBuiltIn(action) ? PERMISSION_OF[action] : undefined;
  return permission ? [permission] : [];
};

/** What the owner of every host that a request goes to must permit: what the command needs, or the form behind its name. */
const neededFor = (action: string, { method }: PageRequest): SitePermission[] => {
  if (action === "wait") return ["navigate"];
  if (isBuiltIn(action)) return permissionOf(action);
  return method === "POST" ? ["fillForms"] : [];
};

const planOf = async (
  turn: Turn,
  record: SessionRecord,
  here: SiteConfiguration | undefined,
): Promise<Plan | "script" | Failure<"unavailable">> => {
  const { deps, site, command } = turn;
  const allows = (permission: SitePermission): boolean =>
    site.allows(permission) && (here === undefined || here.permissions[permission]);
  // The page that is left has no say in where to: the host that is asked has.
  if (isMove(command.action))
    return planMove(command.action, command, whereabouts(record, site.home), (permission) =>
      site.allows(permission),
    );
  const plan = await planOnPage(turn, record, PERMISSIONS.filter(allows));
  if (plan instanceof Failure)
    return plan.code === "unavailable"
      ? fail("unavailable", plan.detail, plan)
      : failed("page_too_costly", `The command on this page: ${plan.detail}`);
  if (plan.kind === "script") return "script";
  if (plan.kind !== "unlisted") return plan;
  const scripts = await deps.scripts.actions(site.siteId, 1_000);
  const listed = scripts.find(({ name }) => name === command.action);
  if (!listed) return failed("unknown_action", "Neither built in nor listed by GET /api/bridge/actions.");
  const missing = listed.permissions_required.find((permission) => !allows(permission as SitePermission));
  return missing ? { kind: "denied", permission: missing as SitePermission } : "script";
};

/** Asks the site's connected script to do what takes a script engine. */
const byScript = async (
  { deps, site, command, deadline }: Turn,
  record: SessionRecord,
  why: string,
): Promise<ActionResult> => {
  const timeoutMs = Math.max(100, Math.min(SCRIPT_TIMEOUT_MS, deadline - deps.now() - KEEP_MS));
  const { action, target, value, context } = command;
  const url = record.page?.url ?? null;
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

/** Keeps a change that no request was needed for. @returns false when another writer was first */
const keep = async (
  { deps }: Turn,
  { value, revision }: Stored<SessionRecord>,
  change: Partial<SessionRecord>,
): Promise<boolean> =>
  (await deps.sessions.records.compareAndSet(
    value.sessionId,
    { ...value, busy: null, ...change },
    revision,
  )) !== undefined;

type NoArrival = Arrival & { kind: "failed" };

/** A page came, and no thread could read it in its time: the session stays where it was. */
const unread = ({ reply, method }: Arrival & { kind: "page" }, failure: TaskFailure): NoArrival => ({
  kind: "failed",
  code: failure.code === "unavailable" ? "worker_busy" : "page_too_costly",
  message: `The page came, and was not read. ${failure.detail}`,
  url: reply.url,
  sent: method === "POST",
  ...(failure.retryAfterSeconds && { retryAfterSeconds: failure.retryAfterSeconds }),
});

const notArrived = (
  record: SessionRecord,
  { code, message, url, sent, retryAfterSeconds }: NoArrival,
): ActionResult =>
  done(
    {
      url: record.page?.url,
      error: {
        code,
        message,
        at: url,
        ...(sent && { request_sent: true }),
        ...(retryAfterSeconds && { retry_after_seconds: retryAfterSeconds }),
      },
    },
    false,
  );

/** Sends a request while the session is this worker's alone, and keeps the page that comes. */
const go = async (
  turn: Turn,
  stored: Stored<SessionRecord>,
  request: PageRequest,
  move: "push" | "back",
): Promise<Executed | "again"> => {
  const { deps, site, command, deadline } = turn;
  const { records, pages } = deps.sessions;
  const { value: record } = stored;
  const busy = { holder: `${deps.holder}-${uuidv7()}`, until: deadline + GRACE_MS, action: command.action };
  const taken = await records.compareAndSet(record.sessionId, { ...record, busy }, stored.revision);
  if (taken === undefined) return "again";
  const jar = openJar(record.cookies as never);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.max(0, deadline - deps.now() - KEEP_MS));
  const release = (change: Partial<SessionRecord>) =>
    records.compareAndSet(
      record.sessionId,
      { ...record, cookies: jar.stored() as never, ...change, busy: null },
      taken,
    );
  try {
    const arrival = await journeyTo(deps.browsing, request, {
      siteId: site.siteId,
      jar,
      asker: record.licenceHash,
      referrer: record.page ? new URL(record.page.url) : undefined,
      closed: async (url) =>
        refusalOf(await site.configurationAt(url), {
          command: command.action,
          permissions: neededFor(command.action, request),
          path: url.pathname,
        }),
      signal: controller.signal,
    });
    if (arrival instanceof Failure) {
      await release({});
      return arrival;
    }
    if (arrival.kind === "failed") {
      await release({});
      return notArrived(record, arrival);
    }
    const { reply, method } = arrival;
    const read = await deps.reader.arrive(reply, readingOf(turn));
    if (read instanceof Failure) {
      await release({});
      return notArrived(record, unread(arrival, read));
    }
    const { pageId, shown } = read;
    const kept = await release(moved(record, { pageId, url: reply.url, method }, move));
    if (kept === undefined) {
      await pages.remove(pageId);
      return fail("rate_limited", "The session was taken over by another command.", { retryAfterSeconds: 1 });
    }
    if (record.page) await pages.remove(record.page.pageId);
    const ok = reply.status < 400;
    const error = { code: "http_status", message: `The page answered ${reply.status}.` };
    return done({ ...shown, redirects: arrival.redirects, ...(!ok && { error }) }, ok);
  } finally {
    clearTimeout(timer);
  }
};

/** The record after a move to a page. */
const moved = (
  record: SessionRecord,
  page: NonNullable<SessionRecord["page"]>,
  move: "push" | "back",
): Partial<SessionRecord> => {
  const { history } = record;
  const pushed = record.page
    ? [...history, { url: record.page.url.slice(0, 2_048), method: record.page.method }].slice(-MAX_HISTORY)
    : history;
  return { page, history: move === "back" ? history.slice(0, -1) : pushed, fields: {}, offset: 0 };
};

const waitThen = async (
  turn: Turn,
  stored: Stored<SessionRecord>,
  plan: Plan & { kind: "wait" },
): Promise<Executed | "again"> => {
  await turn.deps.clock.sleep(plan.ms);
  const { page } = stored.value;
  if (!plan.next) return done({ ...(page && { url: page.url }), waited_ms: plan.ms });
  if (!turn.site.allows("navigate")) return denied(turn.site.siteId, "navigate");
  return go(turn, stored, plan.next, "push");
};

/** Commands that leave a page, or leave it alone: whoever stands on a page that was closed since may go. */
const LEAVING: ReadonlySet<string> = new Set<BuiltIn>(["navigate", "back", "wait"]);

/** Why the owner of the page that is open forbids a command on it, or undefined. */
const refusedHere = (here: SiteConfiguration, { action }: Command, page: URL): string | undefined =>
  LEAVING.has(action)
    ? undefined
    : refusalOf(here, { command: action, permissions: permissionOf(action), path: page.pathname });

/** One attempt over the record as it is now. "again": another writer was first. */
const attempt = async (turn: Turn, stored: Stored<SessionRecord>): Promise<Executed | "again"> => {
  const { site } = turn;
  const { value: record } = stored;
  const at = record.page && new URL(record.page.url);
  const here = at ? await site.configurationAt(at) : undefined;
  const refused = here && at && refusedHere(here, turn.command, at);
  if (refused) return fail("permission_denied", refused);
  const plan = await planOf(turn, record, here);
  if (plan instanceof Failure) return plan;
  if (plan === "script") return byScript(turn, record, "The action is the site's own.");
  switch (plan.kind) {
    case "denied":
      return denied(site.siteId, plan.permission);
    case "failed": {
      if (plan.code === "requires_script") return byScript(turn, record, plan.message);
      const { code, message, faults } = plan;
      return done(
        { ...(record.page && { url: record.page.url }), error: { code, message, ...(faults && { faults }) } },
        false,
      );
    }
    case "wait":
      return waitThen(turn, stored, plan);
    case "go":
      return go(turn, stored, plan.request, plan.move);
    case "done": {
      const { fields, offset, url } = plan.change;
      if (!fields && offset === undefined && !url && !record.busy) return done(plan.result);
      const change = {
        ...(fields && { fields: fields as SessionRecord["fields"] }),
        ...(offset !== undefined && { offset }),
        ...(url && record.page && { page: { ...record.page, url: url.slice(0, 2_048) } }),
      };
      return (await keep(turn, stored, change)) ? done(plan.result) : "again";
    }
  }
};

/** The record once no other worker is acting on it, with the action of one that died while it acted. */
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
    if (deps.now() > deadline - KEEP_MS) return "busy" as const;
    await deps.clock.sleep(25 + Math.random() * 50);
  }
};

/**
 * Carries out a command.
 * @param now the record as the caller read it while holding the session's line in this process (mailbox.ts)
 */
export const carryOut = async (turn: Turn, now: Stored<SessionRecord>): Promise<Executed> => {
  const { sessionId } = now.value;
  const { site, command } = turn;
  const closed = refusalOf(site.configuration, {
    command: command.action,
    permissions: permissionOf(command.action),
  });
  if (closed) return fail("permission_denied", closed);
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
    const found = await freeRecord(turn, sessionId, conflicts === 0 ? now : undefined);
    if (found === "expired")
      return fail(
        "authentication_required",
        "The session has expired. POST /api/bridge/authenticate opens a new one.",
      );
    if (found === "busy") break;
    const executed = await attempt(turn, found.stored);
    if (executed === "again") continue;
    if (executed instanceof Failure || !found.interrupted) return executed;
    const interrupted = {
      action: found.interrupted,
      message: "A worker stopped during this action: it may have been done.",
    };
    return { ...executed, result: { ...executed.result, interrupted } };
  }
  return fail("rate_limited", "Other commands of this session are under way.", { retryAfterSeconds: 1 });
};
