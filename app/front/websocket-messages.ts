/** Messages of the websocket at /ws: JSON texts with a `type`, their bounds, and the codes it closes with. */
import { z } from "zod";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { unknownMembers } from "../../src/rpc/unknown-members.ts";

/** Limits of one connection, as stated in docs/agents.md. The limit table bounds the number of connections. */
export const WEBSOCKET_LIMITS = {
  messageBytes: 64 * 1024,
  /** From opening to `auth`. */
  authTimeoutMs: 10_000,
  /** Between any two frames from the peer, pongs included. */
  silenceMs: 75_000,
  pingEveryMs: 30_000,
  /** Pings and pongs among them, in a minute that begins with the first. */
  messagesAMinute: 600,
  /** Unanswered messages of one agent's connection. */
  inFlight: 8,
  /** Unanswered requests to one site's connection. */
  asked: 32,
  scriptTimeoutMs: 10_000,
  /** Queued for a slow reader. */
  bufferedBytes: 1024 * 1024,
} as const;
export type Limits = { [K in keyof typeof WEBSOCKET_LIMITS]: number };

/** Close codes: 1001, 1008, 1009, 1013, and one of the private range (RFC 6455 section 7.4.2). */
export const CLOSE = {
  goingAway: 1001,
  policy: 1008,
  tooBig: 1009,
  tryLater: 1013,
  unauthorized: 4401,
} as const;

/** A message's id, which its answer has too: as JSON-RPC 2.0, a text or a number. */
const Id = z.union([z.string().max(64), z.number()], {
  error: "must be a text of at most 64 characters, or a number",
});
export type MessageId = z.infer<typeof Id>;

const id = Id.optional();
const MESSAGES = {
  auth: z.object({ type: z.literal("auth"), id, token: z.string().max(4_096) }),
  ping: z.object({ type: z.literal("ping"), id }),
  // The operations' own contracts say what else these hold.
  actions_list: z.looseObject({ type: z.literal("actions_list"), id }),
  execute: z.looseObject({ type: z.literal("execute"), id, idempotency_key: z.string().optional() }),
  // Answers of sites' scripts, of every version.
  action_result: z.looseObject({ type: z.literal("action_result"), id }),
  error: z.looseObject({ type: z.literal("error"), id }),
} as const;
export type WebsocketMessage = z.infer<(typeof MESSAGES)[keyof typeof MESSAGES]>;

/** What an agent sends and what it is answered, for the reference. Sites answer what they are sent: docs/agents.md. */
export const AGENT_MESSAGES: readonly { send: string; answer: string }[] = [
  {
    send: '{"type":"auth","token":"…"} first',
    answer: '{"type":"auth_success","role":"…"}, or an error and close code 4401',
  },
  {
    send: '{"type":"actions_list","id":1,"siteId":"…"}',
    answer: "the reply of listActions, with `type` and `id`",
  },
  {
    send: '{"type":"execute","id":2,"action":"…","target":"…","value":"…","context":{}}',
    answer: "the reply of executeAction, with `type` and `id`",
  },
  { send: '{"type":"ping","id":3}', answer: '{"type":"ping","id":3,"timestamp":"…"}' },
  { send: "anything wrong", answer: '{"type":"error","id":…,"code":"…","status":400,"message":"…"}' },
];

/** A message as read, or why it is refused, with its id where it has a usable one. */
export type ReadMessage =
  | { ok: true; message: WebsocketMessage }
  | { ok: false; id: MessageId | undefined; failure: Failure };

/** Parses a message. */
export function readMessage(text: string): ReadMessage {
  const value = readJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { ok: false, id: undefined, failure: fail("invalid_request", "A message is a JSON object.") };
  const { type, id: sent } = value as { type?: unknown; id?: unknown };
  const refuse = (failure: Failure): ReadMessage => ({ ok: false, id: Id.safeParse(sent).data, failure });
  if (typeof type !== "string" || !Object.hasOwn(MESSAGES, type))
    return refuse(fail("invalid_request", `type: must be one of ${Object.keys(MESSAGES).join(", ")}`));
  const schema = MESSAGES[type as keyof typeof MESSAGES];
  const [unknown] = unknownMembers(schema, value);
  if (unknown) return refuse(fail("unknown_parameter", `${unknown.path.join(".")}: ${unknown.message}`));
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, message: parsed.data };
  const { path, message } = parsed.error.issues[0]!;
  return refuse(fail("invalid_request", `${path.join(".")}: ${message}`));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
