/**
 * When a request is taken up, and its body read: those of one connection one at a time, and of all connections no more in one turn of
 * the event loop than a few milliseconds' work, networks by rotation. Node hands out every pipelined request of a packet, and every socket
 * that is ready, within one turn: what each of them costs would add up to a turn that holds up everybody (docs/decisions/0134).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of a connection that may wait for the one before them; after the last of them it is closed (RFC 9112 section 9.3.2). */
export const MOST_PIPELINED = 32;
/**
 * Work of one turn of the event loop, in units of a request's, some tenths of a millisecond. Counted and not timed: on a busy machine
 * a clock goes on while this thread waits for a processor, and a turn would begin less the longer everybody has waited.
 */
const MOST_UNITS = 24;

type Work = () => void;

/** Work that waits. */
interface Piece {
  readonly units: number;
  readonly work: Work;
}

/** What of a network waits, and how much of it may be begun before the next network's. */
interface Share {
  units: number;
  readonly pieces: Piece[];
}

/**
 * Work of the event loop's turns, by network: each may begin as many units as the others, not as many pieces (deficit round robin,
 * Shreedhar and Varghese 1995). A network that sends large bodies holds up nobody's small ones.
 */
class LoopQueue {
  readonly #networks = new Map<string, Share>();
  #size = 0;
  /** Units begun in this turn of the event loop; undefined: none were asked for yet. */
  #begun: number | undefined;

  /** Has it begun in a later turn. */
  add(network: string, units: number, work: Work): void {
    this.#hasRoom(0);
    const share = this.#networks.get(network);
    if (share) share.pieces.push({ units, work });
    else this.#networks.set(network, { units: MOST_UNITS, pieces: [{ units, work }] });
    this.#size++;
  }

  /** Has it begun now, where this turn has room and nothing waits; else in a later one. */
  begin(network: string, units: number, work: Work): void {
    if (this.#size > 0 || !this.#hasRoom(units)) {
      this.add(network, units, work);
      return;
    }
    this.#begun! += units;
    work();
  }

  /** One piece that is more than a turn's has a turn to itself. */
  #hasRoom(units: number): boolean {
    if (this.#begun === undefined) {
      this.#begun = 0;
      setImmediate(this.#endTurn);
    }
    return this.#begun === 0 || this.#begun + units <= MOST_UNITS;
  }

  readonly #endTurn = (): void => {
    this.#begun = undefined;
    if (this.#size === 0) return;
    this.#hasRoom(0);
    // Each in a callback of its own: what it sets going in microtasks is done before the next.
    for (let i = Math.min(this.#size, MOST_UNITS); i > 0; i--) setImmediate(this.#beginNext);
  };

  readonly #beginNext = (): void => {
    const piece = this.#next();
    if (!piece) return;
    this.#begun! += piece.units;
    piece.work();
  };

  /** The first piece of the network that is next; undefined: it waits on for room. */
  #next(): Piece | undefined {
    for (const [network, share] of this.#networks) {
      const { units } = share.pieces[0]!;
      if (units <= share.units) return this.#hasRoom(units) ? this.#take(network, share) : undefined;
      share.units += MOST_UNITS;
      // It comes again behind the others, in this loop.
      this.#networks.delete(network);
      this.#networks.set(network, share);
    }
    return undefined;
  }

  #take(network: string, share: Share): Piece {
    const piece = share.pieces.shift()!;
    share.units -= piece.units;
    if (share.pieces.length === 0) this.#networks.delete(network);
    this.#size--;
    return piece;
  }
}

/** A request that has come. */
interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly network: string;
  readonly take: Work;
}

/** Requests of one connection. */
interface Pipeline {
  current: Arrival | undefined;
  readonly waiting: Arrival[];
  isFull: boolean;
  /** To be done when nothing that is complete is left to answer. */
  whenAnswered: Work | undefined;
}

export interface RequestQueue {
  /**
   * Has a request taken up: at once, where this turn of the event loop has room and nothing waits.
   * @param take begins its work; not called where its connection has ended before
   */
  enter(request: IncomingMessage, response: ServerResponse, network: string, take: Work): void;
  /** Has more of a request's work done in a later turn of the event loop. @param units of a request's own work */
  later(network: string, units: number, work: Work): void;
  /** Has something done, once, when the complete requests of a connection are answered: at once, where all are. */
  whenAnswered(socket: Socket, work: Work): void;
}

export function createRequestQueue(): RequestQueue {
  const loop = new LoopQueue();
  const pipelines = new WeakMap<Socket, Pipeline>();

  const takeUp = (pipeline: Pipeline, { request, response, take }: Arrival): void => {
    // One whose client has gone ends nothing: its connection has.
    if (request.socket.destroyed) return;
    response.once("close", () => answered(pipeline, request.socket));
    take();
  };

  const answered = (pipeline: Pipeline, socket: Socket): void => {
    const { waiting, isFull, whenAnswered } = pipeline;
    const next = waiting.shift();
    pipeline.current = next;
    if (whenAnswered && !isAnswering(pipeline)) {
      pipeline.whenAnswered = undefined;
      whenAnswered();
    }
    if (!next) return;
    if (waiting.length === 0 && !isFull) socket.resume();
    // Not in this turn, in which the one before it ended.
    loop.add(next.network, 1, () => takeUp(pipeline, next));
  };

  const pipelineOf = (socket: Socket): Pipeline => {
    let pipeline = pipelines.get(socket);
    if (!pipeline) {
      pipeline = { current: undefined, waiting: [], isFull: false, whenAnswered: undefined };
      pipelines.set(socket, pipeline);
    }
    return pipeline;
  };

  return {
    enter: (request, response, network, take) => {
      const { socket } = request;
      const pipeline = pipelineOf(socket);
      const arrival = { request, response, network, take };
      if (pipeline.isFull) return;
      if (!pipeline.current) {
        pipeline.current = arrival;
        loop.begin(network, 1, () => takeUp(pipeline, arrival));
        return;
      }
      pipeline.waiting.push(arrival);
      // Nothing more is read meanwhile but what came in the same packet.
      socket.pause();
      if (pipeline.waiting.length < MOST_PIPELINED) return;
      pipeline.isFull = true;
      response.shouldKeepAlive = false;
    },
    later: (network, units, work) => loop.add(network, units, work),
    whenAnswered: (socket, work) => {
      const pipeline = pipelineOf(socket);
      if (isAnswering(pipeline)) pipeline.whenAnswered ??= work;
      else work();
    },
  };
}

/** A request with a malformed body never completes: it is not waited for. */
const isAnswering = ({ current, waiting }: Pipeline): boolean =>
  current?.request.complete === true || waiting.some(({ request }) => request.complete);
