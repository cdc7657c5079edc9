/** One open websocket: an agent in its session, or a site's script that serves sessions. */
import type { IncomingMessage } from "node:http";
import type { NatsConnection } from "@nats-io/nats-core";
import type { WebSocket } from "ws";
import { isRequest } from "../../src/adapters/nats/requests.ts";
import { isSameSite, parseHost } from "../../src/domain/names/domain-name.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Principal, Service } from "../../src/rpc/contract.ts";
import { Failure, fail, httpStatusOf } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { SiteMember } from "../../src/stores/issued-tokens.ts";
import { type ScriptAsked, scriptSubject } from "../../workers/session/script-wire.ts";
import type { AccessControl } from "./access/access.ts";
import type { Idempotency } from "./idempotency.ts";
import type { createInvoke } from "./invoke.ts";
import {
  CLOSE,
  type Limits,
  type MessageId,
  type ReadMessage,
  readMessage,
  type WebsocketMessage,
} from "./websocket-messages.ts";

export interface WebsocketOptions {
  connection: NatsConnection;
  prefix: string;
  /** The broker's clock, in milliseconds. */
  now?: () => number;
  /** The service with `actions` and `execute`. */
  session: Service;
  access: AccessControl;
  /** Requests at most once, by a message's `idempotency_key`. */
  idempotency?: Idempotency;
  clock: Clock;
  /** The site that a token authenticates. */
  siteOf: (token: string) => Promise<SiteMember | undefined>;
  limits?: Partial<Limits>;
  /** Scale of the table's quotas, in percent. Default 100. */
  limitsPercent?: number;
  trustedProxies?: readonly string[];
}

/** A connection's permits in the limits of open websockets. */
export interface ConnectionPermits {
  /** Moves the permit to the account after authentication. @returns false if the account's limit is reached */
  admit(accountId: string): boolean;
  leave(): void;
}

/** A message's token as the credential fields of a request. */
const credentialFields = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, query: {} });

const scriptGone = (why = "has left"): object => ({
  success: false,
  result: { error: { code: "script_failed", message: `The site's script ${why}.` } },
});

/** For the peer's answer to a close frame. */
const CLOSE_WAIT_MS = 2_000;
/** For the close frame itself to leave. */
const FLOOD_WAIT_MS = 100;

type Role =
  | { kind: "anonymous" }
  | { kind: "agent"; token: string }
  | { kind: "site"; member: SiteMember; token: string; leave: () => void };

/** One open connection. */
export class WebsocketConnection {
  readonly #socket: WebSocket;
  readonly #options: WebsocketOptions & { invoke: ReturnType<typeof createInvoke> };
  readonly #limits: Limits;
  readonly #origin: string | undefined;
  readonly #permits: ConnectionPermits;
  readonly #clientAddress: string;
  readonly #pending = new Map<string, (reply: object) => void>();
  readonly #timers: NodeJS.Timeout[] = [];
  #role: Role = { kind: "anonymous" };
  #authenticating = false;
  #inFlight = 0;
  #isEnding = false;
  readonly #silence: NodeJS.Timeout;
  #minute: { since: number; count: number };

  constructor(
    socket: WebSocket,
    request: IncomingMessage,
    options: WebsocketOptions & { invoke: ReturnType<typeof createInvoke> },
    limits: Limits,
    { permits, clientAddress }: { permits: ConnectionPermits; clientAddress: string },
  ) {
    this.#socket = socket;
    this.#permits = permits;
    this.#clientAddress = clientAddress;
    this.#options = options;
    this.#limits = limits;
    this.#origin = request.headers.origin;
    socket.on("message", (data, binary) => {
      if (this.#counts()) this.#received(data.toString(), binary);
    });
    socket.on("pong", () => this.#counts());
    socket.on("ping", () => this.#counts());
    socket.on("error", () => socket.terminate());
    socket.on("close", () => this.#closed());
    this.#minute = { since: options.clock.monotonicMs(), count: 0 };
    this.#silence = setTimeout(() => socket.terminate(), limits.silenceMs);
    this.#timers.push(
      this.#silence,
      setTimeout(() => {
        if (this.#role.kind === "anonymous") this.end(CLOSE.unauthorized, "no auth in time");
      }, limits.authTimeoutMs),
      setInterval(() => void this.#heartbeat(), limits.pingEveryMs),
    );
  }

  /** Once: nothing that comes afterwards is looked at. */
  end(code: number, reason: string, waitMs = CLOSE_WAIT_MS): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#socket.close(code, reason);
    // Do not wait for a peer that does not answer the close frame.
    setTimeout(() => this.#socket.terminate(), waitMs).unref();
  }

  #send(message: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(message));
    if (this.#socket.bufferedAmount > this.#limits.bufferedBytes) this.#socket.terminate();
  }

  #fail(id: MessageId | undefined, { code, detail, retryAfterSeconds }: Failure): void {
    this.#send({
      type: "error",
      ...(id !== undefined && { id }),
      code,
      status: httpStatusOf(code),
      message: detail,
      ...(retryAfterSeconds && { retry_after_seconds: retryAfterSeconds }),
    });
  }

  #resetSilence(): void {
    this.#silence.refresh();
  }

  async #heartbeat(): Promise<void> {
    this.#socket.ping();
    const role = this.#role;
    if (role.kind !== "anonymous" && (await this.#hasEnded(role)))
      this.end(CLOSE.unauthorized, "the token has ended");
  }

  /**
   * Whether the connection's credential has ended; checked with every heartbeat, even without messages. If the check
   * itself fails, it has not ended.
   */
  async #hasEnded(role: Role & { token: string }): Promise<boolean> {
    const { session, access, siteOf } = this.#options;
    if (role.kind === "site") return !(await siteOf(role.token).catch(() => role.member));
    const principal = await access
      .identify(session.operations.executeAction!, credentialFields(role.token))
      .catch(() => undefined);
    return principal instanceof Failure && principal.code === "authentication_required";
  }

  #closed(): void {
    this.#permits.leave();
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.#role.kind === "site") this.#role.leave();
    for (const answer of this.#pending.values()) answer(scriptGone());
    this.#pending.clear();
  }

  /** Counts a message, ping or pong. @returns whether it is looked at */
  #counts(): boolean {
    if (this.#isEnding) return false;
    this.#resetSilence();
    const now = this.#options.clock.monotonicMs();
    if (now - this.#minute.since >= 60_000) this.#minute = { since: now, count: 0 };
    if (++this.#minute.count <= this.#limits.messagesAMinute) return true;
    // Nothing more is read, not even its answer to the close frame.
    this.#socket.pause();
    this.end(CLOSE.policy, "too many messages", FLOOD_WAIT_MS);
    return false;
  }

  #received(text: string, binary: boolean): void {
    const read: ReadMessage = binary
      ? { ok: false, id: undefined, failure: fail("invalid_request", "Messages are texts, not binary.") }
      : readMessage(text);
    if (!read.ok) this.#fail(read.id, read.failure);
    else
      this.#handle(read.message).catch(() =>
        this.#fail(read.message.id, fail("internal", "An internal error occurred.")),
      );
  }

  async #handle(message: WebsocketMessage): Promise<void> {
    if (message.type === "ping")
      return this.#send({
        type: "ping",
        ...(message.id !== undefined && { id: message.id }),
        timestamp: new Date().toISOString(),
      });
    if (message.type === "auth") return this.#authenticate(message);
    const role = this.#role;
    if (role.kind === "anonymous")
      return this.#fail(
        message.id,
        fail("authentication_required", "Send `auth` with a session's or site's token first."),
      );
    if (role.kind === "site") return this.#resolve(message);
    if (message.type === "actions_list") {
      const { type: _, id, ...query } = message;
      return this.#operate(role, "listActions", id, { query });
    }
    if (message.type === "execute") {
      const { type: _, id, idempotency_key, ...body } = message;
      return this.#operate(role, "executeAction", id, { body }, idempotency_key);
    }
    const { type, id } = message;
    return this.#fail(id, fail("invalid_request", `An agent does not send ${type}.`));
  }

  async #authenticate({ id, token }: WebsocketMessage & { type: "auth" }): Promise<void> {
    if (this.#role.kind !== "anonymous" || this.#authenticating)
      return this.#fail(id, fail("invalid_request", "The connection is already authenticated."));
    this.#authenticating = true;
    const { session, access, siteOf } = this.#options;
    const principal = await access
      .identify(session.operations.executeAction!, credentialFields(token))
      .catch(() => undefined);
    const agent = principal && !(principal instanceof Failure);
    const member = agent ? undefined : await siteOf(token).catch(() => undefined);
    this.#authenticating = false;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (agent) {
      if (!this.#admitted(principal as Principal)) return;
      this.#role = { kind: "agent", token };
      return this.#send({ type: "auth_success", ...(id !== undefined && { id }), role: "agent" });
    }
    if (!member || !this.#fromSite(member)) {
      this.#fail(id, fail("authentication_required", "The token is neither a session's nor this site's."));
      return this.end(CLOSE.unauthorized, "token not valid");
    }
    if (!this.#admitted(member)) return;
    this.#role = { kind: "site", member, token, leave: this.#serve(member, token) };
    this.#send({
      type: "auth_success",
      ...(id !== undefined && { id }),
      role: "site",
      siteId: member.siteId,
    });
  }

  /** Applies the account's limit of connections. */
  #admitted({ accountId }: { accountId?: string | null }): boolean {
    if (this.#permits.admit(accountId ?? "")) return true;
    this.end(CLOSE.tryLater, "this account is at its limit of connections");
    return false;
  }

  /** Checks a browser's Origin: a site's token is valid only on that site's pages. */
  #fromSite({ siteId }: SiteMember): boolean {
    if (this.#origin === undefined) return true;
    const host = parseHost(URL.parse(this.#origin)?.hostname ?? "");
    return host.ok && isSameSite(host.host, siteId);
  }

  /** Subscribes to sessions' requests to the site's script, shared with the site's other connections. */
  #serve({ siteId }: SiteMember, token: string): () => void {
    const { connection, prefix } = this.#options;
    const subscription = connection.subscribe(`${prefix}.${scriptSubject(siteId)}`, {
      queue: "script",
      callback: (error, request) => {
        if (error || !isRequest(request)) return;
        const reply = (answer: object) => request.respond(JSON.stringify(answer));
        void this.#forward(request.json<ScriptAsked>(), token, reply);
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Forwards a request only while the site's token is still valid, without waiting for the next heartbeat. */
  async #forward(asked: ScriptAsked, token: string, reply: (answer: object) => void): Promise<void> {
    const member = await this.#options.siteOf(token).catch(() => undefined);
    if (!member) reply(scriptGone());
    else if (this.#pending.size >= this.#limits.asked) reply(scriptGone("is at its limit"));
    else this.#sendToScript(asked, reply);
  }

  #sendToScript(asked: ScriptAsked, reply: (answer: object) => void): void {
    const id = uuidv7();
    const timer = setTimeout(
      () => finish(scriptGone("did not answer in time")),
      this.#limits.scriptTimeoutMs,
    );
    const finish = (answer: object): void => {
      clearTimeout(timer);
      if (this.#pending.delete(id)) reply(answer);
    };
    this.#pending.set(id, finish);
    this.#send({ id, ...asked });
  }

  #resolve(message: WebsocketMessage): void {
    const answer = typeof message.id === "string" ? this.#pending.get(message.id) : undefined;
    const { id: _, ...rest } = message;
    if (!answer) this.#fail(message.id, fail("invalid_request", "No pending request has this id."));
    else answer(message.type === "error" ? scriptGone("answered with an error") : rest);
  }

  async #operate(
    role: Role & { kind: "agent" },
    name: "listActions" | "executeAction",
    id: MessageId | undefined,
    raw: { query?: unknown; body?: unknown },
    idempotencyKey?: unknown,
  ): Promise<void> {
    if (this.#inFlight >= this.#limits.inFlight)
      return this.#fail(
        id,
        fail("rate_limited", `At most ${this.#limits.inFlight} messages at once.`, { retryAfterSeconds: 1 }),
      );
    this.#inFlight += 1;
    try {
      const reply = await this.#call(role, name, raw, idempotencyKey);
      if (!(reply instanceof Failure)) return this.#send({ ...reply, ...(id !== undefined && { id }) });
      this.#fail(id, reply);
      if (reply.code === "authentication_required") this.end(CLOSE.unauthorized, "the session has ended");
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Calls the operation as over HTTP. */
  async #call(
    { token }: { token: string },
    name: "listActions" | "executeAction",
    input: { query?: unknown; body?: unknown },
    idempotencyKey: unknown,
  ): Promise<object | Failure> {
    const { session, access, invoke } = this.#options;
    const principal = await access.identify(session.operations[name]!, credentialFields(token));
    if (principal instanceof Failure) return principal;
    const { reply, replayed } = await invoke(
      session,
      name,
    )({
      principal,
      input: { params: {}, ...input },
      requestId: uuidv7(),
      host: "",
      clientAddress: this.#clientAddress,
      idempotencyKey,
      credential: token,
    });
    if (reply instanceof Failure) return reply;
    const answer = JSON.parse(new TextDecoder().decode(reply.bytes)) as object;
    return replayed ? { ...answer, idempotency_replayed: true } : answer;
  }
}
