/** A session: an hour on one site, with its page, cookies and history kept by the registry. */
import type {
  ActionDryRun,
  ActionResult,
  ActionsReply,
  AuthenticateReply,
  ListedAction,
  Receipt,
  ReceiptsReply,
} from "./api.ts";
import { ActionError, AuthenticationError, SessionRestartedError, UnknownOutcomeError } from "./errors.ts";
import type { Http } from "./http.ts";

/** What an action gave: where the session stands, and what was read or changed. */
export type Result = ActionResult["result"];

/** What a dry run gave: what would be sent, its total, and in `confirm` what has it done. */
export type Plan = ActionDryRun["result"];

export interface DoOptions {
  /** Resolve everything and send nothing: what would be sent, and the total. */
  dryRun?: boolean;
  /** `confirm` of the dry run: what it said is done, and nothing else. Null where nothing has to be confirmed. */
  confirm?: Plan["confirm"];
  /** The total as the dry run told it, such as "14.90 EUR": a purchase is sent at this total only. */
  confirmTotal?: string;
  /** A purchase whose page shows no total: true, if that is meant. */
  confirmUnknownTotal?: boolean;
  /** The most that a purchase may cost, such as "20.00 EUR": one at a higher or unknown total is refused. */
  maxTotal?: string;
  /** Names this action, so that it is done once however often it is sent. Default: a new one for each call. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface SessionGrant
  extends Pick<AuthenticateReply["session"], "token" | "permissions" | "expiresIn"> {
  session_id?: string;
}

/** What a text browser can do anywhere; every other name is an action that `actions()` lists. */
const COMMANDS: ReadonlySet<string> = new Set([
  ...["navigate", "read", "fill", "select", "check", "uncheck", "click", "submit", "back", "scroll", "wait"],
]);

interface Command {
  action: string;
  target?: string;
  value?: string;
  context?: Record<string, unknown>;
}

/** What a result may have that was not done. */
interface NotDone extends Record<string, unknown> {
  error?: { code: string; message: string; request_sent?: boolean; retry_after_seconds?: number };
}

export class Session {
  readonly domain: string;
  readonly #http: Http;
  readonly #authenticate: () => Promise<SessionGrant>;
  #grant: SessionGrant | undefined;
  #hasPage = false;

  /** @internal Sites open sessions. */
  constructor(http: Http, domain: string, authenticate: () => Promise<SessionGrant>, grant: SessionGrant) {
    this.#http = http;
    this.domain = domain;
    this.#authenticate = authenticate;
    this.#grant = grant;
  }

  /** What this session may do. */
  get permissions(): SessionGrant["permissions"] {
    return this.#open().permissions;
  }

  /** The session's id, where the registry names one. */
  get id(): string | undefined {
    return this.#open().session_id;
  }

  /** What can be done here now, each with its parameters and whether this session can do it. */
  async actions(options: { signal?: AbortSignal } = {}): Promise<ListedAction[]> {
    const listed = await this.#call((bearer) =>
      this.#http.get<ActionsReply>("/api/bridge/actions", { bearer, signal: options.signal }),
    );
    this.#hasPage ||= listed.page_url !== null;
    return listed.actions;
  }

  /**
   * Does a listed action, or a command of the text browser (navigate, read, click, fill, submit …).
   * @param args parameters of a listed action; `target` and `value` of a command
   * @throws ActionError where the site did not do it, PermissionError where it must not be done
   */
  async do(
    action: string,
    args: Readonly<Record<string, unknown>> | undefined,
    options: DoOptions & { dryRun: true },
  ): Promise<Plan>;
  async do(action: string, args?: Readonly<Record<string, unknown>>, options?: DoOptions): Promise<Result>;
  async do(
    action: string,
    args: Readonly<Record<string, unknown>> = {},
    options: DoOptions = {},
  ): Promise<Result> {
    const body = {
      ...commandOf(action, args),
      ...options.confirm,
      ...(options.dryRun !== undefined && { dry_run: options.dryRun }),
      ...(options.maxTotal !== undefined && { max_total: options.maxTotal }),
      ...(options.confirmTotal !== undefined && { confirm_total: options.confirmTotal }),
      ...(options.confirmUnknownTotal !== undefined && {
        confirm_unknown_total: options.confirmUnknownTotal,
      }),
    };
    const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
    const send = (bearer: string) =>
      this.#http.post<ActionResult>("/api/bridge/execute", {
        bearer,
        body,
        idempotencyKey,
        signal: options.signal,
      });
    const done = await this.#call(send, action === "navigate");
    this.#hasPage = true;
    return resultOf(done);
  }

  /** Opens a page of the site. @param target a path or an address */
  async navigate(target: string, options?: DoOptions): Promise<Result> {
    return this.do("navigate", { target }, options);
  }

  /** Reads the page, or the elements that a CSS selector finds. */
  async read(selector?: string, options?: DoOptions): Promise<Result> {
    return this.do("read", selector === undefined ? {} : { target: selector }, options);
  }

  /** Follows a link or presses a button. @param target its CSS selector */
  async click(target: string, options?: DoOptions): Promise<Result> {
    return this.do("click", { target }, options);
  }

  /** Fills in a field; the form is sent by `submit` alone. @param target its CSS selector */
  async fill(target: string, value: string, options?: DoOptions): Promise<Result> {
    return this.do("fill", { target, value }, options);
  }

  /** Sends a form. @param target CSS selector of the form or of its button; default: the page's only form */
  async submit(target?: string, options?: DoOptions): Promise<Result> {
    return this.do("submit", target === undefined ? {} : { target }, options);
  }

  /** What this agent has sent to the site that had an effect, over all its sessions, the newest first. */
  async receipts(options: { signal?: AbortSignal } = {}): Promise<Receipt[]> {
    const send = (bearer: string) =>
      this.#http.get<ReceiptsReply>("/api/bridge/receipts", { bearer, signal: options.signal });
    // They are the agent's, and not the page's: those of a new session are the same.
    return (await this.#call(send, true)).receipts;
  }

  /** Forgets the session; the registry ends it within the hour. */
  close(): void {
    this.#grant = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #open(): SessionGrant {
    if (this.#grant) return this.#grant;
    throw new AuthenticationError("This session is closed.", {
      code: "session_closed",
      next: "Open another one with open().",
    });
  }

  /**
   * Calls with the session's token, once more after a session that ended. A new session has no page and no basket, so
   * what rests on them is told of instead.
   */
  async #call<Reply>(send: (bearer: string) => Promise<Reply>, isFresh = false): Promise<Reply> {
    try {
      return await send(this.#open().token);
    } catch (error) {
      if (!(error instanceof AuthenticationError) || error.code !== "authentication_required") throw error;
      this.#grant = await this.#authenticate();
      const hadPage = this.#hasPage;
      this.#hasPage = false;
      if (!hadPage || isFresh) return send(this.#open().token);
      throw new SessionRestartedError("The session had ended; a new one is open, at no page yet.", {
        code: "session_restarted",
        next: "Nothing was sent. Go on from the beginning: navigate, then do again what led here.",
        cause: error,
      });
    }
  }
}

/** Commands take `target` and `value` beside; a listed action takes its parameters together. */
function commandOf(action: string, args: Readonly<Record<string, unknown>>): Command {
  if (!COMMANDS.has(action)) return { action, ...(Object.keys(args).length > 0 && { context: { ...args } }) };
  const { target, value, ...context } = args;
  return {
    action,
    ...(target !== undefined && { target: String(target) }),
    ...(value !== undefined && { value: String(value) }),
    ...(Object.keys(context).length > 0 && { context }),
  };
}

/** The result of an action that was done. @throws ActionError, UnknownOutcomeError */
function resultOf(reply: ActionResult): Result {
  if (reply.success) return reply.result;
  const result: NotDone = reply.result;
  const error: Partial<NonNullable<NotDone["error"]>> = result.error ?? {};
  const { code = "not_done", message = "The site did not do it." } = error;
  if (code === "unknown_outcome") throw new UnknownOutcomeError(message, { code, status: 200 });
  throw new ActionError(message, {
    code,
    status: 200,
    retryAfter: error.retry_after_seconds ?? null,
    requestSent: error.request_sent === true,
    result,
  });
}
