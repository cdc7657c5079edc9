/**
 * Mails on their way: one message each in a scheduled queue, like webhooks. What was accepted is sent, once and rarely twice:
 * a process that ends between the mail server's answer and the ack sends it again, under the same Message-ID.
 */
import type { Logger } from "pino";
import { z } from "zod";
import type { AccountRecord } from "../../../schemas/account.ts";
import { emailIdentity } from "../../../src/domain/names/email.ts";
import type { Broker } from "../../../src/ports/broker.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Mailer } from "../../../src/ports/mail.ts";
import type { DelayedQueue, Work } from "../../../src/ports/queue.ts";
import type { Failure } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import { openBound, startQueueWorker } from "../../../src/stores/queue-worker.ts";
import { mails } from "../../../src/telemetry/instruments.ts";
import type { MailText } from "./texts.ts";

const MINUTE_MS = 60_000;
/** Before each further attempt. RFC 5321 section 4.5.4.1 asks for half an hour and four to five days; a link ends before. */
const WAITS_MS = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE_MS);
const CONCURRENCY = 4;
const LEASE_MS = 60_000;
const DRAIN_MS = 3_000;

const QueuedMail = z.looseObject({
  v: z.literal(1),
  id: z.string(),
  accountId: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** Ends mails of its kind. */
  stopUrl: z.string().optional(),
  /** Attempts that were made. */
  made: z.int(),
  /** From here on it is of no use, milliseconds of the broker's clock. */
  until: z.number(),
});
type QueuedMail = z.infer<typeof QueuedMail>;

export interface Outbox {
  /** Whether this registry sends mail at all. */
  readonly isOpen: boolean;
  /** Charges a mail to an address that is yet to be looked up, so that nobody learns whether it has an account. */
  admit(identity: string, clientAddress: string): Promise<Failure<"rate_limited"> | undefined>;
  /**
   * Accepts a mail to the account's address, and charges it.
   * @param until milliseconds of the broker's clock: what is not sent by then is dropped
   * @returns false where none is accepted: there is no mail server, or too many wait
   */
  post(
    account: Receiver,
    mail: MailText,
    until: number,
    cause: Cause,
  ): Promise<boolean | Failure<"rate_limited">>;
  drain(): Promise<void>;
}

export type Receiver = Pick<AccountRecord, "accountId" | "email" | "provedEmail">;

/**
 * Why a mail is sent: its holder or a stranger asks for it, it was charged by `admit`, or it tells of what became of the account.
 * News of a proved address have a limit of their own; everything to an unproved one counts as asked for.
 */
export type Cause = { kind: "asked" | "news"; clientAddress?: string | undefined } | { kind: "admitted" };

export interface OutboxDeps {
  mailer: Mailer | undefined;
  broker: Broker;
  clock: Clock;
  limiter: Charging;
  log: Logger;
  /** Called when the mail server refused the address for good. */
  onRefused(accountId: string, to: string): Promise<unknown>;
}

type Charging = Pick<Limiter, "refusal">;

/** Accepts mails that a worker sends: for a command, which ends before they are sent. */
export async function openMailbox({
  broker,
  clock,
  limiter,
}: Pick<OutboxDeps, "broker" | "clock" | "limiter">): Promise<Pick<Outbox, "post">> {
  const queue = await broker.mail(LEASE_MS);
  return { post: postTo(queue, limiter, openBound(queue, clock)) };
}

const postTo =
  (queue: DelayedQueue, limiter: Charging, hasRoom: (bytes: number) => Promise<boolean>): Outbox["post"] =>
  async (account, content, until, cause) => {
    const refused = await charge(limiter, account, cause);
    if (refused) return refused;
    const { accountId, email: to } = account;
    const mail: QueuedMail = { v: 1, id: uuidv7(), accountId, to, ...content, made: 0, until };
    const text = JSON.stringify(mail);
    if (!(await hasRoom(Buffer.byteLength(text)))) return false;
    await queue.add(mail.id, text);
    return true;
  };

/** @returns the failure, where too many mails went there, were asked for from there, or were sent in all */
async function charge(
  limiter: Charging,
  { accountId, email, provedEmail }: Receiver,
  cause: Cause,
): Promise<Failure<"rate_limited"> | undefined> {
  if (cause.kind === "admitted") return undefined;
  const login = emailIdentity(email) ?? email;
  const { kind, clientAddress } = cause;
  if (kind === "news" && provedEmail === email) return limiter.refusal("mails_of_news", { login });
  const payer = { login, account: accountId, ...(clientAddress !== undefined && { clientAddress }) };
  return limiter.refusal("mails", payer);
}

export async function startOutbox(deps: OutboxDeps): Promise<Outbox> {
  const { mailer, broker, clock, log, limiter } = deps;
  const admit: Outbox["admit"] = (login, clientAddress) => limiter.refusal("mails", { login, clientAddress });
  if (!mailer) return { isOpen: false, admit, post: async () => false, drain: async () => undefined };
  const queue = await broker.mail(LEASE_MS);
  const hasRoom = openBound(queue, clock);
  const worker = startQueueWorker({
    queue,
    broker,
    clock,
    log,
    what: "mails",
    upkeepKey: "mail_audit",
    concurrency: CONCURRENCY,
    leaseMs: LEASE_MS,
    drainMs: DRAIN_MS,
    handle: (message) => deliver({ ...deps, mailer }, queue, message),
  });
  return {
    isOpen: true,
    admit,
    post: postTo(queue, limiter, hasRoom),
    drain: async () => {
      await worker.drain();
      mailer.close();
    },
  };
}

async function deliver(
  { broker, mailer, log, onRefused }: OutboxDeps & { mailer: Mailer },
  queue: DelayedQueue,
  message: Work,
): Promise<void> {
  const parsed = QueuedMail.safeParse(message.json());
  if (!parsed.success) return message.discard("not a mail");
  const mail = parsed.data;
  const { id, to, subject, text, stopUrl } = mail;
  const outcome = await mailer.send({
    id,
    to,
    subject,
    text,
    ...(stopUrl !== undefined && { stopUrl }),
  });
  const wait = outcome.kind === "again" ? WAITS_MS[mail.made] : undefined;
  const nextAt = wait === undefined ? undefined : broker.now() + wait;
  if (nextAt !== undefined && nextAt < mail.until) {
    mails.inc({ outcome: "again" });
    const next: QueuedMail = { ...mail, made: mail.made + 1 };
    await queue.schedule(mail.id, nextAt, JSON.stringify(next));
    return message.ack();
  }
  mails.inc({ outcome: outcome.kind === "again" ? "given_up" : outcome.kind });
  if (outcome.kind !== "sent") log.warn({ mail: mail.id, detail: outcome.detail }, "a mail was not sent");
  if (outcome.kind === "refused") await onRefused(mail.accountId, mail.to);
  message.ack();
}
