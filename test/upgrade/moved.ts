/**
 * What a broker forgets by age, carried beside the store: a fixture is read years after it was written. Its messages are
 * published anew, with the times in them moved as if the registry had been stopped a minute ago.
 */
import { type JetStreamManager, jetstream, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import { headers as natsHeaders } from "@nats-io/nats-core";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { PREFIX } from "./version.ts";

interface Message {
  subject: string;
  headers: [string, string[]][];
  /** Base64. */
  data: string;
}

export interface Moved {
  /** When it was read, milliseconds. */
  at: number;
  /** Stream → its messages in order. */
  streams: Record<string, Message[]>;
}

const STOPPED_FOR_MS = 60_000;
const NEAR_MS = 400 * 86_400_000;
/** Of one publisher at one time. */
const NOT_REPEATED = /^Nats-(Msg-Id|Expected-|Incr$|Counter-Sources$|TTL$)/;

export const connectTo = (url: string): Promise<NatsConnection> => {
  const { username, password, host } = new URL(url);
  return connect({ servers: host, user: decodeURIComponent(username), pass: decodeURIComponent(password) });
};

/**
 * Every message of a stream, in order, with those that come while it is read: a broker that starts moves the tokens that fell
 * due meanwhile to the stream's end.
 */
export async function* messagesOf(jsm: JetStreamManager, stream: string): AsyncIterable<StoredMsg> {
  let next = 1;
  for (;;) {
    const { state } = await jsm.streams.info(stream);
    next = Math.max(next, state.first_seq);
    if (next > state.last_seq) return;
    for (; next <= state.last_seq; next++) {
      const message = await jsm.streams.getMessage(stream, { seq: next });
      if (message) yield message;
    }
  }
}

/** Sites and keys of tokens are judged by the times in them, though they are kept for ever. */
const JUDGED = ["sites", "service"].map((name) => `KV_${PREFIX}_${name}`);
const isMoved = (name: string, maxAge: number): boolean => maxAge > 0 || JUDGED.includes(name);

/** Reads what goes into `moved.json`. */
export const readMoved = async (url: string): Promise<Moved> => {
  const connection = await connectTo(url);
  const jsm = await jetstreamManager(connection);
  const streams: Moved["streams"] = {};
  for await (const { config } of jsm.streams.list()) {
    if (!isMoved(config.name, config.max_age ?? 0)) continue;
    const messages: Message[] = [];
    for await (const { subject, header, data } of messagesOf(jsm, config.name))
      messages.push({
        subject,
        headers: [...header].map(([name, values]) => [name, [...values]]),
        data: Buffer.from(data).toString("base64"),
      });
    streams[config.name] = messages;
  }
  await connection.close();
  return { at: Date.now(), streams };
};

/** A text's times, moved: ISO 8601, and whole or broken milliseconds and whole seconds since the epoch, of years near `at`. */
const shiftTimes = (text: string, at: number, byMs: number): string =>
  text
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g, (time) =>
      new Date(Date.parse(time) + byMs).toISOString(),
    )
    .replace(/(?<=[:,[])\d{13}(?=[.,\]}])/g, (ms) =>
      Math.abs(Number(ms) - at) < NEAR_MS ? String(Number(ms) + byMs) : ms,
    )
    .replace(/(?<=[:,[])\d{10}(?=[,\]}])/g, (seconds) =>
      Math.abs(Number(seconds) * 1_000 - at) < NEAR_MS
        ? String(Number(seconds) + Math.round(byMs / 1_000))
        : seconds,
    );

const PERIODS = { minute: 12, day: 8, month: 6 } as const;

/**
 * Subjects of a count in the periods that it is to be read in. A minute ends while a test runs: it counts in the next two
 * as well.
 */
const countedAgain = (subject: string, window: keyof typeof PERIODS): string[] => {
  const key = subject.slice(0, subject.lastIndexOf("."));
  const times = window === "minute" ? [0, 60_000, 120_000] : [0];
  return times.map((laterMs) => {
    const digits = new Date(Date.now() + laterMs).toISOString().replace(/\D/g, "");
    return `${key}.${digits.slice(0, PERIODS[window])}`;
  });
};

/** Puts the messages back, in place of what the broker still had of them. */
export const restoreMoved = async (url: string, { at, streams }: Moved): Promise<void> => {
  const connection = await connectTo(url);
  const jsm = await jetstreamManager(connection);
  const js = jetstream(connection);
  const byMs = Date.now() - STOPPED_FOR_MS - at;
  for (const [name, messages] of Object.entries(streams)) {
    await jsm.streams.purge(name);
    const window = (Object.keys(PERIODS) as (keyof typeof PERIODS)[]).find((each) =>
      name.endsWith(`_COUNT_${each.toUpperCase()}`),
    );
    await Promise.all(
      messages.flatMap(({ subject, headers: given, data }) => {
        const headers = natsHeaders();
        for (const [header, values] of given)
          if (!NOT_REPEATED.test(header)) for (const value of values) headers.append(header, value);
        const bytes = Buffer.from(data, "base64");
        if (window) {
          headers.set("Nats-Incr", `+${JSON.parse(bytes.toString()).val}`);
          return countedAgain(subject, window).map((each) => js.publish(each, "", { headers }));
        }
        const text = bytes.toString("utf8");
        const isText = Buffer.from(text).equals(bytes);
        return [js.publish(subject, isText ? shiftTimes(text, at, byMs) : bytes, { headers })];
      }),
    );
  }
  await connection.close();
};
