/**
 * When a request is taken up, and its body read: those of one connection one at a time, and of all connections no more in a turn of the
 * event loop than a few milliseconds' work, networks by turns. Node hands out every pipelined request of a packet, and every socket that is ready,
 * within one turn: what each of them costs would add up to a turn that holds up everybody (docs/decisions/0107).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of a connection that may wait for the one before them; after the last of them it is closed (RFC 9112 section 9.3.2). */
export const MOST_PIPELINED = 32;
/**
 * Work of a turn, in units of a request's, some tenths of a millisecond. Counted and not timed: on a busy machine a clock goes on
 * while this thread waits for a processor, and a turn would begin less the longer everybody has waited.
 */
const MOST_A_TURN = 24;

/** A request that has come. */
export interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

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
 * Work that waits for a turn, by network: each may begin as many units as the others, not as many pieces (deficit round robin,
 * Shreedhar and Varghese 1995). A network that sends large bodies holds up nobody's small ones.
 */
class FairQueue {
  readonly #networks = new Map<string, Share>();
  size = 0;

  add(network: string, piece: Piece): void {
    const share = this.#networks.get(network);
    if (share) share.pieces.push(piece);
    else this.#networks.set(network, { units: MOST_A_TURN, pieces: [piece] });
    this.size++;
  }

  /** The first piece of the network whose turn it is. @param hasRoom else it waits on */
  next(hasRoom: (units: number) => boolean): Piece | undefined {
    for (const [network, share] of this.#networks) {
      const { units } = share.pieces[0]!;
      if (units <= share.units) return hasRoom(units) ? this.#take(network, share) : undefined;
      share.units += MOST_A_TURN;
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
    this.size--;
    return piece;
  }
}

/** A request that waits for the one before it on its connection. */
interface Waiting extends Arrival {
  readonly network: string;
  readonly take: Work;
}

/** Requests of one connection. */
interface Line {
  isBusy: boolean;
  isFull: boolean;
  readonly waiting: Waiting[];
}

export interface Turns {
  /**
   * Has a request taken up in its turn: at once, where this turn of the event loop has room and nothing waits.
   * @param take begins its work; not called where its connection has ended before
   */
  enter(arrival: Arrival, network: string, take: Work): void;
  /** Has more of a request's work done in a later turn of the event loop. @param units of a request's own work */
  later(network: string, units: number, work: Work): void;
}

export const createTurns = (): Turns => {
  const queue = new FairQueue();
  const lines = new WeakMap<Socket, Line>();
  /** Units begun in this turn; undefined: none were asked for yet. */
  let begun: number | undefined;

  // One piece that is more than a turn's has a turn to itself.
  const hasRoom = (units: number): boolean => {
    if (begun === undefined) {
      begun = 0;
      setImmediate(endTurn);
    }
    return begun === 0 || begun + units <= MOST_A_TURN;
  };

  const begin = ({ units, work }: Piece): void => {
    begun! += units;
    work();
  };

  // Each in a callback of its own: what it sets going in microtasks is done before the next.
  const beginWaiting = (): void => {
    const piece = queue.next(hasRoom);
    if (piece) begin(piece);
  };

  const endTurn = (): void => {
    begun = undefined;
    if (queue.size === 0) return;
    hasRoom(0);
    for (let i = Math.min(queue.size, MOST_A_TURN); i > 0; i--) setImmediate(beginWaiting);
  };

  const later: Turns["later"] = (network, units, work) => {
    hasRoom(0);
    queue.add(network, { units, work });
  };

  const takeUp = ({ request, response, take }: Waiting): void => {
    // One whose client has gone ends nothing: its connection has.
    if (request.socket.destroyed) return;
    response.once("close", () => answered(request.socket));
    take();
  };

  const answered = (socket: Socket): void => {
    const line = lines.get(socket)!;
    const next = line.waiting.shift();
    if (!next) {
      line.isBusy = false;
      return;
    }
    if (line.waiting.length === 0 && !line.isFull) socket.resume();
    // Not in this turn, in which the one before it ended.
    later(next.network, 1, () => takeUp(next));
  };

  const enter: Turns["enter"] = ({ request, response }, network, take) => {
    const { socket } = request;
    const arrival = { request, response, network, take };
    const line = lines.get(socket) ?? { isBusy: false, isFull: false, waiting: [] };
    lines.set(socket, line);
    if (line.isFull) return;
    if (line.isBusy) {
      line.waiting.push(arrival);
      // Nothing more is read meanwhile but what came in the same packet.
      socket.pause();
      if (line.waiting.length < MOST_PIPELINED) return;
      line.isFull = true;
      response.shouldKeepAlive = false;
      return;
    }
    line.isBusy = true;
    const piece = { units: 1, work: () => takeUp(arrival) };
    if (queue.size === 0 && hasRoom(1)) begin(piece);
    else later(network, piece.units, piece.work);
  };

  return { enter, later };
};
