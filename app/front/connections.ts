/**
 * Limits of a front's HTTP connections: a maximum per address and network, and a minimum reading rate. Replies that a
 * client does not read stay in memory, and Node's own timeouts cover requests, not replies.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { trustedOf, unmappedAddress } from "../../src/rpc/client-address.ts";
import { beatOnce } from "../../src/threads/watchdog.ts";
import { createScopedSemaphore, originOfAddress, type Permits } from "./limits.ts";

/** Interval of the check. */
const LOOK_EVERY_MS = 5_000;
/**
 * A client that reads less than this in so many consecutive checks is disconnected. The total is a minute, because the
 * kernel reports a full buffer as writable only when a third of it is free: a megabyte, at its maximum size.
 */
const LEAST_BYTES = 5 * 1_024;
const MOST_SLOW_LOOKS = 12;

export interface ConnectionBounds {
  /** Scale of the table's quotas, in percent. */
  percent: number;
  /** Proxies, whose connections are shared by many clients: addresses and CIDR blocks. */
  trustedProxies: readonly string[];
  /** Default 5,000. */
  lookEveryMs?: number;
}

interface Watched {
  /** Bytes that the client had read at the last check. */
  taken: number;
  slowLooks: number;
}

/** Limits the connections of a server until it closes. */
export function boundConnections(
  server: Server,
  { percent, trustedProxies, lookEveryMs = LOOK_EVERY_MS }: ConnectionBounds,
): void {
  const open = createScopedSemaphore("connections", percent);
  const unread = createScopedSemaphore("unread_bytes", percent);
  const isProxy = trustedOf(trustedProxies);
  const sockets = new Map<Socket, Watched>();

  server.on("connection", (socket: Socket) => {
    beatOnce("a connection");
    const address = unmappedAddress(socket.remoteAddress);
    const origin = isProxy(address) ? undefined : originOfAddress(address);
    const permits = open.acquire(origin ?? {});
    if (!permits) {
      socket.destroy();
      return;
    }
    sockets.set(socket, { taken: 0, slowLooks: 0 });
    socket.once("close", () => {
      permits.release();
      sockets.delete(socket);
    });
  });

  /** Whether a client with bytes to read has been too slow for too long. */
  const isStalled = (socket: Socket, watched: Watched): boolean => {
    const taken = takenOf(socket);
    const slow = socket.writableLength > 0 && taken - watched.taken < LEAST_BYTES;
    watched.taken = taken;
    watched.slowLooks = slow ? watched.slowLooks + 1 : 0;
    return watched.slowLooks >= MOST_SLOW_LOOKS;
  };

  const look = (): void => {
    const allPermits: Permits[] = [];
    for (const [socket, watched] of sockets) {
      const address = unmappedAddress(socket.remoteAddress);
      const holders = isProxy(address) ? {} : originOfAddress(address);
      const permits =
        socket.writableLength === 0 ? undefined : unread.acquire(holders, socket.writableLength);
      if (permits) allPermits.push(permits);
      const over = socket.writableLength > 0 && !permits;
      if (isStalled(socket, watched) || over) socket.destroy();
    }
    for (const permits of allPermits) permits.release();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  server.once("close", () => clearInterval(timer));
}

/**
 * Bytes that the kernel accepted; the client has read all but at most a window of them. Node counts what it hands to
 * libuv (`bytesWritten`), and exposes libuv's own queue only on the handle, where Node's timeout reads it too.
 */
function takenOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
