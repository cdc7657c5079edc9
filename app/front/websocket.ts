/**
 * The websocket at /ws: JSON messages with a `type`. An agent's connection does what /api/bridge/actions and /execute do; a
 * site's connection is asked by sessions for what takes a script engine. Thin: all of it goes on over NATS subjects.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { NatsConnection } from "@nats-io/nats-core";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { isRequest } from "../../src/adapters/nats/rights.ts";
import { isSameSite, parseHost } from "../../src/domain/names/domain-name.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { clientAddressOf, trustedOf } from "../../src/rpc/client-address.ts";
import {
  type OperationSpec,
  operationSubject,
  type Principal,
  type Service,
  timeoutOf,
} from "../../src/rpc/contract.ts";
import { Failure, fail, statusOf } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { parseInput } from "../../src/rpc/validation.ts";
import type { SiteMember } from "../../src/stores/issued-tokens.ts";
import { callBytes } from "../../src/transport/client.ts";
import { type ScriptAsked, scriptSubject } from "../../workers/session/script-wire.ts";
import type { Door } from "./access/access.ts";
import { createHeld, originOfAddress } from "./limits.ts";

export const WEBSOCKET_PATH = "/ws";

/** What one connection may. Stated in docs/agents.md, held by tests; how many there may be is in limit-table.ts. */
export const WEBSOCKET_LIMITS = {
  messageBytes: 64 * 1024,
  /** From opening to `auth`. */
  authTimeoutMs: 10_000,
  /** Between any two messages of the other side, pongs included. */
  silenceMs: 75_000,
  pingEveryMs: 30_000,
  /** In a minute that begins with the first of them. */
  messagesAMinute: 600,
  /** Of one agent's connection, not yet answered. */
  inFlight: 8,
  /** Of one site's connection, asked and not yet answered. */
  asked: 32,
  scriptTimeoutMs: 10_000,
  /** Queued for a reader that does not read. */
  bufferedBytes: 1024 * 1024,
} as const;
type Limits = { [K in keyof typeof WEBSOCKET_LIMITS]: number };

/** Close codes of the private range (RFC 6455 section 7.4.2), beside 1001, 1008, 1009 and 1013. */
const CLOSE = { goingAway: 1001, policy: 1008, tooBig: 1009, tryLater: 1013, unauthorised: 4401 } as const;

const Message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("auth"), id: z.string().max(64).optional(), token: z.string().max(4_096) }),
  z.object({ type: z.literal("ping"), id: z.string().max(64).optional() }),
  z.looseObject({ type: z.literal("actions_list"), id: z.string().max(64).optional() }),
  z.looseObject({ type: z.literal("execute"), id: z.string().max(64).optional() }),
  z.looseObject({ type: z.literal("action_result"), id: z.string().max(64).optional() }),
  z.looseObject({ type: z.literal("error"), id: z.string().max(64).optional() }),
]);
export type Message = z.infer<typeof Message>;

export interface WebsocketOptions {
  connection: NatsConnection;
  prefix: string;
  /** Where `actions` and `execute` are. */
  session: Service;
  door: Door;
  clock: Clock;
  /** The site that a token speaks for. */
  siteOf: (token: string) => Promise<SiteMember | undefined>;
  limits?: Partial<Limits>;
  /** Per cent of the quotas of limit-table.ts that hold here. Default 100. */
  limitsPercent?: number;
  trustedProxies?: readonly string[];
}

/** Places of the open connections, by who holds them. */
interface Places {
  /** @returns undefined where a stranger finds no room */
  enter(clientAddress: string): Place | undefined;
}
interface Place {
  /** He is a stranger no more. @returns false where his account has no room */
  admit(accountId: string): boolean;
  leave(): void;
}

const openPlaces = (percent: number): Places => {
  const all = createHeld("websockets", percent);
  const strangers = createHeld("websockets_unauthenticated", percent);
  return {
    enter: (clientAddress) => {
      const origin = originOfAddress(clientAddress);
      let place = all.hold(origin);
      let stranger = place && strangers.hold(origin);
      if (!place || !stranger) {
        place?.release();
        return undefined;
      }
      return {
        admit: (accountId) => {
          stranger?.release();
          stranger = undefined;
          // In one turn: nobody takes the place between the two.
          place?.release();
          place = all.hold({ ...origin, account: accountId });
          return place !== undefined;
        },
        leave: () => {
          stranger?.release();
          place?.release();
          stranger = place = undefined;
        },
      };
    },
  };
};

export interface WebsocketFront {
  readonly connections: number;
  /** Tells every connection to go, and waits for none. */
  close(): void;
}

/** Whether a request is to be upgraded at all: the others are answered as if they did not ask (RFC 9110 section 7.8). */
export const wantsWebsocket = ({ url, headers }: IncomingMessage): boolean =>
  url?.split("?", 1)[0] === WEBSOCKET_PATH && headers.upgrade?.toLowerCase() === "websocket";

type Role =
  | { kind: "stranger" }
  | { kind: "agent"; token: string }
  | { kind: "site"; member: SiteMember; token: string; leave: () => void };

/** One open connection. */
class Connection {
  readonly #socket: WebSocket;
  readonly #options: WebsocketOptions;
  readonly #limits: Limits;
  readonly #origin: string | undefined;
  readonly #place: Place;
  readonly #clientAddress: string;
  readonly #asked = new Map<string, (reply: object) => void>();
  readonly #timers: NodeJS.Timeout[] = [];
  #role: Role = { kind: "stranger" };
  #authenticating = false;
  #inFlight = 0;
  readonly #silence: NodeJS.Timeout;
  #minute: { since: number; count: number };

  constructor(
    socket: WebSocket,
    request: IncomingMessage,
    options: WebsocketOptions,
    limits: Limits,
    { place, clientAddress }: { place: Place; clientAddress: string },
  ) {
    this.#socket = socket;
    this.#place = place;
    this.#clientAddress = clientAddress;
    this.#options = options;
    this.#limits = limits;
    this.#origin = request.headers.origin;
    socket.on("message", (data, binary) => this.#received(data.toString(), binary));
    socket.on("pong", () => this.#heard());
    socket.on("ping", () => this.#heard());
    socket.on("error", () => socket.terminate());
    socket.on("close", () => this.#closed());
    this.#minute = { since: options.clock.monotonicMs(), count: 0 };
    this.#silence = setTimeout(() => socket.terminate(), limits.silenceMs);
    this.#timers.push(
      this.#silence,
      setTimeout(() => {
        if (this.#role.kind === "stranger") this.end(CLOSE.unauthorised, "no auth in time");
      }, limits.authTimeoutMs),
      setInterval(() => void this.#beat(), limits.pingEveryMs),
    );
  }

  end(code: number, reason: string): void {
    this.#socket.close(code, reason);
    // A peer that does not answer the close is not waited for.
    setTimeout(() => this.#socket.terminate(), 2_000).unref();
  }

  #send(message: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(message));
    if (this.#socket.bufferedAmount > this.#limits.bufferedBytes) this.#socket.terminate();
  }

  #fail(id: string | undefined, { code, detail, retryAfterSeconds }: Failure): void {
    this.#send({
      type: "error",
      ...(id !== undefined && { id }),
      code,
      status: statusOf(code),
      message: detail,
      ...(retryAfterSeconds && { retry_after_seconds: retryAfterSeconds }),
    });
  }

  #heard(): void {
    this.#silence.refresh();
  }

  async #beat(): Promise<void> {
    this.#socket.ping();
    const role = this.#role;
    if (role.kind !== "stranger" && (await this.#hasEnded(role)))
      this.end(CLOSE.unauthorised, "the token has ended");
  }

  /**
   * Whether what let this connection in counts no more: asked with every beat, whoever sends nothing. What cannot be
   * asked just now has not ended.
   */
  async #hasEnded(role: Role & { token: string }): Promise<boolean> {
    const { session, door, siteOf } = this.#options;
    if (role.kind === "site") return !(await siteOf(role.token).catch(() => role.member));
    const principal = await door
      .identify(session.operations.execute!, askingWith(role.token))
      .catch(() => undefined);
    return principal instanceof Failure && principal.code === "authentication_required";
  }

  #closed(): void {
    this.#place.leave();
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.#role.kind === "site") this.#role.leave();
    for (const answer of this.#asked.values()) answer(scriptGone());
    this.#asked.clear();
  }

  #received(text: string, binary: boolean): void {
    this.#heard();
    const now = this.#options.clock.monotonicMs();
    if (now - this.#minute.since >= 60_000) this.#minute = { since: now, count: 0 };
    if (++this.#minute.count > this.#limits.messagesAMinute) {
      this.end(CLOSE.policy, "too many messages");
      return;
    }
    const message = binary ? undefined : readMessage(text);
    if (message)
      this.#take(message).catch(() => this.#fail(message.id, fail("internal", "The fault is on our side.")));
    else this.#fail(undefined, fail("invalid_request", "Messages are JSON texts with a known `type`."));
  }

  async #take(message: Message): Promise<void> {
    if (message.type === "ping")
      return this.#send({
        type: "ping",
        ...(message.id && { id: message.id }),
        timestamp: new Date().toISOString(),
      });
    if (message.type === "auth") return this.#authenticate(message);
    const role = this.#role;
    if (role.kind === "stranger")
      return this.#fail(
        message.id,
        fail("authentication_required", "Send `auth` with a session's or site's token first."),
      );
    if (role.kind === "site") return this.#answered(message);
    if (message.type === "actions_list") return this.#operate(role, "actions", message.id, { query: {} });
    if (message.type === "execute") {
      const { type: _, id, ...body } = message;
      return this.#operate(role, "execute", id, { body });
    }
    return this.#fail(message.id, fail("invalid_request", `An agent does not send ${message.type}.`));
  }

  async #authenticate({ id, token }: Message & { type: "auth" }): Promise<void> {
    if (this.#role.kind !== "stranger" || this.#authenticating)
      return this.#fail(id, fail("invalid_request", "The connection is authenticated already."));
    this.#authenticating = true;
    const { session, door, siteOf } = this.#options;
    const principal = await door
      .identify(session.operations.execute!, askingWith(token))
      .catch(() => undefined);
    const agent = principal && !(principal instanceof Failure);
    const member = agent ? undefined : await siteOf(token).catch(() => undefined);
    this.#authenticating = false;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (agent) {
      if (!this.#admitted(principal as Principal)) return;
      this.#role = { kind: "agent", token };
      return this.#send({ type: "auth_success", ...(id && { id }), role: "agent" });
    }
    if (!member || !this.#fromSite(member)) {
      this.#fail(id, fail("authentication_required", "The token is neither a session's nor this site's."));
      return this.end(CLOSE.unauthorised, "token not valid");
    }
    if (!this.#admitted(member)) return;
    this.#role = { kind: "site", member, token, leave: this.#serve(member, token) };
    this.#send({ type: "auth_success", ...(id && { id }), role: "site", siteId: member.siteId });
  }

  /** One account's connections leave room for others'. */
  #admitted({ accountId }: { accountId?: string | null }): boolean {
    if (this.#place.admit(accountId ?? "")) return true;
    this.end(CLOSE.tryLater, "this account is at its limit of connections");
    return false;
  }

  /** A browser says where its page is from: a site's token is of no use to pages of another site. */
  #fromSite({ siteId }: SiteMember): boolean {
    if (this.#origin === undefined) return true;
    const host = parseHost(URL.parse(this.#origin)?.hostname ?? "");
    return host.ok && isSameSite(host.host, siteId);
  }

  /** Takes a share of what sessions ask of the site's script. */
  #serve({ siteId }: SiteMember, token: string): () => void {
    const { connection, prefix } = this.#options;
    const subscription = connection.subscribe(`${prefix}.${scriptSubject(siteId)}`, {
      queue: "script",
      callback: (error, request) => {
        if (error || !isRequest(request)) return;
        const reply = (answer: object) => request.respond(JSON.stringify(answer));
        void this.#hand(request.json<ScriptAsked>(), token, reply);
      },
    });
    return () => subscription.unsubscribe();
  }

  /** A session's context goes to nobody whose token has ended since he joined, not even until the next beat. */
  async #hand(asked: ScriptAsked, token: string, reply: (answer: object) => void): Promise<void> {
    const member = await this.#options.siteOf(token).catch(() => undefined);
    if (!member) reply(scriptGone());
    else if (this.#asked.size >= this.#limits.asked) reply(scriptGone("is at its limit"));
    else this.#ask(asked, reply);
  }

  #ask(asked: ScriptAsked, reply: (answer: object) => void): void {
    const id = uuidv7();
    const timer = setTimeout(
      () => finish(scriptGone("did not answer in time")),
      this.#limits.scriptTimeoutMs,
    );
    const finish = (answer: object): void => {
      clearTimeout(timer);
      if (this.#asked.delete(id)) reply(answer);
    };
    this.#asked.set(id, finish);
    this.#send({ id, ...asked });
  }

  #answered(message: Message): void {
    const answer = message.id === undefined ? undefined : this.#asked.get(message.id);
    const { id: _, ...rest } = message;
    if (!answer) this.#fail(message.id, fail("invalid_request", "Nothing was asked under this id."));
    else answer(message.type === "error" ? scriptGone("answered with an error") : rest);
  }

  async #operate(
    role: Role & { kind: "agent" },
    name: "actions" | "execute",
    id: string | undefined,
    raw: { query?: unknown; body?: unknown },
  ): Promise<void> {
    if (this.#inFlight >= this.#limits.inFlight)
      return this.#fail(
        id,
        fail("rate_limited", `At most ${this.#limits.inFlight} messages at once.`, { retryAfterSeconds: 1 }),
      );
    this.#inFlight += 1;
    try {
      const reply = await this.#call(role, name, raw);
      if (!(reply instanceof Failure)) return this.#send({ ...reply, ...(id !== undefined && { id }) });
      this.#fail(id, reply);
      if (reply.code === "authentication_required") this.end(CLOSE.unauthorised, "the session has ended");
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** The operation as the front's HTTP side would call it: same door, same limits, same validation. */
  async #call(
    { token }: { token: string },
    name: "actions" | "execute",
    raw: { query?: unknown; body?: unknown },
  ): Promise<object | Failure> {
    const { connection, prefix, session, door } = this.#options;
    const operation: OperationSpec = session.operations[name]!;
    const principal = await door.identify(operation, askingWith(token));
    if (principal instanceof Failure) return principal;
    const input = parseInput(operation, { params: {}, ...raw });
    if (input instanceof Failure) return input;
    const admission = await door.admit(principal as Principal, {
      service: session.name,
      name,
      operation,
      clientAddress: this.#clientAddress,
    });
    if (!admission.ok) return admission.failure;
    const reply = await callBytes(
      connection,
      operationSubject(prefix, session.name, name),
      JSON.stringify(input),
      {
        requestId: uuidv7(),
        timeoutMs: timeoutOf(operation),
        host: "",
        clientAddress: "",
        principal: principal as Principal,
        allowances: admission.allowances,
      },
    );
    return reply instanceof Failure ? reply : (JSON.parse(new TextDecoder().decode(reply.bytes)) as object);
  }
}

/** A message's token where the door looks for a request's. */
const askingWith = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, query: {} });

const scriptGone = (why = "has left"): object => ({
  success: false,
  result: { error: { code: "script_failed", message: `The site's script ${why}.` } },
});

/** What a client or a site's script says, or undefined where it is no message of ours. */
export const readMessage = (text: string): Message | undefined => {
  try {
    return Message.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/** Serves the websocket on an HTTP server that upgrades what `wantsWebsocket` says. */
export const serveWebsocket = (server: Server, options: WebsocketOptions): WebsocketFront => {
  const limits: Limits = { ...WEBSOCKET_LIMITS, ...options.limits };
  const places = openPlaces(options.limitsPercent ?? 100);
  const trusted = trustedOf(options.trustedProxies ?? []);
  const open = new Map<WebSocket, Connection>();
  const websockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
    clientTracking: false,
  });
  let closing = false;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    websockets.handleUpgrade(request, socket, head, (websocket) => {
      const clientAddress = clientAddressOf(request, trusted);
      const place = closing ? undefined : places.enter(clientAddress);
      if (!place) {
        websocket.on("error", () => websocket.terminate());
        websocket.close(
          CLOSE.tryLater,
          "no room: this front, or its share for your network, is at its limit",
        );
        setTimeout(() => websocket.terminate(), 2_000).unref();
        return;
      }
      open.set(websocket, new Connection(websocket, request, options, limits, { place, clientAddress }));
      websocket.once("close", () => open.delete(websocket));
    });
  });
  return {
    get connections() {
      return open.size;
    },
    close: () => {
      closing = true;
      for (const connection of open.values()) connection.end(CLOSE.goingAway, "this front is closing");
      websockets.close();
    },
  };
};
