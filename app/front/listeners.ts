/**
 * Listeners of one port. libuv takes one new connection in each turn of the event loop (libuv/libuv#3696): while turns take a
 * twentieth of a second, as they do under a flood, twenty a second are taken, and everybody else waits in the system's queue, or
 * is dropped where that is full. So a port has several listeners (SO_REUSEPORT), of which each takes one.
 */
import { type AddressInfo, createServer, type Server } from "node:net";

/** Where Node can share a port in one process; elsewhere there is one. */
const LISTENERS = process.platform === "linux" ? 32 : 1;
/**
 * New connections that the system keeps for each listener: Node's own 511 for all are full within a quarter of a second of a flood. The system
 * then drops who comes, and clients try again after 1, 3, 7 and 15 seconds (RFC 6298). Linux takes at most `net.core.somaxconn`.
 */
const BACKLOG = LISTENERS > 1 ? 512 : 4_096;

export interface Address {
  host: string;
  port: number;
}

type Options = Address & { reusePort: boolean; backlog: number };

export interface Listeners {
  readonly port: number;
  /** Takes no more connections beside the server's own listener. @returns ends when those that were taken have ended */
  close(): Promise<void>;
}

/**
 * Has a server, of HTTP or TLS, take connections. Its own listener is closed by whoever closes the server.
 * @param first how the server itself is told to listen
 * @throws the system's error (EADDRINUSE …) if the address cannot be used
 */
export async function listenAt(
  server: Server,
  { host, port }: Address,
  first: (options: Options) => Promise<unknown> = (options) => listening(server, options),
): Promise<Listeners> {
  const shared = { host, reusePort: LISTENERS > 1, backlog: BACKLOG };
  if (shared.reusePort && port !== 0) await ensureFree({ host, port });
  await first({ ...shared, port });
  const taken = (server.address() as AddressInfo).port;
  const { allowHalfOpen, noDelay } = server as unknown as { allowHalfOpen: boolean; noDelay: boolean };
  const others = Array.from({ length: LISTENERS - 1 }, () =>
    createServer({ allowHalfOpen, noDelay }, (socket) => void server.emit("connection", socket)),
  );
  await Promise.all(others.map((other) => listening(other, { ...shared, port: taken })));
  return { port: taken, close: async () => void (await Promise.all(others.map(closed))) };
}

const listening = (server: Server, options: Options): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve();
    });
  });

/** A port that is shared would be shared with another program, too. @throws EADDRINUSE … */
async function ensureFree(address: Address): Promise<void> {
  const probe = createServer((socket) => socket.destroy());
  await listening(probe, { ...address, reusePort: false, backlog: BACKLOG });
  await closed(probe);
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
