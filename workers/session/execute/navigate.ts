/** Sends a request for a session that no other command can act on meanwhile, and stores the page that comes. */
import type { SitePermission } from "../../../schemas/license.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import { type CookieJar, openCookieJar } from "../../../src/browser/cookie-jar.ts";
import { isBuiltIn } from "../../../src/browser/plan.ts";
import type { PageRequest } from "../../../src/browser/submission.ts";
import { refusalOf } from "../../../src/domain/listing/site-configuration.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Stored } from "../../../src/stores/records.ts";
import type { TaskFailure } from "../../../src/threads/thread-tasks.ts";
import { type FailedNavigation, fetchPage, type LoadedPage } from "../pages/fetch-page.ts";
import { type ActionResult, done, type Executed } from "./result.ts";
import { permissionsOfAction, readingOf, STORE_MS, type Turn } from "./turn.ts";

/** Entries of a session's history. */
const MAX_HISTORY = 30;
/** A command's time beyond its deadline before another worker may take the session. */
const GRACE_MS = 5_000;

/** What the owner of every host that a request goes to must permit: what the command needs, or the form behind its name. */
const neededFor = (action: string, { method }: PageRequest): SitePermission[] => {
  if (action === "wait") return ["navigate"];
  if (isBuiltIn(action)) return permissionsOfAction(action);
  return method === "POST" ? ["fillForms"] : [];
};

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

/** The requests of one command: bounded by its deadline, and by what the owner of each host permits. */
const request = async (turn: Turn, record: SessionRecord, first: PageRequest, jar: CookieJar) => {
  const { deps, site, command, deadline } = turn;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.max(0, deadline - deps.now() - STORE_MS));
  try {
    return await fetchPage(deps.fetching, first, {
      siteId: site.siteId,
      jar,
      asker: record.licenceHash,
      referrer: record.page ? new URL(record.page.url) : undefined,
      closed: async (url) =>
        refusalOf(await site.configurationAt(url), {
          command: command.action,
          permissions: neededFor(command.action, first),
          path: url.pathname,
        }),
      signal: controller.signal,
    });
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Marks the session as busy, sends the request, and stores the page with the session in one write.
 * @returns "again" when another writer was first: nothing was sent
 */
export const navigate = async (
  turn: Turn,
  { value: record, revision }: Stored<SessionRecord>,
  first: PageRequest,
  move: "push" | "back",
): Promise<Executed | "again"> => {
  const { deps, command, deadline } = turn;
  const { records, pages } = deps.sessions;
  const busy = { holder: `${deps.holder}-${uuidv7()}`, until: deadline + GRACE_MS, action: command.action };
  const held = await records.compareAndSet(record.sessionId, { ...record, busy }, revision);
  if (held === undefined) return "again";
  const jar = openCookieJar(record.cookies as never);
  const release = (change: Partial<SessionRecord> = {}) =>
    records.compareAndSet(
      record.sessionId,
      { ...record, cookies: jar.stored() as never, ...change, busy: null },
      held,
    );
  const outcome = await request(turn, record, first, jar);
  if (outcome instanceof Failure || outcome.kind === "failed") {
    await release();
    return outcome instanceof Failure ? outcome : failureResult(record, outcome);
  }
  const { reply, method, redirects } = outcome;
  const read = await deps.reader.load(reply, readingOf(turn));
  if (read instanceof Failure) {
    await release();
    return failureResult(record, unread(outcome, read));
  }
  const { pageId, shown } = read;
  const stored = await release(navigated(record, { pageId, url: reply.url, method }, move));
  if (stored === undefined) {
    await pages.remove(pageId);
    return fail("rate_limited", "The session was taken over by another command.", { retryAfterSeconds: 1 });
  }
  if (record.page) await pages.remove(record.page.pageId);
  const ok = reply.status < 400;
  const sent = method === "POST" || first.method === "POST";
  const message = `The page answered ${reply.status}.`;
  const error = { code: "http_status", message, ...(sent && { request_sent: true }) };
  return done({ ...shown, redirects, ...(!ok && { error }) }, ok);
};
