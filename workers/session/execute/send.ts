/**
 * The last steps of a command that sends something: by a request of the text browser, or by the site's own connected script.
 * A receipt is begun before what it is for leaves, and settled once it is known what came of it (once.ts).
 */
import type { Effect } from "../../../schemas/action.ts";
import type { ReceiptRecord } from "../../../schemas/receipt.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import { type CookieJar, openCookieJar } from "../../../src/browser/cookie-jar.ts";
import type { CommandFailure } from "../../../src/browser/plan.ts";
import type { Sends } from "../../../src/browser/sends.ts";
import type { PageRequest } from "../../../src/browser/submission.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { StoredRecord } from "../../../src/stores/records.ts";
import type { TaskFailure } from "../../../src/threads/thread-tasks.ts";
import {
  type FailedNavigation,
  fetchSessionPage,
  type LoadedPage,
  type NavigationOutcome,
} from "../pages/fetch-page.ts";
import { answerOfScript, type ScriptReply } from "../script-answer.ts";
import type { ScriptCallResult } from "../scripts.ts";
import { closedTo, type Execution, readingOf, STORE_MS } from "./execution.ts";
import { answeredReceipt, beginReceipt, digestOfParts, finishReceipt, GRACE_MS, newReceipt } from "./once.ts";
import {
  type ActionResultInput,
  type CommandOutcome,
  type CommandReply,
  done,
  doneByScript,
  withReceipt,
} from "./result.ts";
import { type StepResult, Steps } from "./steps.ts";

/** What every step of an attempt is given. */
export interface SendContext {
  execution: Execution;
  stored: StoredRecord<SessionRecord>;
}

/** A request that the page's own links and forms make. */
export interface PageDeed {
  by: "page";
  request: PageRequest;
  move: "push" | "back";
  sends?: Sends | undefined;
}

/** An action of the site's own script. */
export interface ScriptDeed {
  by: "script";
  effect: Effect;
  /** Why the text browser cannot do it, for a site without a script. */
  why: string;
}

// ---------------------------------------------------------------- by a request
type PageAttempt = SendContext & { deed: PageDeed };

interface Begun {
  /** Of a request that changes the site: written when it leaves. */
  receipt: ReceiptRecord | undefined;
  /** Revision of the record that is marked as busy. */
  held: number;
}

interface Came {
  outcome: NavigationOutcome;
  jar: CookieJar;
  /** Whether the receipt was written: the request may have left. */
  isWritten: boolean;
}

/** Frees the session. @returns undefined when another command took it over */
const release = (
  { execution, stored, held }: PageAttempt & Begun,
  jar: CookieJar,
  change: Partial<SessionRecord> = {},
): Promise<number | undefined> =>
  execution.deps.sessions.records.compareAndSet(
    stored.value.sessionId,
    { ...stored.value, cookies: jar.stored() as never, ...change, busy: null },
    held,
  );

/** Failures after which the site had answered all the same. */
const ANSWERED: ReadonlySet<CommandFailure> = new Set([
  "redirect_refused",
  "too_many_redirects",
  "unsupported_content",
]);

/** A page came, and no thread could read it in its time: the session stays where it was. */
const unread = ({ reply, method }: LoadedPage, failure: TaskFailure): FailedNavigation => ({
  kind: "failed",
  code: failure.code === "unavailable" ? "worker_busy" : "page_too_costly",
  message: `The page came, and was not read. ${failure.detail}`,
  url: reply.url,
  sent: method === "POST",
  ...(failure.retryAfterSeconds && { retryAfterSeconds: failure.retryAfterSeconds }),
});

/** Entries of a session's history. */
const MAX_HISTORY = 30;

export const sendByPage = Steps.of<PageAttempt>().add(begin).add(sendRequest).last(settle);

// ---------------------------------------------------------------- by the site's script
type ScriptAttempt = SendContext & { deed: ScriptDeed };

const SCRIPT_TIMEOUT_MS = 10_000;

type AskedAttempt = ScriptAttempt & Pick<Begun, "receipt"> & { asked: ScriptCallResult<ScriptReply> };

export const sendByScript = Steps.of<ScriptAttempt>().add(beginScript).add(askScript).last(settleScript);

/** Marks the session as busy: no other command can act on it meanwhile. */
async function begin({ execution, stored, deed }: PageAttempt): Promise<StepResult<Begun>> {
  const { deps, command, deadline } = execution;
  const { value: record, revision } = stored;
  const effect = deed.sends?.effect === "read" ? undefined : deed.sends;
  const receipt = effect && newReceipt(execution, record, effect, deed.request);
  const busy = {
    holder: `${deps.holder}-${uuidv7()}`,
    until: deadline + GRACE_MS,
    action: command.action,
    ...(receipt && { receiptId: receipt.receiptId }),
  };
  const next = { ...record, busy };
  const held = await deps.sessions.records.compareAndSet(record.sessionId, next, revision);
  return held === undefined ? { end: "again" } : { next: { receipt, held } };
}

/** The requests of one command, bounded by its deadline and by what the owner of each host permits; the receipt goes before. */
async function sendRequest(attempt: PageAttempt & Begun): Promise<StepResult<Came>> {
  const { execution, stored, deed, receipt } = attempt;
  const { deps, site, command, deadline } = execution;
  const { value: record } = stored;
  let refused: CommandReply | undefined;
  let isWritten = false;
  const effect = receipt && {
    before: async () => {
      refused = await beginReceipt(execution, receipt, record.page);
      isWritten = refused === undefined;
      return isWritten;
    },
    answered: (status: number, location: string | undefined) =>
      answeredReceipt(execution, receipt, status, location),
  };
  const jar = openCookieJar(record.cookies as never);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.max(0, deadline - deps.now() - STORE_MS));
  const came = await fetchSessionPage(deps.fetching, deed.request, {
    siteId: site.siteId,
    jar,
    asker: record.licenseHash,
    effect,
    referrer: record.page ? new URL(record.page.url) : undefined,
    closed: closedTo(site, command.action, deed.request.method),
    signal: controller.signal,
  }).finally(() => clearTimeout(timer));
  const outcome = refused ?? came;
  if (!(outcome instanceof Failure) && "kind" in outcome) return { next: { outcome, jar, isWritten } };
  await release(attempt, jar);
  return { end: outcome };
}

async function settle(attempt: PageAttempt & Begun & Came): Promise<CommandOutcome> {
  const { execution, receipt: begun, isWritten, outcome } = attempt;
  const receipt = begun && isWritten ? await settleReceipt(execution, begun, outcome) : undefined;
  return withReceipt(await arrive(attempt, receipt), receipt, execution.deps.now());
}

/** What the receipt says once the requests have ended. @returns undefined where nothing was sent */
async function settleReceipt(
  execution: Execution,
  receipt: ReceiptRecord,
  outcome: NavigationOutcome,
): Promise<ReceiptRecord | undefined> {
  const { receipts } = execution.deps;
  if (outcome.kind === "page") {
    const { status, body, url } = outcome.reply;
    return finishReceipt(execution, receipt, { status, body, finalUrl: url });
  }
  if (!outcome.sent) {
    await receipts.forget(receipt);
    return undefined;
  }
  if (ANSWERED.has(outcome.code))
    return finishReceipt(execution, receipt, { status: null, body: undefined, finalUrl: outcome.url });
  // Answered, and broken off where it led: it was taken.
  const { state } = (await receipts.records.get(receipt.receiptId))?.value ?? receipt;
  return receipts.change(receipt.receiptId, { state: state === "sent" ? "done" : "unknown" });
}

/** Stores the page that came with the session, in one write. @param receipt as settled */
async function arrive(
  attempt: PageAttempt & Begun & Came,
  receipt: ReceiptRecord | undefined,
): Promise<CommandReply> {
  const { execution, stored, deed, outcome, jar } = attempt;
  const { deps } = execution;
  const { value: record } = stored;
  // The session stays on the page that it was sent from: not to be sent from there again.
  const stays = receipt && record.page && { receiptId: receipt.receiptId, pageId: record.page.pageId };
  const failedWith = async (failure: FailedNavigation): Promise<CommandReply> => {
    await release(attempt, jar, stays ? { unfinished: stays } : {});
    return failureResult(record, failure);
  };
  if (outcome.kind === "failed") return failedWith(outcome);
  const { reply, method, redirects } = outcome;
  const read = await deps.reader.load(reply, readingOf(execution));
  if (read instanceof Failure) return failedWith(unread(outcome, read));
  const { pageId, shown } = read;
  const change = navigated(record, { pageId, url: reply.url, method }, deed.move);
  if ((await release(attempt, jar, change)) === undefined) {
    await deps.sessions.pages.remove(pageId);
    return fail("rate_limited", "The session was taken over by another command.", { retryAfterSeconds: 1 });
  }
  if (record.page) await deps.sessions.pages.remove(record.page.pageId);
  const ok = reply.status < 400;
  const sent = receipt !== undefined || method === "POST" || deed.request.method === "POST";
  const message = `The page answered ${reply.status}.`;
  const error = { code: "http_status", message, ...(sent && { request_sent: true }) };
  return done({ ...shown, redirects, ...(!ok && { error }) }, ok);
}

function failureResult(
  { page }: SessionRecord,
  { code, message, url, sent, retryAfterSeconds }: FailedNavigation,
): ActionResultInput {
  const error = {
    code,
    message,
    at: url,
    ...(sent && { request_sent: true }),
    ...(retryAfterSeconds && { retry_after_seconds: retryAfterSeconds }),
  };
  return done({ url: page?.url, error }, false);
}

/** What changes in the record when another page is open. */
function navigated(
  { page: left, history }: SessionRecord,
  page: NonNullable<SessionRecord["page"]>,
  move: PageDeed["move"],
): Partial<SessionRecord> {
  const pushed = left
    ? [...history, { url: left.url.slice(0, 2_048), method: left.method }].slice(-MAX_HISTORY)
    : history;
  return { page, history: move === "back" ? history.slice(0, -1) : pushed, fields: {}, offset: 0 };
}

/**
 * Anything but reading gets a receipt. Once the script has been asked, the receipt stays and the Idempotency-Key is spent,
 * whatever it answers: it is the site's word, and the site is not who it protects.
 */
async function beginScript({
  execution,
  stored: { value: record },
  deed: { effect },
}: ScriptAttempt): Promise<StepResult<Pick<Begun, "receipt">>> {
  if (effect === "read") return { next: { receipt: undefined } };
  const receipt = newReceipt(execution, record, { effect, total: null }, undefined);
  const end = await beginReceipt(execution, receipt, record.page);
  return end ? { end } : { next: { receipt } };
}

async function askScript({
  execution: { deps, site, command, deadline },
  stored: { value: record },
}: ScriptAttempt): Promise<StepResult<{ asked: ScriptCallResult<ScriptReply> }>> {
  const timeoutMs = Math.max(100, Math.min(SCRIPT_TIMEOUT_MS, deadline - deps.now() - STORE_MS));
  const { action, target, value, context } = command;
  const url = record.page?.url ?? null;
  const wanted = { type: "execute", action, target, value, context, url } as const;
  return { next: { asked: await deps.scripts.execute(site.siteId, wanted, timeoutMs) } };
}

async function settleScript(attempt: AskedAttempt): Promise<CommandOutcome> {
  const { execution, receipt, asked } = attempt;
  const executed = scriptResult(attempt);
  const kept = receipt && (await settledScript(execution, receipt, asked, executed));
  return withReceipt(executed, kept, execution.deps.now());
}

function scriptResult({ execution, stored, deed, receipt, asked }: AskedAttempt): ActionResultInput {
  const url = stored.value.page?.url;
  // It may have changed the site.
  const sent = receipt && { request_sent: true as const };
  if (asked.kind === "answered") {
    const { result, error } = answerOfScript(asked.value, execution.site.home.hostname, url);
    return doneByScript(result, error && { ...error, ...sent });
  }
  const error =
    asked.kind === "none"
      ? { code: "requires_script", message: `${deed.why} No script of the site is connected.` }
      : { code: "script_failed", message: asked.message, ...sent };
  return done({ ...(url && { url }), error }, false);
}

/** What the receipt says of it: done where the script says so; else nobody knows. */
async function settledScript(
  execution: Execution,
  receipt: ReceiptRecord,
  asked: ScriptCallResult<ScriptReply>,
  { success, result }: ActionResultInput,
): Promise<ReceiptRecord | undefined> {
  const { receipts, now } = execution.deps;
  // Nobody was asked: nothing was sent.
  if (asked.kind === "none") return void (await receipts.forget(receipt));
  const body = new TextEncoder().encode(JSON.stringify(result));
  if (success) return finishReceipt(execution, receipt, { status: null, body, finalUrl: null });
  return receipts.change(receipt.receiptId, {
    state: "unknown",
    finishedAt: new Date(now()).toISOString(),
    ...(asked.kind === "answered" && { replyHash: digestOfParts(body) }),
  });
}
