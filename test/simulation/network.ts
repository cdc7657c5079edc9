/**
 * The way between clients and the broker: bytes in order, each direction with a delay of its own. A way can be slow for a
 * while, stand still (packets that are sent again and again), or break off: what was under way is then lost on either side.
 */
import type { Server } from "@nats-io/nats-core";
import { errors } from "@nats-io/nats-core";
import { NatsConnectionImpl, setTransportFactory, type Transport } from "@nats-io/nats-core/internal";
import type { BrokerOptions } from "../../src/adapters/nats/broker.ts";
import { currentMachine, type Machine } from "./virtual-time.ts";

/** One end of a connection, as the other side's bytes reach it. */
export interface End {
  readonly machine: Machine;
  received(bytes: Uint8Array): void;
  /** The connection is no more. */
  lost(): void;
}

export interface Line {
  /** Sends to the other side. */
  send(bytes: Uint8Array): void;
  /** Ends the connection; the other side learns of it. */
  end(): void;
}

/** Who takes connections. */
export interface Listener {
  readonly machine: Machine;
  /** @returns undefined where nothing listens */
  accept(line: Line, client: Machine): End | undefined;
}

/** Milliseconds of one way on a quiet network. */
const QUICKEST_MS = 0.2;
const SPREAD_MS = 0.8;

class Connection {
  readonly ends: [End | undefined, End | undefined] = [undefined, undefined];
  isOpen = true;
  readonly #network: Network;
  readonly #arrivedAt = [0, 0];

  constructor(network: Network) {
    this.#network = network;
  }

  line(side: 0 | 1): Line {
    return {
      send: (bytes) => this.#arrive(side, () => this.#to(side)?.received(bytes)),
      end: () => {
        if (!this.isOpen) return;
        const other = this.#to(side);
        this.isOpen = false;
        if (other) this.#network.deliver(other.machine, 0, () => other.lost());
      },
    };
  }

  /** Both sides learn that it is broken; nothing that was under way arrives. */
  break(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const end of this.ends) if (end) this.#network.deliver(end.machine, 0, () => end.lost());
  }

  #to(side: 0 | 1): End | undefined {
    return this.ends[1 - side];
  }

  #arrive(side: 0 | 1, run: () => void): void {
    const target = this.#to(side);
    if (!this.isOpen || !target) return;
    const { world } = target.machine;
    const at = Math.max(this.#arrivedAt[side]!, world.now + this.#network.delayMs(this.client));
    this.#arrivedAt[side] = at;
    world.schedule(target.machine, at - world.now, () => {
      if (this.isOpen) run();
    });
  }

  get client(): Machine | undefined {
    return this.ends[0]?.machine;
  }
}

/** One broker's network. */
export class Network {
  readonly #listener: Listener;
  readonly #connections = new Set<Connection>();
  readonly #slow = new Map<Machine, { until: number; ms: number }>();
  readonly #stalled = new Map<Machine, number>();

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  deliver(machine: Machine, ms: number, run: () => void): void {
    machine.world.schedule(machine, ms + QUICKEST_MS, run);
  }

  /** Drawn for each packet. */
  delayMs(client: Machine | undefined): number {
    const { world, random } = this.#listener.machine;
    const quick = QUICKEST_MS + SPREAD_MS * random.next();
    if (!client) return quick;
    const slow = this.#slow.get(client);
    const lateMs = slow && slow.until > world.now ? slow.ms * random.next() : 0;
    return quick + lateMs + Math.max(0, (this.#stalled.get(client) ?? 0) - world.now);
  }

  /** Each packet of this client takes up to `ms` longer, for a while: its machine is busy, or the way to it. */
  slow(client: Machine, ms: number, forMs: number): void {
    this.#slow.set(client, { until: client.world.now + forMs, ms });
  }

  /** Nothing of this client's arrives for a while, either way; then all of it does. */
  stall(client: Machine, forMs: number): void {
    this.#stalled.set(client, client.world.now + forMs);
  }

  /** Breaks the connections of one client, or all. */
  break(client?: Machine): void {
    for (const connection of this.#connections)
      if (!client || connection.client === client) {
        connection.break();
        this.#connections.delete(connection);
      }
  }

  /** @returns the client's end of a new connection; undefined where nothing listens */
  dial(client: End): Line | undefined {
    const connection = new Connection(this);
    connection.ends[0] = client;
    const end = this.#listener.accept(connection.line(1), client.machine);
    if (!end) return undefined;
    connection.ends[1] = end;
    this.#connections.add(connection);
    return connection.line(0);
  }
}

/** The client's transport over such a network. */
class SimulatedTransport implements Transport, End {
  readonly lang = "simulated";
  readonly version = "1";
  readonly machine: Machine;
  isClosed = false;
  closeError?: Error;
  readonly #network: Network;
  readonly #closed = Promise.withResolvers<undefined>();
  #arrived: Uint8Array[] = [];
  #more = Promise.withResolvers<void>();
  #line: Line | undefined;

  constructor(network: Network) {
    const machine = currentMachine();
    if (!machine) throw new Error("connections of a simulation are made within a machine");
    this.machine = machine;
    this.#network = network;
  }

  async connect(_: Server): Promise<void> {
    await this.machine.clock.sleep(this.#network.delayMs(this.machine));
    this.#line = this.#network.dial(this);
    if (!this.#line) throw new errors.ConnectionError("connection refused");
  }

  received(bytes: Uint8Array): void {
    if (this.isClosed) return;
    this.#arrived.push(bytes);
    this.#more.resolve();
  }

  lost(): void {
    this.#end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#arrived.length === 0) await this.#more.promise;
      const arrived = this.#arrived;
      this.#arrived = [];
      this.#more = Promise.withResolvers();
      yield* arrived;
      if (this.isClosed) return;
    }
  }

  isEncrypted(): boolean {
    return false;
  }

  send(frame: Uint8Array): void {
    // The client uses its buffers again.
    if (!this.isClosed) this.#line?.send(Uint8Array.from(frame));
  }

  async close(error?: Error): Promise<void> {
    if (error) this.closeError = error;
    this.#line?.end();
    this.#end();
  }

  disconnect(): void {
    this.#line?.end();
    this.#end();
  }

  closed(): Promise<undefined> {
    return this.#closed.promise;
  }

  discard(): void {
    this.#line?.end();
    this.isClosed = true;
    this.#more.resolve();
  }

  #end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#more.resolve();
    this.#closed.resolve(undefined);
  }
}

/** Connects the real client over a simulated network: `BrokerOptions.connect`. */
export const connectOver =
  (network: Network): NonNullable<BrokerOptions["connect"]> =>
  (options) => {
    setTransportFactory({ factory: () => new SimulatedTransport(network) });
    return NatsConnectionImpl.connect(options);
  };
