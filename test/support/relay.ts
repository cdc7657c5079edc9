/**
 * A relay of TCP connections that can be cut, made to stall, late, or to say another thing: how a server looks that
 * vanished, hangs, is far, or has its clock set.
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Relay {
  url: string;
  /** "open" passes everything on, "stalled" takes connections and passes nothing, "cut" resets them all. */
  set(state: "open" | "stalled" | "cut"): void;
  close(): Promise<void>;
}

/**
 * @param target origin such as http://127.0.0.1:9200
 * @param lateMs what the server says arrives so much later
 * @param heard what becomes of it
 */
export const startRelay = async (
  target: string,
  { lateMs = 0, heard = (chunk: Buffer) => chunk } = {},
): Promise<Relay> => {
  const { hostname, port } = new URL(target);
  let state: "open" | "stalled" | "cut" = "open";
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    if (state === "stalled") socket.pause();
  };
  const server = createServer((client) => {
    if (state === "cut") return void client.resetAndDestroy();
    const upstream = connect(Number(port), hostname);
    keep(client);
    keep(upstream);
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => {
      if (lateMs === 0) client.write(heard(chunk));
      else setTimeout(() => client.write(heard(chunk)), lateMs);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (next) => {
      state = next;
      for (const socket of sockets) {
        if (next === "cut") socket.resetAndDestroy();
        else if (next === "stalled") socket.pause();
        else socket.resume();
      }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
