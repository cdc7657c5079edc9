/** Messages of the websocket at /ws: JSON texts with a `type`, their bounds, and the codes it closes with. */
import { z } from "zod";

/** Limits of one connection, as stated in docs/agents.md. The limit table bounds the number of connections. */
export const WEBSOCKET_LIMITS = {
  messageBytes: 64 * 1024,
  /** From opening to `auth`. */
  authTimeoutMs: 10_000,
  /** Between any two frames from the peer, pongs included. */
  silenceMs: 75_000,
  pingEveryMs: 30_000,
  /** In a minute that begins with the first message. */
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

const Message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("auth"), id: z.string().max(64).optional(), token: z.string().max(4_096) }),
  z.object({ type: z.literal("ping"), id: z.string().max(64).optional() }),
  z.looseObject({ type: z.literal("actions_list"), id: z.string().max(64).optional() }),
  z.looseObject({ type: z.literal("execute"), id: z.string().max(64).optional() }),
  z.looseObject({ type: z.literal("action_result"), id: z.string().max(64).optional() }),
  z.looseObject({ type: z.literal("error"), id: z.string().max(64).optional() }),
]);
export type Message = z.infer<typeof Message>;

/** Parses a message; undefined if it is invalid. */
export const readMessage = (text: string): Message | undefined => {
  try {
    return Message.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};
