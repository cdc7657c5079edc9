/** A thread that sends one route all that it is told to on many connections at once: its event loop is none of those that are watched. */
import { once } from "node:events";
import { connect } from "node:net";
import { parentPort, Worker } from "node:worker_threads";

export interface RouteLoad {
  port: number;
  /** Of a connection each, by turns: whole requests, one after the other, of which the last one closes the connection. */
  payloads: readonly Uint8Array[];
  connections: number;
}

/** What came: how many responses of each status, and connections that ended without one. */
export interface RouteAnswers {
  statuses: Record<string, number>;
  unanswered: number;
}

const GIVE_UP_MS = 6_000;
const STATUS = /HTTP\/1\.1 (\d{3}) /g;

const send = (port: number, bytes: Uint8Array): Promise<string[]> =>
  new Promise((resolve) => {
    const statuses: string[] = [];
    const socket = connect({ port, host: "127.0.0.1" });
    let tail = "";
    socket.on("data", (chunk: Buffer) => {
      const text = tail + chunk.toString("latin1");
      let end = 0;
      for (const found of text.matchAll(STATUS)) {
        statuses.push(found[1]!);
        end = found.index + found[0].length;
      }
      tail = text.slice(Math.max(end, text.length - 16));
    });
    const timer = setTimeout(() => socket.destroy(), GIVE_UP_MS);
    // One that is refused before its body is sent may be cut.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(statuses);
    });
    socket.write(bytes);
  });

export function loadThread() {
  const thread = new Worker(new URL(import.meta.url), { name: "route load" });
  return {
    run: async (load: RouteLoad): Promise<RouteAnswers> => {
      const answered = once(thread, "message");
      thread.postMessage(load);
      return (await answered)[0] as RouteAnswers;
    },
    stop: () => thread.terminate(),
  };
}

parentPort?.on("message", async ({ port, payloads, connections }: RouteLoad) => {
  const all = await Promise.all(
    Array.from({ length: connections }, (_, i) => send(port, payloads[i % payloads.length]!)),
  );
  const statuses: Record<string, number> = {};
  for (const status of all.flat()) statuses[status] = (statuses[status] ?? 0) + 1;
  parentPort!.postMessage({ statuses, unanswered: all.filter(({ length }) => length === 0).length });
});
