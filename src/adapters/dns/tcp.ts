/** One query over one TCP connection (RFC 7766), for what does not fit a datagram or must be proven. */
import { connect } from "node:net";
import { type Exchange, failedExchange, type ServerAddress, unreachable } from "./exchange.ts";
import { decodeMessage } from "./message.ts";
import { matchQuestion, type Query, randomUint16 } from "./query.ts";

/**
 * Connects, asks, and reads one message, all within `timeoutMs`. At most 65,537 bytes are kept. The connection proves
 * the sender, so a question whose case was not kept is accepted here. `closed` ends the wait.
 */
export function exchangeTcp(
  server: ServerAddress,
  query: Query,
  timeoutMs: number,
  closed: AbortSignal,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const { bytes } = query;
    bytes.writeUInt16BE(randomUint16(), 0);
    const socket = connect({ host: server.address, port: server.port, noDelay: true });
    const end = (exchange: Exchange): void => {
      clearTimeout(timer);
      closed.removeEventListener("abort", expire);
      socket.destroy();
      resolve(exchange);
    };
    const expire = (): void => end(failedExchange("timeout", "no answer over TCP in time"));
    const timer = setTimeout(expire, timeoutMs);
    closed.addEventListener("abort", expire);
    const parts: Buffer[] = [];
    let length = 0;
    socket.on("connect", () => {
      // Length and message in one write: some servers want them in one segment (RFC 7766 section 8).
      const framed = Buffer.allocUnsafe(2 + bytes.length);
      framed.writeUInt16BE(bytes.length, 0);
      bytes.copy(framed, 2);
      socket.write(framed);
    });
    socket.on("data", (chunk: Buffer) => {
      parts.push(chunk);
      length += chunk.length;
      if (length < 2) return;
      const start =
        parts.length === 1 || parts[0]!.length < 2 ? Buffer.concat(parts.splice(0)) : parts.shift()!;
      parts.unshift(start);
      const wanted = 2 + start.readUInt16BE(0);
      if (length >= wanted) end(readReply(Buffer.concat(parts).subarray(2, wanted), query));
    });
    socket.on("error", (error) => end(unreachable(error)));
    socket.on("close", () => end(failedExchange("malformed", "the connection ended before the answer")));
  });
}

function readReply(data: Buffer, query: Query): Exchange {
  const isOurs =
    data.length >= 2 &&
    data.readUInt16BE(0) === query.bytes.readUInt16BE(0) &&
    matchQuestion(query, data) !== "other";
  if (!isOurs) return failedExchange("malformed", "the answer over TCP is to another question");
  const message = decodeMessage(data, query.name, query.questionEnd);
  if (!message) return failedExchange("malformed", "the answer over TCP is damaged");
  if (message.truncated) return failedExchange("malformed", "the answer over TCP is truncated");
  return { kind: "message", message };
}
