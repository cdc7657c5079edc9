/** Clients that ask and do not read: how long a front waits for them, and that it waits for the slow. */
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { boundConnections } from "../../app/front/connections.ts";

const LOOK_EVERY_MS = 100;
/** More than the system keeps for a client that reads nothing. */
const BYTES = 24 * 1024 * 1024;

let server: Server;
let port: number;
const open = new Set<Socket>();
beforeAll(async () => {
  server = createServer((_, response) => void response.end(Buffer.alloc(BYTES)));
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  // The bytes that may wait are another test's (test/limits): here only time counts.
  boundConnections(server, { percent: 1_000, trustedProxies: [], lookEveryMs: LOOK_EVERY_MS });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  for (const socket of open) socket.destroy();
  server?.close();
});

function asking(): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: front.test\r\n\r\n");
  return socket;
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("a client that has asked", () => {
  it("and reads nothing is cut off after twelve looks", async () => {
    const socket = asking();
    await pause(LOOK_EVERY_MS * 8);
    expect(open.size).toBe(1);
    await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 10_000 });
    socket.destroy();
  });

  it("and reads slowly gets all of it, though it is one piece", async () => {
    const socket = asking();
    let received = 0;
    socket.on("data", (chunk: Buffer) => {
      received += chunk.length;
      // A sip, and a rest.
      socket.pause();
      setTimeout(() => socket.resume(), 10);
    });
    socket.resume();
    const startedMs = performance.now();
    while (received < BYTES) {
      await pause(50);
      expect(socket.destroyed, `after ${received} bytes`).toBe(false);
    }
    expect(performance.now() - startedMs).toBeGreaterThan(LOOK_EVERY_MS * 12);
    socket.destroy();
  });

  it("and is between two requests is not looked at", async () => {
    const socket = connect(port, "127.0.0.1");
    await pause(LOOK_EVERY_MS * 8);
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });
});
