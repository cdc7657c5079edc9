/**
 * Effects at most once: a receipt is written before the request leaves, and changed when the site has answered. A receipt
 * that is found stops the request, whoever wrote it; one that nobody finished is of an unknown outcome.
 */
import { createHash } from "node:crypto";
import type { ReceiptRecord } from "../../../schemas/receipt.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import type { Sends } from "../../../src/browser/sends.ts";
import type { PageRequest } from "../../../src/browser/submission.ts";
import { fail } from "../../../src/rpc/errors.ts";
import type { StoredRecord } from "../../../src/stores/records.ts";
import { logReceipt } from "../receipts/handlers.ts";
import { receiptOf } from "../receipts/receipt.ts";
import { receiptIdOf } from "../receipts/store.ts";
import type { Execution } from "./execution.ts";
import { type CommandReply, done } from "./result.ts";

/** A command's time beyond its deadline before another worker may take the session. */
export const GRACE_MS = 5_000;
const MAX_URL_CHARS = 2_048;

/** What came of a request. */
export interface FinishedRequest {
  status: number | null;
  body: Uint8Array | undefined;
  finalUrl: string | null;
}

/** What a command is answered with whose Idempotency-Key has been sent to the site before. */
export async function sentBefore(
  execution: Execution,
  page: SessionRecord["page"],
): Promise<CommandReply | undefined> {
  const { deps, once, command } = execution;
  const record =
    once === undefined ? undefined : (await deps.receipts.records.get(receiptIdOf(once, 0)))?.value;
  if (!record) return undefined;
  const { commandHash = commandHashOf(record.receiptId, command) } = record;
  return commandHash === commandHashOf(record.receiptId, command)
    ? earlierResult(execution, record, page)
    : fail("idempotency_conflict", "This Idempotency-Key stands for another command. Take a new key.");
}

const commandHashOf = (receiptId: string, { action, target, value, context }: Execution["command"]): string =>
  digestOfParts(
    receiptId,
    JSON.stringify([action, target ?? null, value ?? null, Object.entries(context ?? {}).sort(byName)]),
  );

export function digestOfParts(...parts: (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** What is said of an effect that was sent before, or may have been. */
export function earlierResult(
  { deps }: Execution,
  record: ReceiptRecord,
  page: SessionRecord["page"],
): CommandReply {
  const now = deps.now();
  const { receiptId, effect, url, finalUrl, status } = record;
  if (isLost(record, now))
    return fail(
      "unknown_outcome",
      `A worker stopped or the connection broke while this ${effect} was sent to ${url}: the site may have taken it. It is not sent again. Look at the site's orders or your mail, and at receipt ${receiptId}.`,
    );
  if (record.state !== "done" && record.until >= now)
    return fail("idempotency_in_progress", "It is being sent right now.", { retryAfterSeconds: 1 });
  return done(
    {
      ...(page && { url: page.url }),
      already_done: true,
      ...(finalUrl !== null && { at: finalUrl }),
      ...(status !== null && { status }),
      receipt: receiptOf(record, now),
    },
    status === null || status < 400,
  );
}

const isLost = ({ state, until }: ReceiptRecord, now: number): boolean =>
  state === "unknown" || (state === "sending" && until < now);

/**
 * What a page's form may not be sent again for: a request to the same address left this very page, and nobody knows what
 * came of it, or the session was never told.
 */
export async function unfinishedOn(
  { deps }: Execution,
  { page, unfinished }: SessionRecord,
  url: URL | undefined,
): Promise<ReceiptRecord | undefined> {
  if (!unfinished || !page || unfinished.pageId !== page.pageId) return undefined;
  const record = (await deps.receipts.records.get(unfinished.receiptId))?.value;
  return record && (url === undefined || record.url === withoutQuery(url.href)) ? record : undefined;
}

/** An address as receipts hold it: what a form puts into a query is nobody's to keep. */
export function withoutQuery(url: string): string {
  const bare = new URL(url);
  bare.search = bare.hash = bare.username = bare.password = "";
  return bare.href.slice(0, MAX_URL_CHARS);
}

/**
 * Ends what a worker that died had begun: the session remembers which page it was sent from.
 * @returns the record as it is now, or undefined when another writer was first
 */
export async function settleInterrupted(
  { deps }: Execution,
  { value, revision }: StoredRecord<SessionRecord>,
): Promise<StoredRecord<SessionRecord> | undefined> {
  const { busy, page } = value;
  const receiptId = busy?.receiptId;
  if (receiptId === undefined) return { value, revision };
  const state = (await deps.receipts.records.get(receiptId))?.value.state;
  await deps.receipts.change(receiptId, { state: state === "sent" ? "done" : "unknown" });
  const next = { ...value, busy: null, ...(page && { unfinished: { receiptId, pageId: page.pageId } }) };
  const written = await deps.sessions.records.compareAndSet(value.sessionId, next, revision);
  return written === undefined ? undefined : { value: next, revision: written };
}

/** A new receipt for what is about to be sent. */
export function newReceipt(
  { deps, command, once, deadline, agent, site }: Execution,
  { sessionId, page, agent: opener }: SessionRecord,
  { effect, total }: Pick<Sends, "effect" | "total">,
  request: PageRequest | undefined,
): ReceiptRecord {
  const now = deps.now();
  const receiptId = receiptIdOf(once, now);
  const { method, href } = request
    ? { method: request.method, href: request.url.href }
    : { method: "SCRIPT" as const, href: page?.url ?? site.home.href };
  return {
    v: 1,
    receiptId,
    state: "sending",
    until: deadline + GRACE_MS,
    sessionId,
    siteId: site.siteId,
    licenseId: agent.licenseId,
    agentId: agent.agentId,
    accountId: agent.accountId,
    ...(opener && { byAgent: opener.agentId }),
    action: command.action,
    effect,
    total,
    method,
    url: withoutQuery(href),
    requestHash: digestOfParts(
      `${receiptId}\n${method} ${href}\n`,
      request?.body ?? (request ? "" : JSON.stringify(command)),
    ),
    commandHash: commandHashOf(receiptId, command),
    startedAt: new Date(now).toISOString(),
    finishedAt: null,
    status: null,
    replyHash: null,
    finalUrl: null,
    leafIndex: null,
  };
}

/** Charges and writes a receipt before its request is sent. @returns why nothing may be sent */
export async function beginReceipt(
  execution: Execution,
  receipt: ReceiptRecord,
  page: SessionRecord["page"],
): Promise<CommandReply | undefined> {
  const { deps, caller } = execution;
  const payer = { account: receipt.accountId, clientAddress: caller.clientAddress };
  const over = await deps.limiter.refusal("log_entries", payer);
  if (over) return over;
  if (await deps.receipts.begin(receipt)) return undefined;
  const other = (await deps.receipts.records.get(receipt.receiptId))?.value;
  if (other) return earlierResult(execution, other, page);
  return fail("idempotency_in_progress", "It is being sent right now.", { retryAfterSeconds: 1 });
}

/** The site has answered; where that leads is still to be read. */
export async function answeredReceipt(
  { deps }: Execution,
  { receiptId, url }: ReceiptRecord,
  status: number,
  location: string | undefined,
): Promise<void> {
  const to = location === undefined ? undefined : URL.parse(location, url);
  await deps.receipts.change(receiptId, {
    state: "sent",
    finishedAt: new Date(deps.now()).toISOString(),
    status,
    finalUrl: to ? withoutQuery(to.href) : null,
  });
}

/** The site answered: says so, for good, and logs it. */
export async function finishReceipt(
  { deps }: Execution,
  { receiptId }: ReceiptRecord,
  { status, body, finalUrl }: FinishedRequest,
): Promise<ReceiptRecord | undefined> {
  const record = await deps.receipts.change(receiptId, {
    state: "done",
    finishedAt: new Date(deps.now()).toISOString(),
    status,
    replyHash: body ? digestOfParts(body) : null,
    finalUrl: finalUrl === null ? null : withoutQuery(finalUrl),
  });
  // Not waited for: reading the receipt logs it too.
  if (record) void logReceipt(deps, record).catch(() => undefined);
  return record;
}
