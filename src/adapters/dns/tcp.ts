/** One query over one TCP connection (RFC 7766), for what does not fit a datagram or must be proven. */
import { connect } from "node:net";
import type { Clock } from "../../ports/clock.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";
import { type Exchange, failed, type ServerAddress, unreachable } from "./exchange.ts";
import { decodeMessage } from "./message.ts";
import { matchQuestion, type Query, randomUint16 } from "./query.ts";

export interface TcpOptions {
  clock: Clock;
  deadlines: Deadlines;
}

/**
 * Connects, asks, and reads one message, all within `timeoutMs`. At most 65,537 bytes are kept. The connection proves
 * the sender, so a question whose case was not kept is accepted here.
 */
export function exchangeTcp(
  server: ServerAddress,
  query: Query,
  timeoutMs: number,
  options: TcpOptions,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const { bytes } = query;
    bytes.writeUInt16BE(randomUint16(), 0);
    const socket = connect({ host: server.address, port: server.port, noDelay: true });
    const end = (exchange: Exchange): void => {
      options.deadlines.delete(deadline);
      socket.destroy();
      resolve(exchange);
    };
    const deadline: Deadline = {
      atMs: options.clock.monotonicMs() + timeoutMs,
      expire: () => end(failed("timeout", "no answer over TCP in time")),
    };
    options.deadlines.add(deadline);
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
    socket.on("close", () => end(failed("malformed", "the connection ended before the answer")));
  });
}

function readReply(data: Buffer, query: Query): Exchange {
  const isOurs =
    data.length >= 2 &&
    data.readUInt16BE(0) === query.bytes.readUInt16BE(0) &&
    matchQuestion(query, data) !== "other";
  if (!isOurs) return failed("malformed", "the answer over TCP is to another question");
  const message = decodeMessage(data, query.name, query.questionEnd);
  if (!message) return failed("malformed", "the answer over TCP is damaged");
  if (message.truncated) return failed("malformed", "the answer over TCP is truncated");
  return { kind: "message", message };
}
