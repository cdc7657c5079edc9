/** A name server on loopback that does exactly what a test tells it, on UDP and TCP of one port. */
import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import packet, { type Answer, type Packet } from "dns-packet";

export interface Asked {
  id: number;
  /** As it came, case and all. */
  name: string;
  type: string;
  query: Packet;
  /** The whole message as it came. */
  bytes: Buffer;
  transport: "udp" | "tcp";
  /** Sends bytes as they are: a datagram from the server's port, or a write on the connection. */
  send(bytes: Buffer): void;
  /** The connection, over TCP. */
  socket?: Socket;
  /** The sender, over UDP. */
  from?: RemoteInfo;
}

export interface TestServer {
  address: string;
  port: number;
  /** Everything asked, in order. */
  asked: Asked[];
  /** Replaces what the server does. */
  behave(answer: (asked: Asked) => void): void;
  close(): Promise<void>;
}

/** Starts one at an ephemeral port of `address`. */
export async function startServer(
  answer: (asked: Asked) => void,
  address = "127.0.0.1",
): Promise<TestServer> {
  let behaviour = answer;
  const asked: Asked[] = [];
  const receive = (bytes: Buffer, rest: Pick<Asked, "transport" | "send" | "socket" | "from">): void => {
    const query = packet.decode(bytes);
    const question = query.questions![0]!;
    const one = { id: query.id!, name: question.name, type: question.type as string, query, bytes, ...rest };
    asked.push(one);
    behaviour(one);
  };
  const tcp = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (framed: Buffer) =>
      receive(framed.subarray(2), { transport: "tcp", socket, send: (bytes) => void socket.write(bytes) }),
    );
  });
  tcp.listen(0, address);
  await once(tcp, "listening");
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket(address.includes(":") ? "udp6" : "udp4");
  udp.on("message", (bytes, from) =>
    receive(bytes, { transport: "udp", from, send: (reply) => udp.send(reply, from.port, from.address) }),
  );
  udp.bind(port, address);
  await once(udp, "listening");
  const sockets = new Set<Socket>();
  tcp.on("connection", (socket) => sockets.add(socket));
  return {
    address,
    port,
    asked,
    behave: (next) => {
      behaviour = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      udp.close();
      tcp.close();
      await once(tcp, "close");
    },
  };
}

export interface Reply {
  answers?: Answer[];
  authorities?: Answer[];
  additionals?: Answer[];
  rcode?: number;
  authentic?: boolean;
  truncated?: boolean;
}

/** A well-formed answer, its question in the case it came. */
export function encodeReply(asked: Asked, reply: Reply): Buffer {
  return packet.encode({
    type: "response",
    id: asked.id,
    flags:
      0x0180 |
      (reply.rcode ?? 0) |
      (reply.authentic ? 0x0020 : 0) |
      (reply.truncated ? packet.TRUNCATED_RESPONSE : 0),
    questions: asked.query.questions!,
    answers: reply.answers ?? [],
    authorities: reply.authorities ?? [],
    additionals: reply.additionals ?? [],
  });
}

/** Answers well-formedly on whichever transport asked. */
export function reply(asked: Asked, contents: Reply): void {
  const bytes = encodeReply(asked, contents);
  asked.send(asked.transport === "udp" ? bytes : framed(bytes));
}

/** A message behind its length, as on TCP. */
export function framed(bytes: Buffer, length = bytes.length): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(length);
  return Buffer.concat([prefix, bytes]);
}

export const txt = (name: string, data: string | Buffer | (string | Buffer)[], ttl = 300): Answer => ({
  type: "TXT",
  name,
  ttl,
  data,
});
export const cname = (name: string, target: string, ttl = 300): Answer => ({
  type: "CNAME",
  name,
  ttl,
  data: target,
});
export const soa = (name: string, ttl: number, minimum: number): Answer => ({
  type: "SOA",
  name,
  ttl,
  data: { mname: `ns.${name}`, rname: `root.${name}`, serial: 1, refresh: 1, retry: 1, expire: 1, minimum },
});
/** An OPT record with one extended error (RFC 8914), of which the codec's types know nothing. */
export const extendedError = (code: number): Answer =>
  ({
    type: "OPT",
    name: ".",
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [{ code: 15, data: Buffer.from([code >> 8, code & 0xff]) }],
  }) as unknown as Answer;
