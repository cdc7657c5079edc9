/**
 * `execute`: one command of one session at a time, attempted until no other writer was first. An attempt is a table of steps:
 * permit, plan, rehearse (where only that is asked for), decide, agree, send (send.ts: begin, send, settle).
 */
import { randomBytes } from "node:crypto";
import { type Effect, stronger } from "../../../schemas/action.ts";
import { type SiteConfiguration, type SitePermission, SitePermissions } from "../../../schemas/license.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import { effectOfWords } from "../../../src/browser/effect-words.ts";
import { isNavigation, planNavigation } from "../../../src/browser/navigation.ts";
import type { BuiltIn, CommandFailure, CommandPlan, SessionChange } from "../../../src/browser/plan.ts";
import { failedPlan } from "../../../src/browser/plan.ts";
import { configurationRefusal } from "../../../src/domain/listing/site-configuration.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { StoredRecord } from "../../../src/stores/records.ts";
import type { session } from "../contract.ts";
import type { SessionDeps } from "../deps.ts";
import { refusalsOf } from "../pages/fetch-page.ts";
import { sessionEnded, siteOfSession } from "../session-site.ts";
import { allowsAt } from "../site.ts";
import { unagreed } from "./confirm.ts";
import { closedTo, type Execution, permissionsOfAction, readingOf, STORE_MS } from "./execution.ts";
import { earlierResult, sentBefore, settleInterrupted, unfinishedOn } from "./once.ts";
import { type CommandOutcome, type CommandReply, denied, done, dryRunOf, withMembers } from "./result.ts";
import { type PageDeed, type ScriptDeed, type SendContext, sendByPage, sendByScript } from "./send.ts";
import { type StepResult, Steps } from "./steps.ts";

// ---------------------------------------------------------------- the command

export const execute =
  (deps: SessionDeps): Handlers<typeof session>["executeAction"] =>
  async ({ body }, context) => {
    const { dry_run: dryRun, confirm_total, confirm_unknown_total, max_total, ...command } = body;
    const agreement = { confirm_total, confirm_unknown_total, max_total };
    const { sessionId, licenseId, agentId, accountId } = context.principal;
    const agent = { licenseId, agentId, accountId };
    const deadline = deps.now() + context.timeoutMs;
    const work = async () => {
      const found = await siteOfSession(deps, sessionId);
      if (found instanceof Failure) return found;
      const { site, stored } = found;
      const { once } = context;
      const execution = { deps, site, command, dryRun, agreement, once, agent, deadline, caller: context };
      return executeCommand(execution, stored);
    };
    const executed = await deps.bySession.run(sessionId, work);
    return executed === "full"
      ? fail("rate_limited", "Too many commands of this session are waiting.", { retryAfterSeconds: 1 })
      : executed;
  };

/** Of a command: it opens the home page at most once, and meets other writers else. */
const MAX_ATTEMPTS = 6;

/** @param now the record as it was read when this command began in this process */
async function executeCommand(execution: Execution, now: StoredRecord<SessionRecord>): Promise<CommandReply> {
  const { site, command } = execution;
  const missing = permissionsOfAction(command.action).find((each) => !site.configuration.permissions[each]);
  if (missing) return denied(site, missing);
  const closed = configurationRefusal(site.configuration, { command: command.action });
  if (closed) return fail("permission_denied", closed);
  const before = execution.dryRun ? undefined : await sentBefore(execution, now.value.page);
  if (before) return before;
  let interrupted: string | undefined;
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const found = await freeRecord(execution, now.value.sessionId, attempts === 0 ? now : undefined);
    if (found === "expired") return sessionEnded("expired");
    if (found === "busy") break;
    interrupted ??= found.interrupted;
    const stored = found.interrupted ? await settleInterrupted(execution, found.stored) : found.stored;
    const executed = stored ? await attempt({ execution, stored }) : "again";
    if (executed === "again") continue;
    if (executed instanceof Failure || !interrupted || executed.outcome === "dry_run") return executed;
    const message = "A worker stopped during this action: it may have been done.";
    return withMembers(executed, { interrupted: { action: interrupted, message } });
  }
  return fail("rate_limited", "Other commands of this session are under way.", { retryAfterSeconds: 1 });
}

/** The record once no other worker acts on it, with the action of one that died while it acted. */
async function freeRecord(
  { deps, deadline }: Execution,
  sessionId: string,
  known: StoredRecord<SessionRecord> | undefined,
) {
  for (let seen = known; ; seen = undefined) {
    const stored = seen ?? (await deps.sessions.find(sessionId));
    if (!stored) return "expired" as const;
    const { busy } = stored.value;
    if (!busy) return { stored, interrupted: undefined };
    if (busy.until <= deps.now()) return { stored, interrupted: busy.action };
    if (deps.now() > deadline - STORE_MS) return "busy" as const;
    await deps.clock.sleep(25 + Math.random() * 50);
  }
}

// ---------------------------------------------------------------- permit

/** Commands that leave a page, or leave it alone: they stay allowed on a page that its owner closed meanwhile. */
const LEAVING: ReadonlySet<string> = new Set<BuiltIn>(["navigate", "back", "wait"]);

interface Permitted {
  /** What the owner of the open page's host says of it, if somebody does. */
  here: SiteConfiguration | undefined;
}

async function permit({ execution, stored }: SendContext): Promise<StepResult<Permitted>> {
  const { action } = execution.command;
  const page = stored.value.page && new URL(stored.value.page.url);
  const here = page ? await execution.site.configurationAt(page) : undefined;
  if (!page || !here || LEAVING.has(action)) return { next: { here } };
  const asked = { command: action, permissions: permissionsOfAction(action), path: page.pathname };
  const refused = configurationRefusal(here, asked);
  return refused ? { end: fail("permission_denied", refused) } : { next: { here } };
}

// ---------------------------------------------------------------- plan

/** A plan, or that the site's own script carries the command out. */
type Planned = CommandPlan | { kind: "script"; effect: Effect; why?: string };

type Allows = (permission: SitePermission) => boolean;

/** Longest wait for the list of actions of a site's script. */
const SCRIPT_LIST_MS = 1_000;

/** An action that neither the document nor the page lists: the site's connected script may. */
async function planListed({ deps, site, command }: Execution, allows: Allows): Promise<Planned> {
  const scripts = await deps.scripts.actions(site.siteId, SCRIPT_LIST_MS);
  const listed = scripts?.find(({ name }) => name === command.action);
  if (!listed) return failedPlan("unknown_action", "Neither built in nor listed by GET /api/bridge/actions.");
  const missing = listed.permissions_required.find((permission) => !allows(permission as SitePermission));
  if (missing) return { kind: "denied", permission: missing as SitePermission };
  const { name, description, category } = listed;
  const effect = stronger(listed.effect, effectOfWords(`${name} ${description}`, category));
  return { kind: "script", effect };
}

const PERMISSIONS = Object.keys(SitePermissions.shape) as SitePermission[];

/** What the command means: navigation is planned here, everything else in a thread, on the session's page. */
async function plan({
  execution,
  stored: { value: record },
  here,
}: SendContext & Permitted): Promise<StepResult<{ plan: Planned }>> {
  const { deps, site, command } = execution;
  const { page, fields, offset, history } = record;
  // The owner of the page that is left has no say in where to: the owner of the host that is asked has.
  if (isNavigation(command.action)) {
    const location = { home: site.home, page: page ? { url: new URL(page.url) } : undefined, history };
    return { next: { plan: planNavigation(command.action, command, location, (each) => site.allows(each)) } };
  }
  const allows = allowsAt(site, here);
  const job = {
    url: page?.url,
    home: site.home.href,
    fields,
    offset,
    command,
    permitted: PERMISSIONS.filter(allows),
    declared: site.declared,
    boundary: `bridge-${randomBytes(16).toString("hex")}`,
  };
  const found = await deps.reader.plan(page?.pageId, job, readingOf(execution));
  if (!(found instanceof Failure)) {
    return { next: { plan: found.kind === "unlisted" ? await planListed(execution, allows) : found } };
  }
  if (found.code === "unavailable") return { end: fail("unavailable", found.detail, found) };
  return { next: { plan: failedPlan("page_too_costly", `The command on this page: ${found.detail}`) } };
}

/** What takes a script engine is done by the site's own script, where one is connected. */
const orByScript = (planned: Planned): Planned =>
  planned.kind === "failed" && planned.code === "requires_script"
    ? { kind: "script", effect: planned.effect ?? "write", why: planned.message }
    : planned;

type Planning = SendContext & { plan: Planned };

// ---------------------------------------------------------------- rehearse

/** Tells what a command would do; what cannot be planned fails as it would. */
async function rehearse({ execution, stored, plan: planned }: Planning): Promise<StepResult<object>> {
  const { deps, site, command, dryRun } = execution;
  const plan = orByScript(planned);
  if (!dryRun || plan.kind === "denied" || plan.kind === "failed") return { next: {} };
  const request = plan.kind === "go" ? plan.request : plan.kind === "wait" ? plan.next : undefined;
  const asked = request && { url: request.url, closed: closedTo(site, command.action, request.method) };
  const navigation = { siteId: site.siteId, asker: stored.value.licenseHash };
  const [refusal] = asked ? await refusalsOf(deps.fetching, [asked], navigation) : [];
  return { end: refusal ? fail("permission_denied", refusal.detail) : dryRunOf(stored.value, plan) };
}

// ---------------------------------------------------------------- decide

/** Stores a change that no request was needed for. @returns false when another writer was first */
async function store(
  { execution, stored }: SendContext,
  { fields, offset, url }: SessionChange,
): Promise<boolean> {
  const { value, revision } = stored;
  // Compare-and-set, not update: the plan was made on this very revision and would have to be made anew.
  if (!fields && offset === undefined && !url && !value.busy) return true;
  const next: SessionRecord = {
    ...value,
    busy: null,
    ...(fields && { fields: fields as SessionRecord["fields"] }),
    ...(offset !== undefined && { offset }),
    ...(url && value.page && { page: { ...value.page, url: url.slice(0, 2_048) } }),
  };
  const { records } = execution.deps.sessions;
  return (await records.compareAndSet(value.sessionId, next, revision)) !== undefined;
}

const OWN = "The action is the site's own.";

/** What is to be sent; what takes nothing of the site is done here. */
async function decide(attempt: Planning): Promise<StepResult<{ deed: PageDeed | ScriptDeed }>> {
  const { execution, stored } = attempt;
  const { page } = stored.value;
  const url = page && { url: page.url };
  const plan = orByScript(attempt.plan);
  switch (plan.kind) {
    case "denied":
      return { end: denied(execution.site, plan.permission) };
    case "failed": {
      const { code, message, faults } = plan;
      return { end: done({ ...url, error: { code, message, ...(faults && { faults }) } }, false) };
    }
    case "done":
      return { end: (await store(attempt, plan.change)) ? done(plan.result) : "again" };
    case "wait":
      await execution.deps.clock.sleep(plan.ms);
      if (!plan.next) return { end: done({ ...url, waited_ms: plan.ms }) };
      if (!execution.site.allows("navigate")) return { end: denied(execution.site, "navigate") };
      return { next: { deed: { by: "page", request: plan.next, move: "push" } } };
    case "go":
      return { next: { deed: { by: "page", request: plan.request, move: plan.move, sends: plan.sends } } };
    case "script":
      return { next: { deed: { by: "script", effect: plan.effect, why: plan.why ?? OWN } } };
  }
}

// ---------------------------------------------------------------- agree

type Deciding = SendContext & { deed: PageDeed | ScriptDeed };

/** An effect is not sent that left this page before, or that was not agreed to. */
async function agree({ execution, stored, deed }: Deciding): Promise<StepResult<object>> {
  const { agreement, site } = execution;
  const above = site.configuration.restrictions.confirm_above;
  if (deed.by === "script") {
    // What a script costs is shown nowhere: an agent's own limit holds whatever the site calls the action.
    const effect = agreement.max_total === undefined ? deed.effect : "purchase";
    const refused = unagreed({ effect, total: null }, agreement, above);
    return refused ? { end: refused } : { next: {} };
  }
  if (!deed.sends || deed.sends.effect === "read") return { next: {} };
  const sent = await unfinishedOn(execution, stored.value, deed.request.url);
  if (sent) return { end: earlierResult(execution, sent, stored.value.page) };
  const refused = unagreed(deed.sends, agreement, above);
  return refused ? { end: refused } : { next: {} };
}

const send = ({ deed, ...attempt }: Deciding): Promise<CommandOutcome> =>
  deed.by === "page" ? sendByPage({ ...attempt, deed }) : sendByScript({ ...attempt, deed });

// ---------------------------------------------------------------- an attempt

const STEPS = Steps.of<SendContext>().add(permit).add(plan).add(rehearse).add(decide).add(agree).last(send);

/** Why a session without a page could not do something that it may be able to do on the home page. */
const FOR_WANT_OF_A_PAGE: ReadonlySet<unknown> = new Set<CommandFailure>([
  "no_page",
  "unknown_action",
  "requires_script",
]);

/** Opens the home page for a session that has none, as its own `navigate` would. */
async function openHome({ execution, stored }: SendContext): Promise<CommandOutcome> {
  const { site } = execution;
  const command = { action: "navigate", target: site.home.href };
  const refused = configurationRefusal(site.configuration, { command: command.action });
  if (refused) return fail("permission_denied", refused);
  if (!site.allows("navigate")) return denied(site, "navigate");
  const deed = { by: "page", request: { method: "GET", url: site.home }, move: "push" } as const;
  return sendByPage({ execution: { ...execution, command, once: undefined }, stored, deed });
}

/**
 * One attempt on the record as it is now.
 * @returns "again" when another writer was first, or when the home page was opened, where the command may be possible
 */
async function attempt({ execution, stored }: SendContext): Promise<CommandOutcome> {
  const context: SendContext & { plan?: Planned } = { execution, stored };
  const executed = await STEPS(context);
  if (stored.value.page || executed === "again" || executed instanceof Failure) return executed;
  const { error, by } = executed.result as { error?: { code: string }; by?: string };
  if (by === "script" || !FOR_WANT_OF_A_PAGE.has(error?.code)) return executed;
  const opened = await openHome({ execution, stored });
  if (opened === "again" || (!(opened instanceof Failure) && opened.success)) return "again";
  return context.plan?.kind === "script" ? executed : opened;
}
