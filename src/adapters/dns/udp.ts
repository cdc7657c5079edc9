/** One query over one UDP socket of its own: the system draws its port, so that no earlier query tells it (RFC 5452). */
import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import { setImmediate as nextLoopTurn } from "node:timers/promises";
import { type Exchange, failedExchange, type ServerAddress, unreachable } from "./exchange.ts";
import { decodeMessage } from "./message.ts";
import { matchQuestion, type Query, randomUint16 } from "./query.ts";

/** A few hundred datagrams at one instant overflow a name server's receive buffer of the usual 208 KiB. */
const QUERIES_PER_TURN = 32;
let begunThisTurn = 0;

/**
 * Sends a query once and waits at most `timeoutMs` for its answer. The socket is connected to the server, so the kernel
 * drops what others send; whatever else arrives is ignored. @param closed ends the wait
 */
export async function exchangeUdp(
  server: ServerAddress,
  query: Query,
  timeoutMs: number,
  closed: AbortSignal,
): Promise<Exchange> {
  await paced();
  if (closed.aborted) return failedExchange("unreachable", "the resolver is closed");
  return new Promise((resolve) => {
    query.bytes.writeUInt16BE(randomUint16(), 0);
    const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
    let isOpen = true;
    let sawDamage = false;
    let remote: { address: string; port: number } | undefined;
    const end = (exchange: Exchange): void => {
      if (!isOpen) return;
      isOpen = false;
      clearTimeout(timer);
      closed.removeEventListener("abort", expire);
      socket.close();
      resolve(exchange);
    };
    const expire = (): void =>
      end(
        sawDamage
          ? failedExchange("malformed", "only damaged or foreign answers came")
          : failedExchange("timeout", "no answer in time"),
      );
    const timer = setTimeout(expire, timeoutMs);
    closed.addEventListener("abort", expire);
    socket.on("message", (data, from) => {
      // The kernel filters only since the socket was connected, a moment after it was bound.
      if (from.port !== remote?.port || from.address !== remote.address) return;
      const read = readDatagram(query, data);
      // A forger can send damage too, so it ends nothing: the right answer may still come.
      if (read === "damage") sawDamage = true;
      else if (read) end(read);
    });
    // ECONNREFUSED (an ICMP report), no route, no descriptors left.
    socket.on("error", (error) => end(unreachable(error)));
    socket.once("connect", () => {
      if (!isOpen) return;
      // The kernel's own spelling of the address, to compare senders with.
      remote = socket.remoteAddress();
      socket.send(query.bytes, (error) => error && end(unreachable(error)));
    });
    socket.connect(server.port, server.address);
  });
}

/** Spreads a burst over turns of the event loop. */
async function paced(): Promise<void> {
  while (begunThisTurn >= QUERIES_PER_TURN) await nextLoopTurn();
  if (begunThisTurn++ === 0)
    setImmediate(() => {
      begunThisTurn = 0;
    });
}

/** What one datagram says of the query. `damage`: it has our id, and is no readable answer to our question. */
function readDatagram(query: Query, data: Buffer): Exchange | "damage" | undefined {
  if (data.length < 2 || data.readUInt16BE(0) !== query.bytes.readUInt16BE(0)) return undefined;
  const match = matchQuestion(query, data);
  if (match === "case_differs") return { kind: "case_differs" };
  const message = match === "same" ? decodeMessage(data, query.name, query.questionEnd) : undefined;
  return message ? { kind: "message", message } : "damage";
}
