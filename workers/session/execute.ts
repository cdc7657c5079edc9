/** Carrying out one command of one session: plan it, act if it must, keep what changed. */
import { randomBytes } from "node:crypto";
import type { SitePermission } from "../../schemas/licence.ts";
import type { SessionRecord } from "../../schemas/session.ts";
import type { Stored } from "../../src/adapters/nats/records.ts";
import { refusalOf } from "../../src/domain/site-configuration.ts";
import { Failure, fail } from "../../src/errors.ts";
import { uuidv7 } from "../../src/ids.ts";
import { listActions } from "./actions.ts";
import { journeyTo } from "./browsing.ts";
import { planCommand, planPageAction } from "./commands.ts";
import { openJar } from "./cookies.ts";
import { describeArrival } from "./describe.ts";
import type { PageModel } from "./page.ts";
import { type BrowserState, type Command, isBuiltIn, PERMISSION_OF, type Plan } from "./plan.ts";
import type { SessionDeps, Site } from "./site.ts";
import type { PageRequest } from "./submission.ts";

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
type Refused = Failure<"authentication_required" | "permission_denied" | "rate_limited">;
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
}

const stateOf = (record: SessionRecord, page: PageModel | undefined, home: URL): BrowserState => {
  // A fragment is the session's own: the page was kept without what a click made of its address.
  const shown = page && record.page ? { ...page, url: new URL(record.page.url) } : undefined;
  return { home, page: shown, fields: record.fields, history: record.history, offset: record.offset };
};

const planOf = async ({ deps, site, command }: Turn, state: BrowserState): Promise<Plan | "script"> => {
  const allows = (permission: SitePermission): boolean => site.allows(permission);
  const boundary = `bridge-${randomBytes(16).toString("hex")}`;
  if (isBuiltIn(command.action)) return planCommand(command.action, command, state, allows, boundary);
  const own = listActions(site.declared, state.page).find(({ name }) => name === command.action);
  const listed =
    own ?? (await deps.scripts.actions(site.siteId, 1_000)).find(({ name }) => name === command.action);
  if (!listed)
    return {
      kind: "failed",
      code: "unknown_action",
      message: "Neither built in nor listed by GET /api/bridge/actions.",
    };
  const missing = listed.permissions_required.find((permission) => !allows(permission as SitePermission));
  if (missing) return { kind: "denied", permission: missing as SitePermission };
  return own?.target ? planPageAction(own, command, state, allows, boundary) : "script";
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

/** Sends a request while the session is this worker's alone, and keeps the page that comes. */
const go = async (
  turn: Turn,
  stored: Stored<SessionRecord>,
  state: BrowserState,
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
      referrer: state.page?.url,
      closed: (url) => refusalOf(site.configuration, { path: url.pathname }),
      signal: controller.signal,
    });
    if (arrival instanceof Failure) {
      await release({});
      return arrival;
    }
    if (arrival.kind === "failed") {
      await release({});
      const { code, message, url, sent, retryAfterSeconds } = arrival;
      return done(
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
    }
    const pageId = await pages.put(arrival.source);
    const kept = await release(
      moved(record, { pageId, url: arrival.source.url, method: arrival.method }, move),
    );
    if (kept === undefined) {
      await pages.remove(pageId);
      return fail("rate_limited", "The session was taken over by another command.", { retryAfterSeconds: 1 });
    }
    if (record.page) await pages.remove(record.page.pageId);
    const page = (await pages.get(pageId))!;
    const ok = arrival.source.status < 400;
    const error = { code: "http_status", message: `The page answered ${arrival.source.status}.` };
    return done({ ...describeArrival(page), redirects: arrival.redirects, ...(!ok && { error }) }, ok);
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
  state: BrowserState,
  plan: Plan & { kind: "wait" },
): Promise<Executed | "again"> => {
  await turn.deps.clock.sleep(plan.ms);
  if (!plan.next) return done({ ...(state.page && { url: state.page.url.href }), waited_ms: plan.ms });
  if (!turn.site.allows("navigate")) return denied(turn.site.siteId, "navigate");
  return go(turn, stored, state, plan.next, "push");
};

/** One attempt over the record as it is now. "again": another writer was first. */
const attempt = async (turn: Turn, stored: Stored<SessionRecord>): Promise<Executed | "again"> => {
  const { deps, site } = turn;
  const { value: record } = stored;
  const page = record.page ? await deps.sessions.pages.get(record.page.pageId) : undefined;
  const state = stateOf(record, page, site.home);
  const plan = await planOf(turn, state);
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
      return waitThen(turn, stored, state, plan);
    case "go":
      return go(turn, stored, state, plan.request, plan.move);
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
  const permission = isBuiltIn(command.action) ? PERMISSION_OF[command.action] : undefined;
  const closed = refusalOf(site.configuration, {
    command: command.action,
    ...(permission && { permissions: [permission] }),
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
