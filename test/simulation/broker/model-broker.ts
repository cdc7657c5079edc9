/**
 * A model of nats-server with JetStream, as far as the registry uses it: what src/adapters/nats asks over the wire, it
 * answers as the real server does (test/simulation/differential.test.ts holds it to that), and its known faults can be
 * made to happen. Everything is in memory and in virtual time.
 *
 * Not modelled: permissions, TLS, flow control, the store's bytes to the byte, deletion markers that the server makes.
 */
import type { ConsumerConfig, StreamConfig } from "@nats-io/jetstream";
import type { End, Line, Listener } from "../network.ts";
import type { Machine } from "../virtual-time.ts";
import { answerApi } from "./api.ts";
import { type ConsumerHost, ModelConsumer } from "./consumer.ts";
import { Schedules } from "./schedules.ts";
import { type Change, ERRORS, type Outcome, Stream } from "./stream.ts";
import { formatHeaders, type Headers, matches, NO_HEADERS, parseHeaders } from "./subjects.ts";
import { formatMessage, Reader } from "./wire.ts";

/** What can be made to go wrong, beside the network. */
export interface Faults {
  /** No message can be stored: a full disk, an account's limit. */
  cannotStore: boolean;
  /** No removal can be written down: what is acked stays, and so does a schedule that fired. */
  cannotRemove: boolean;
  /** The broker is not there. */
  down: boolean;
}

interface Subscription {
  client: Client;
  sid: string;
  subject: string;
  /** After so many messages it ends by itself. */
  left: number;
}

const PING = Buffer.from("PING\r\n");
const PONG = Buffer.from("PONG\r\n");
const NOTHING = Buffer.alloc(0);
const NO_RESPONDERS = formatHeaders(NO_HEADERS, "503");
const PING_EVERY_MS = 120_000;

class Client implements End {
  readonly machine: Machine;
  readonly line: Line;
  readonly subscriptions = new Map<string, Subscription>();
  readonly #broker: ModelBroker;
  readonly #reader = new Reader();
  isOpen = true;

  constructor(broker: ModelBroker, line: Line) {
    this.#broker = broker;
    this.machine = broker.machine;
    this.line = line;
  }

  received(bytes: Uint8Array): void {
    for (const command of this.#reader.read(bytes)) {
      if (!this.isOpen) return;
      if (command.kind === "ping") this.line.send(PONG);
      else if (command.kind === "sub") this.#broker.subscribe(this, command.subject, command.sid);
      else if (command.kind === "unsub") this.#broker.unsubscribe(this, command.sid, command.max);
      else if (command.kind === "pub") {
        const headers = command.headers ? parseHeaders(command.headers) : NO_HEADERS;
        // The reader's bytes are the network's.
        this.#broker.published(command.subject, command.reply, headers, Buffer.from(command.data));
      }
    }
  }

  lost(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#broker.gone(this);
  }
}

export class ModelBroker implements Listener, ConsumerHost {
  readonly machine: Machine;
  readonly faults: Faults = { cannotStore: false, cannotRemove: false, down: false };
  readonly streams = new Map<string, Stream>();
  readonly consumers = new Map<string, Map<string, ModelConsumer>>();
  /** Told of every message that comes or goes in any stream. */
  onChange: ((stream: Stream, change: Change) => void) | undefined;
  readonly #clients = new Set<Client>();
  readonly #exact = new Map<string, Set<Subscription>>();
  readonly #wild = new Map<string, Set<Subscription>>();
  readonly #homes = new Map<string, Stream>();
  readonly #schedules: Schedules;

  constructor(machine: Machine) {
    this.machine = machine;
    this.#schedules = new Schedules(machine, (stream, message) => this.#fire(stream, message));
  }

  // ------------------------------------------------------------ clients

  accept(line: Line): End | undefined {
    if (this.faults.down) return undefined;
    const client = new Client(this, line);
    this.#clients.add(client);
    const info = {
      server_id: "MODEL",
      server_name: "model",
      version: "2.15.0",
      proto: 1,
      host: "127.0.0.1",
      port: 4222,
      headers: true,
      max_payload: 8 << 20,
      jetstream: true,
      client_id: this.#clients.size,
      client_ip: "127.0.0.1",
    };
    this.machine.enter(() => line.send(Buffer.from(`INFO ${JSON.stringify(info)}\r\n`)));
    this.#ping(client);
    return client;
  }

  #ping(client: Client): void {
    this.machine.world.schedule(this.machine, PING_EVERY_MS, () => {
      if (!client.isOpen) return;
      client.line.send(PING);
      this.#ping(client);
    });
  }

  gone(client: Client): void {
    this.#clients.delete(client);
    for (const subscription of client.subscriptions.values()) this.#forget(subscription);
  }

  subscribe(client: Client, subject: string, sid: string): void {
    const subscription = { client, sid, subject, left: Number.POSITIVE_INFINITY };
    client.subscriptions.set(sid, subscription);
    const table = subject.includes("*") || subject.endsWith(">") ? this.#wild : this.#exact;
    const known = table.get(subject);
    if (known) known.add(subscription);
    else table.set(subject, new Set([subscription]));
    for (const consumers of this.consumers.values())
      for (const consumer of consumers.values())
        if (consumer.config.deliver_subject && matches(subject, consumer.config.deliver_subject))
          consumer.deliver();
  }

  unsubscribe(client: Client, sid: string, max: number): void {
    const subscription = client.subscriptions.get(sid);
    if (!subscription) return;
    if (max > 0) subscription.left = max;
    else this.#forget(subscription);
  }

  #forget(subscription: Subscription): void {
    subscription.client.subscriptions.delete(subscription.sid);
    for (const table of [this.#exact, this.#wild]) {
      const known = table.get(subscription.subject);
      known?.delete(subscription);
      if (known?.size === 0) table.delete(subscription.subject);
    }
  }

  #heard(subject: string): Subscription[] {
    const found = [...(this.#exact.get(subject) ?? [])];
    const parent = `${subject.slice(0, subject.lastIndexOf("."))}.*`;
    for (const subscription of this.#wild.get(parent) ?? []) found.push(subscription);
    for (const [filter, subscriptions] of this.#wild)
      if (filter !== parent && matches(filter, subject)) found.push(...subscriptions);
    return found;
  }

  isHeard(subject: string): boolean {
    return this.#heard(subject).length > 0;
  }

  send(to: string, subject: string, reply: string, headers: Buffer | undefined, data: Buffer): boolean {
    const heard = this.#heard(to);
    for (const subscription of heard) {
      const { client, sid } = subscription;
      client.line.send(formatMessage(sid, subject, reply, headers, data));
      if (--subscription.left <= 0) this.#forget(subscription);
    }
    return heard.length > 0;
  }

  // ------------------------------------------------------------ what is published

  published(subject: string, reply: string, headers: Headers, data: Buffer): void {
    if (subject.startsWith("$JS.ACK.")) {
      this.#acked(subject, data.toString("latin1"));
      return;
    }
    if (subject.startsWith("$JS.API.")) {
      answerApi(this, subject.slice("$JS.API.".length), reply, data);
      return;
    }
    const isHeard = this.send(subject, subject, reply, undefined, data);
    const stream = this.streamOf(subject);
    if (!stream) {
      if (!isHeard && reply) this.noResponders(reply);
      return;
    }
    const outcome = this.store(stream, subject, headers, data);
    if (reply) this.json(reply, pubAck(stream, outcome));
  }

  json(reply: string, value: object): void {
    this.send(reply, reply, "", undefined, Buffer.from(JSON.stringify(value)));
  }

  noResponders(reply: string): void {
    this.send(reply, reply, "", NO_RESPONDERS, NOTHING);
  }

  streamOf(subject: string): Stream | undefined {
    const known = this.#homes.get(subject);
    if (known) return known;
    for (const stream of this.streams.values()) {
      if (!stream.takes(subject)) continue;
      if (this.#homes.size > 20_000) this.#homes.clear();
      this.#homes.set(subject, stream);
      return stream;
    }
    return undefined;
  }

  store(stream: Stream, subject: string, headers: Headers, data: Buffer): Outcome {
    if (this.faults.cannotStore) return { ok: false, error: ERRORS.noStorage };
    const outcome = stream.publish(subject, headers, data, this.machine.wallMs());
    if (outcome.ok) for (const consumer of this.consumersOf(stream)) consumer.deliver();
    return outcome;
  }

  #acked(subject: string, word: string): void {
    const [stream = "", name = "", , seq = "", deliverySeq = ""] = subject.split(".").slice(2);
    const consumer = this.consumers.get(stream)?.get(name);
    consumer?.acked(Number(seq), Number(deliverySeq), word || "+ACK");
  }

  // ------------------------------------------------------------ streams and consumers

  consumersOf(stream: Stream): Iterable<ModelConsumer> {
    return this.consumers.get(stream.config.name)?.values() ?? [];
  }

  addStream(config: StreamConfig): Stream {
    const stream: Stream = new Stream(config, this.machine.wallMs(), (change) => {
      for (const consumer of this.consumersOf(stream)) consumer.changed(change);
      this.#schedules.changed(stream, change);
      this.onChange?.(stream, change);
    });
    this.streams.set(config.name, stream);
    this.consumers.set(config.name, new Map());
    return stream;
  }

  addConsumer(stream: Stream, name: string, config: ConsumerConfig): ModelConsumer {
    const consumers = this.consumers.get(stream.config.name)!;
    const known = consumers.get(name);
    if (known) {
      known.config = { ...known.config, ...config };
      return known;
    }
    const consumer = new ModelConsumer(stream, name, config, this);
    consumers.set(name, consumer);
    return consumer;
  }

  removeConsumer(stream: string, name: string): boolean {
    const consumer = this.consumers.get(stream)?.get(name);
    if (consumer) consumer.isGone = true;
    return this.consumers.get(stream)?.delete(name) ?? false;
  }

  expired(consumer: ModelConsumer): void {
    this.removeConsumer(consumer.stream.config.name, consumer.name);
  }

  canRemove(): boolean {
    return !this.faults.cannotRemove;
  }

  // ------------------------------------------------------------ schedules

  /** When the next schedule fires, wall milliseconds; infinite where there is none. */
  get nextScheduleMs(): number {
    return this.#schedules.nextMs;
  }

  /** @returns whether it could be stored */
  #fire(stream: Stream, message: { seq: number; subject: string; headers: Headers; data: Buffer }): boolean {
    const headers = new Map<string, string>();
    for (const [name, value] of message.headers)
      if (!name.startsWith("Nats-Schedule") && !name.startsWith("Nats-Expected")) headers.set(name, value);
    headers.set("Nats-Scheduler", message.subject);
    headers.set("Nats-Schedule-Next", "purge");
    const target = message.headers.get("Nats-Schedule-Target")!;
    const outcome = this.store(stream, target, headers, message.data);
    if (outcome.ok && this.canRemove()) stream.remove(message.seq);
    return outcome.ok;
  }

  // ------------------------------------------------------------ faults

  /** The server was killed: what was stored stays; who waited, and which schedules are under way, is forgotten. */
  restarted(): void {
    for (const client of [...this.#clients]) client.lost();
    for (const consumers of this.consumers.values())
      for (const consumer of consumers.values()) {
        if (consumer.config.deliver_subject) this.expired(consumer);
        else consumer.restarted();
      }
    this.#schedules.restarted();
  }

  /** Another server leads: like a restart, and what is in workers' hands is handed out again. */
  tookOver(): void {
    this.restarted();
    for (const consumers of this.consumers.values())
      for (const consumer of consumers.values()) consumer.tookOver();
  }

  /** The wall clock was set: timers that were armed by the earlier one look again. */
  clockWasSet(): void {
    this.#schedules.restarted();
  }
}

function pubAck(stream: Stream, outcome: Outcome): object {
  const name = { stream: stream.config.name };
  if (!outcome.ok) return { error: outcome.error, ...name, seq: 0 };
  const { seq, duplicate, val } = outcome;
  return { ...name, seq, ...(duplicate && { duplicate }), ...(val !== undefined && { val }) };
}
