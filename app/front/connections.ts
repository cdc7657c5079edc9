/**
 * HTTP connections of a front: so many of one address and network, and none whose client does not read. What nobody reads
 * is memory of ours for as long as the client likes: Node's own time-outs are of requests, not of replies.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { bareAddress, trustedOf } from "../../src/rpc/client-address.ts";
import { createHeld, type Holding, originOfAddress } from "./limits.ts";

/** Connections are looked at this often. */
const LOOK_EVERY_MS = 5_000;
/**
 * A reader that takes less than this in a look, so many times one after another, is cut off. A minute, because the system
 * says that a full buffer has room again only when a third of it has: a megabyte, where it has grown to the most.
 */
const LEAST_BYTES = 5 * 1_024;
const MOST_SLOW_LOOKS = 12;

export interface ConnectionsOptions {
  /** Per cent of the table's quotas that hold here. */
  percent: number;
  /** Proxies, whose connections are those of many: addresses and CIDR blocks. */
  trustedProxies: readonly string[];
  /** Default 5,000. */
  lookEveryMs?: number;
}

interface Watched {
  /** Bytes that the client had taken at the last look. */
  taken: number;
  slowLooks: number;
}

/**
 * Bytes that the system has taken of what was written, of which the client has all but a window's worth. Node counts what
 * is handed to libuv (`bytesWritten`) and says what libuv still holds only of the handle, as its own time-out reads it.
 */
const takenOf = (socket: Socket): number => {
  const { _handle: handle } = socket as unknown as {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
};

/** Bounds the connections of a server; stops when it closes. */
export const boundConnections = (
  server: Server,
  { percent, trustedProxies, lookEveryMs = LOOK_EVERY_MS }: ConnectionsOptions,
): void => {
  const open = createHeld("connections", percent);
  const unread = createHeld("unread_bytes", percent);
  const isProxy = trustedOf(trustedProxies);
  const sockets = new Map<Socket, Watched>();

  server.on("connection", (socket: Socket) => {
    const address = bareAddress(socket.remoteAddress);
    const holding = open.hold(isProxy(address) ? {} : originOfAddress(address));
    if (!holding) {
      socket.destroy();
      return;
    }
    sockets.set(socket, { taken: 0, slowLooks: 0 });
    socket.once("close", () => {
      holding.release();
      sockets.delete(socket);
    });
  });

  /** Whether a client that has bytes to read takes so few that it is not waited for any longer. */
  const isStalled = (socket: Socket, watched: Watched): boolean => {
    const taken = takenOf(socket);
    const slow = socket.writableLength > 0 && taken - watched.taken < LEAST_BYTES;
    watched.taken = taken;
    watched.slowLooks = slow ? watched.slowLooks + 1 : 0;
    return watched.slowLooks >= MOST_SLOW_LOOKS;
  };

  const look = (): void => {
    const holdings: Holding[] = [];
    for (const [socket, watched] of sockets) {
      const address = bareAddress(socket.remoteAddress);
      const holders = isProxy(address) ? {} : originOfAddress(address);
      const holding = socket.writableLength === 0 ? undefined : unread.hold(holders, socket.writableLength);
      if (holding) holdings.push(holding);
      const over = socket.writableLength > 0 && !holding;
      if (isStalled(socket, watched) || over) socket.destroy();
    }
    for (const holding of holdings) holding.release();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  server.once("close", () => clearInterval(timer));
};
