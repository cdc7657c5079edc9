/** The model broker's answers to requests of JetStream's API (`$JS.API.…`). */
import type { ConsumerConfig, StreamConfig } from "@nats-io/jetstream";
import type { Machine } from "../virtual-time.ts";
import type { ModelConsumer } from "./consumer.ts";
import { type ApiError, ERRORS, type Stored, type Stream } from "./stream.ts";
import { formatHeaders, matches, NO_HEADERS } from "./subjects.ts";

const NOTHING = Buffer.alloc(0);

/** What the server adds to a configuration that does not say otherwise. */
const STREAM_DEFAULTS = {
  retention: "limits",
  max_consumers: -1,
  max_msgs: -1,
  max_bytes: -1,
  max_age: 0,
  max_msgs_per_subject: -1,
  max_msg_size: -1,
  discard: "old",
  storage: "file",
  num_replicas: 1,
  duplicate_window: 120_000_000_000,
  allow_direct: false,
  sealed: false,
  deny_delete: false,
  deny_purge: false,
  allow_rollup_hdrs: false,
} as unknown as StreamConfig;

/** What the API needs of the broker. */
interface ApiHost {
  readonly machine: Machine;
  readonly streams: ReadonlyMap<string, Stream>;
  readonly consumers: ReadonlyMap<string, ReadonlyMap<string, ModelConsumer>>;
  send(to: string, subject: string, reply: string, headers: Buffer | undefined, data: Buffer): boolean;
  json(reply: string, value: object): void;
  noResponders(reply: string): void;
  addStream(config: StreamConfig): Stream;
  addConsumer(stream: Stream, name: string, config: ConsumerConfig): ModelConsumer;
  removeConsumer(stream: string, name: string): boolean;
  canRemove(): boolean;
}

type Body = Record<string, unknown>;

interface Asked {
  broker: ApiHost;
  /** Tokens after the operation's own. */
  names: string[];
  body: Body;
  reply: string;
}

type Answer = Record<string, unknown> | { error: ApiError };

function streamState(stream: Stream, filter?: string): object {
  const subjects: Record<string, number> = {};
  if (filter)
    for (const [subject, seqs] of stream.subjects)
      if (matches(filter, subject)) subjects[subject] = seqs.length;
  return {
    messages: stream.count,
    bytes: stream.bytes,
    first_seq: stream.firstSeq,
    last_seq: stream.lastSeq,
    consumer_count: 0,
    num_subjects: stream.subjects.size,
    ...(filter && { subjects }),
  };
}

const streamInfo = ({ broker, body }: Asked, stream: Stream): Answer => ({
  config: stream.config,
  created: new Date(stream.createdMs).toISOString(),
  state: streamState(stream, body.subjects_filter as string | undefined),
  ts: new Date(broker.machine.wallMs()).toISOString(),
  total: 0,
  offset: 0,
  limit: 100_000,
});

const withStream =
  (answer: (asked: Asked, stream: Stream) => Answer) =>
  (asked: Asked): Answer => {
    const stream = asked.broker.streams.get(asked.names[0] ?? "");
    if (!stream) return { error: ERRORS.noStream };
    stream.prune(asked.broker.machine.wallMs());
    return answer(asked, stream);
  };

function found(stream: Stream, body: Body): Stored | undefined {
  const { last_by_subj, next_by_subj, seq } = body as {
    last_by_subj?: string;
    next_by_subj?: string;
    seq?: number;
  };
  if (last_by_subj !== undefined) return stream.last(last_by_subj);
  return next_by_subj !== undefined ? stream.next(seq ?? 1, next_by_subj) : stream.get(seq ?? 0);
}

const getMessage = withStream(({ body }, stream) => {
  const message = found(stream, body);
  if (!message) return { error: ERRORS.noMessage };
  const { subject, seq, headers, data, timeMs } = message;
  return {
    message: {
      subject,
      seq,
      ...(headers.size > 0 && { hdrs: formatHeaders(headers).toString("base64") }),
      data: data.toString("base64"),
      time: new Date(timeMs).toISOString(),
    },
  };
});

const deleteMessage = withStream(({ broker, body }, stream) => {
  if (!broker.canRemove()) return { error: ERRORS.noStorage };
  return stream.remove(body.seq as number) ? { success: true } : { error: ERRORS.deleteFailed };
});

function createStream({ broker, body, names }: Asked): Answer {
  const known = broker.streams.get(names[0]!);
  if (known) known.config = { ...known.config, ...body };
  const stream = known ?? broker.addStream({ ...STREAM_DEFAULTS, ...(body as unknown as StreamConfig) });
  return { ...streamInfo({ broker, body: {}, names, reply: "" }, stream), did_create: !known };
}

const createConsumer = withStream(({ broker, names, body }, stream) => {
  const config = body.config as ConsumerConfig;
  const name = names[1] ?? config.name ?? config.durable_name ?? "";
  return broker.addConsumer(stream, name, { ...config, name }).info() as Answer;
});

const withConsumer = (answer: (asked: Asked) => Answer | undefined) => (asked: Asked) =>
  asked.broker.consumers.get(asked.names[0]!)?.has(asked.names[1]!)
    ? answer(asked)
    : { error: ERRORS.noConsumer };

const OPERATIONS: Record<string, (asked: Asked) => Answer | undefined> = {
  INFO: () => ({
    memory: 0,
    storage: 0,
    streams: 0,
    consumers: 0,
    limits: {},
    api: { level: 4, total: 0, errors: 0 },
  }),
  "STREAM.CREATE": createStream,
  "STREAM.UPDATE": createStream,
  "STREAM.INFO": withStream(streamInfo),
  "STREAM.MSG.GET": getMessage,
  "STREAM.MSG.DELETE": deleteMessage,
  "CONSUMER.CREATE": createConsumer,
  "CONSUMER.DURABLE.CREATE": createConsumer,
  "CONSUMER.INFO": withConsumer(
    ({ broker, names }) => broker.consumers.get(names[0]!)!.get(names[1]!)!.info() as Answer,
  ),
  "CONSUMER.DELETE": withConsumer(({ broker, names }) => ({
    success: broker.removeConsumer(names[0]!, names[1]!),
  })),
  "CONSUMER.MSG.NEXT": ({ broker, names, body, reply }) => {
    broker.consumers.get(names[0]!)?.get(names[1]!)?.pull(reply, body);
    return undefined;
  },
};
const NAMES = Object.keys(OPERATIONS).sort((one, other) => other.length - one.length);

const parse = (data: Buffer): Body => (data.length > 0 ? (JSON.parse(data.toString()) as Body) : {});

/** @param subject without `$JS.API.` */
export function answerApi(broker: ApiHost, subject: string, reply: string, data: Buffer): void {
  if (subject.startsWith("DIRECT.GET.")) {
    directGet(broker, subject.slice("DIRECT.GET.".length), reply, data);
    return;
  }
  const operation = NAMES.find((name) => subject === name || subject.startsWith(`${name}.`));
  if (!operation) {
    broker.json(reply, { error: ERRORS.notFound(subject) });
    return;
  }
  const names = subject.slice(operation.length + 1).split(".");
  const answer = OPERATIONS[operation]!({ broker, names, body: parse(data), reply });
  if (answer) broker.json(reply, answer);
}

/** Reads without a consumer (ADR-31): one message, or a batch of them and its end. */
function directGet(broker: ApiHost, rest: string, reply: string, data: Buffer): void {
  const dot = rest.indexOf(".");
  const stream = broker.streams.get(dot < 0 ? rest : rest.slice(0, dot));
  if (!stream?.config.allow_direct) {
    broker.noResponders(reply);
    return;
  }
  stream.prune(broker.machine.wallMs());
  const body = dot < 0 ? parse(data) : { last_by_subj: rest.slice(dot + 1) };
  if (body.batch !== undefined || body.multi_last !== undefined) {
    directBatch(broker, stream, body, reply);
    return;
  }
  const message = found(stream, body);
  if (!message) {
    statusTo(broker, reply, "404 Message Not Found");
    return;
  }
  sendDirect(broker, stream, message, reply, []);
}

const statusTo = (broker: ApiHost, reply: string, status: string): void =>
  void broker.send(reply, reply, "", formatHeaders(NO_HEADERS, status), NOTHING);

function sendDirect(
  broker: ApiHost,
  stream: Stream,
  { subject, seq, headers, data, timeMs }: Stored,
  reply: string,
  more: [string, string][],
): void {
  const shown = new Map([
    ...headers,
    ["Nats-Stream", stream.config.name],
    ["Nats-Subject", subject],
    ["Nats-Sequence", String(seq)],
    ["Nats-Time-Stamp", new Date(timeMs).toISOString()],
    ...more,
  ]);
  broker.send(reply, reply, "", formatHeaders(shown), data);
}

function directBatch(broker: ApiHost, stream: Stream, body: Body, reply: string): void {
  const {
    seq = 1,
    batch = 1_024,
    next_by_subj = ">",
    multi_last,
    max_bytes = 0,
  } = body as {
    seq?: number;
    batch?: number;
    next_by_subj?: string;
    multi_last?: string[];
    max_bytes?: number;
  };
  const isWanted = ({ subject, seq: own }: Stored): boolean =>
    multi_last
      ? multi_last.some((filter) => matches(filter, subject)) && stream.last(subject)?.seq === own
      : own >= seq && matches(next_by_subj, subject);
  const wanted = [...stream.all()].filter(isWanted);
  if (wanted.length === 0) {
    statusTo(broker, reply, "404 No Results");
    return;
  }
  let [sent, bytes, last] = [0, 0, 0];
  for (const message of wanted) {
    if (sent >= batch || (max_bytes > 0 && bytes >= max_bytes)) break;
    sent++;
    bytes += message.data.length;
    const numbers: [string, string][] = [
      ["Nats-Num-Pending", String(wanted.length - sent)],
      ["Nats-Last-Sequence", String(last)],
    ];
    sendDirect(broker, stream, message, reply, numbers);
    last = message.seq;
  }
  const end = new Map([
    ["Nats-Num-Pending", String(wanted.length - sent)],
    ["Nats-Last-Sequence", String(last)],
  ]);
  broker.send(reply, reply, "", formatHeaders(end, "204 EOB"), NOTHING);
}
