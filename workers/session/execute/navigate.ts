/** Sends a request for a session that no other command can act on meanwhile, and stores the page that comes. */
import type { ReceiptRecord } from "../../../schemas/receipt.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import { type CookieJar, openCookieJar } from "../../../src/browser/cookie-jar.ts";
import type { CommandFailure } from "../../../src/browser/plan.ts";
import type { Sends } from "../../../src/browser/sends.ts";
import type { PageRequest } from "../../../src/browser/submission.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Stored } from "../../../src/stores/records.ts";
import type { TaskFailure } from "../../../src/threads/thread-tasks.ts";
import {
  type FailedNavigation,
  fetchPage,
  type LoadedPage,
  type NavigationOutcome,
  type SentEffect,
} from "../pages/fetch-page.ts";
import { receiptOf } from "../receipts/receipt.ts";
import { unagreed } from "./confirm.ts";
import {
  answeredReceipt,
  answerOf,
  beginReceipt,
  finishReceipt,
  GRACE_MS,
  newReceipt,
  unfinishedOn,
} from "./once.ts";
import { type ActionResult, done, type Executed } from "./result.ts";
import { closedTo, readingOf, STORE_MS, type Turn } from "./turn.ts";

/** Entries of a session's history. */
const MAX_HISTORY = 30;
/** A page came, and no thread could read it in its time: the session stays where it was. */
const unread = ({ reply, method }: LoadedPage, failure: TaskFailure): FailedNavigation => ({
  kind: "failed",
  code: failure.code === "unavailable" ? "worker_busy" : "page_too_costly",
  message: `The page came, and was not read. ${failure.detail}`,
  url: reply.url,
  sent: method === "POST",
  ...(failure.retryAfterSeconds && { retryAfterSeconds: failure.retryAfterSeconds }),
});

const failureResult = (
  { page }: SessionRecord,
  { code, message, url, sent, retryAfterSeconds }: FailedNavigation,
): ActionResult =>
  done(
    {
      url: page?.url,
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

/** What changes in the record when another page is open. */
const navigated = (
  { page: left, history }: SessionRecord,
  page: NonNullable<SessionRecord["page"]>,
  move: "push" | "back",
): Partial<SessionRecord> => {
  const pushed = left
    ? [...history, { url: left.url.slice(0, 2_048), method: left.method }].slice(-MAX_HISTORY)
    : history;
  return { page, history: move === "back" ? history.slice(0, -1) : pushed, fields: {}, offset: 0 };
};

/** Where a plan leads, and what it would send. */
export interface Going {
  request: PageRequest;
  move: "push" | "back";
  sends?: Sends | undefined;
}

/** The requests of one command: bounded by its deadline, and by what the owner of each host permits. */
const request = async (
  turn: Turn,
  record: SessionRecord,
  { request: first }: Going,
  jar: CookieJar,
  effect: SentEffect | undefined,
) => {
  const { deps, site, command, deadline } = turn;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.max(0, deadline - deps.now() - STORE_MS));
  try {
    return await fetchPage(deps.fetching, first, {
      siteId: site.siteId,
      jar,
      asker: record.licenceHash,
      effect,
      referrer: record.page ? new URL(record.page.url) : undefined,
      closed: closedTo(site, command.action, first.method),
      signal: controller.signal,
    });
  } finally {
    clearTimeout(timer);
  }
};

/** Failures after which the site had answered all the same. */
const ANSWERED: ReadonlySet<CommandFailure> = new Set([
  "redirect_refused",
  "too_many_redirects",
  "unsupported_content",
]);

/** What the receipt says once the requests have ended. @returns undefined where nothing was sent */
const settleReceipt = async (
  turn: Turn,
  receipt: ReceiptRecord,
  outcome: NavigationOutcome,
): Promise<ReceiptRecord | undefined> => {
  const { receipts } = turn.deps;
  if (outcome.kind === "page") {
    const { status, body, url } = outcome.reply;
    return finishReceipt(turn, receipt, { status, body, finalUrl: url });
  }
  if (!outcome.sent) {
    await receipts.forget(receipt);
    return undefined;
  }
  if (ANSWERED.has(outcome.code))
    return finishReceipt(turn, receipt, { status: null, body: undefined, finalUrl: outcome.url });
  // Answered, and broken off where it led: it was taken.
  const { state } = (await receipts.records.get(receipt.receiptId))?.value ?? receipt;
  return receipts.change(receipt.receiptId, { state: state === "sent" ? "done" : "unknown" });
};

/** Why an effect is not sent: it left this page before, or was not agreed to. */
const stoppedBefore = async (
  turn: Turn,
  record: SessionRecord,
  { request: { url } }: Going,
  sends: Sends,
): Promise<Executed | undefined> => {
  const sent = await unfinishedOn(turn, record, url);
  if (sent) return answerOf(turn, sent, record.page);
  return unagreed(sends, turn.agreement, turn.site.configuration.restrictions.confirm_above);
};

const withReceipt = (
  executed: ActionResult,
  receipt: ReceiptRecord | undefined,
  now: number,
): ActionResult =>
  receipt
    ? ({ ...executed, result: { ...executed.result, receipt: receiptOf(receipt, now) } } as ActionResult)
    : executed;

/** Stores what came. @param held revision of the record that is marked as busy */
const arrive = async (
  turn: Turn,
  record: SessionRecord,
  held: number,
  { move, request: first }: Going,
  outcome: NavigationOutcome,
  { jar, receipt }: { jar: CookieJar; receipt: ReceiptRecord | undefined },
): Promise<Executed> => {
  const { deps } = turn;
  const { records, pages } = deps.sessions;
  const release = (change: Partial<SessionRecord>) =>
    records.compareAndSet(
      record.sessionId,
      { ...record, cookies: jar.stored() as never, ...change, busy: null },
      held,
    );
  // The session stays on the page that it was sent from: not to be sent from there again.
  const stays = receipt && record.page && { receiptId: receipt.receiptId, pageId: record.page.pageId };
  const failedWith = async (failure: FailedNavigation): Promise<Executed> => {
    await release(stays ? { unfinished: stays } : {});
    return failureResult(record, failure);
  };
  if (outcome.kind === "failed") return failedWith(outcome);
  const { reply, method, redirects } = outcome;
  const read = await deps.reader.load(reply, readingOf(turn));
  if (read instanceof Failure) return failedWith(unread(outcome, read));
  const { pageId, shown } = read;
  const stored = await release(navigated(record, { pageId, url: reply.url, method }, move));
  if (stored === undefined) {
    await pages.remove(pageId);
    return fail("rate_limited", "The session was taken over by another command.", { retryAfterSeconds: 1 });
  }
  if (record.page) await pages.remove(record.page.pageId);
  const ok = reply.status < 400;
  const sent = receipt !== undefined || method === "POST" || first.method === "POST";
  const message = `The page answered ${reply.status}.`;
  const error = { code: "http_status", message, ...(sent && { request_sent: true }) };
  return done({ ...shown, redirects, ...(!ok && { error }) }, ok);
};

/**
 * Marks the session as busy, writes a receipt where the request has an effect, sends it, and stores the page with the
 * session in one write.
 * @returns "again" when another writer was first: nothing was sent
 */
export const navigate = async (
  turn: Turn,
  { value: record, revision }: Stored<SessionRecord>,
  going: Going,
): Promise<Executed | "again"> => {
  const { deps, command, deadline } = turn;
  const { records } = deps.sessions;
  const effect = going.sends?.effect === "read" ? undefined : going.sends;
  const stopped = effect && (await stoppedBefore(turn, record, going, effect));
  if (stopped) return stopped;
  const begun = effect && newReceipt(turn, record, effect, going.request);
  const busy = {
    holder: `${deps.holder}-${uuidv7()}`,
    until: deadline + GRACE_MS,
    action: command.action,
    ...(begun && { receiptId: begun.receiptId }),
  };
  const held = await records.compareAndSet(record.sessionId, { ...record, busy }, revision);
  if (held === undefined) return "again";
  let refused: Executed | undefined;
  let written: ReceiptRecord | undefined;
  const sending = begun && {
    before: async () => {
      refused = await beginReceipt(turn, begun, record.page);
      written = refused ? undefined : begun;
      return written !== undefined;
    },
    answered: (status: number, location: string | undefined) =>
      answeredReceipt(turn, begun, status, location),
  };
  const jar = openCookieJar(record.cookies as never);
  const came = await request(turn, record, going, jar, sending);
  const outcome = refused ?? came;
  if (outcome instanceof Failure || "outcome" in outcome) {
    await records.compareAndSet(
      record.sessionId,
      { ...record, cookies: jar.stored() as never, busy: null },
      held,
    );
    return outcome;
  }
  const receipt = written && (await settleReceipt(turn, written, outcome));
  const executed = await arrive(turn, record, held, going, outcome, { jar, receipt });
  return executed instanceof Failure ? executed : withReceipt(executed, receipt, deps.now());
};
