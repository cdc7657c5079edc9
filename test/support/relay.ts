/**
 * A relay of TCP connections that can be cut, made to stall, late, or to say another thing: how a server looks that
 * vanished, hangs, is far, or has its clock set.
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type RelayState = "open" | "stalled" | "deaf" | "cut";

export interface Relay {
  url: string;
  /**
   * "open" passes everything on, "stalled" takes connections and passes nothing, "deaf" passes on what clients say and holds back what
   * the server answers, "cut" resets them all.
   */
  set(state: RelayState): void;
  close(): Promise<void>;
}

/**
 * @param target origin such as http://127.0.0.1:9200
 * @param lateMs what the server says arrives so much later
 * @param heard what becomes of it
 */
export async function startRelay(
  target: string,
  { lateMs = 0, heard = (chunk: Buffer) => chunk } = {},
): Promise<Relay> {
  const { hostname, port } = new URL(target);
  let state: RelayState = "open";
  const sockets = new Map<Socket, "client" | "server">();
  const follow = (socket: Socket, end: "client" | "server"): void => {
    if (state === "cut") socket.resetAndDestroy();
    else if (state === "stalled" || (state === "deaf" && end === "server")) socket.pause();
    else socket.resume();
  };
  const keep = (socket: Socket, end: "client" | "server"): void => {
    sockets.set(socket, end);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((client) => {
    if (state === "cut") return void client.resetAndDestroy();
    const upstream = connect(Number(port), hostname);
    keep(client, "client");
    keep(upstream, "server");
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => {
      if (lateMs === 0) client.write(heard(chunk));
      else setTimeout(() => client.write(heard(chunk)), lateMs);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    follow(client, "client");
    follow(upstream, "server");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (next) => {
      state = next;
      for (const [socket, end] of sockets) follow(socket, end);
    },
    close: async () => {
      for (const socket of sockets.keys()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
