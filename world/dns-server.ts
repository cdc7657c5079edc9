/** An authoritative name server for one zone, UDP and TCP on one loopback port (dns2 reads and writes the packets). */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import dns2 from "dns2";

const { Packet } = dns2;
const { TYPE, CLASS, RCODE } = Packet;
/** The library has no name for it, and writes its data as they are. */
const SVCB = 64;
type Query = InstanceType<typeof Packet>;
type Resource = ReturnType<typeof Packet.createResourceFromQuestion>;

/** What the zone holds at one name. A name with nothing below it and no records is not a node at all. */
export interface ZoneNode {
  a?: readonly string[];
  /** Each record as its character strings, at most 255 bytes each. */
  txt?: readonly (readonly string[])[];
  ns?: readonly string[];
  /** Data of SVCB records (RFC 9460 section 2.2). */
  svcb?: readonly Uint8Array[];
  /** The name is an alias; `a` is of what it leads to. */
  cname?: string;
  /** Sets AD for a query that asked (RFC 6840 section 5.7). */
  secure?: boolean;
  /** In place of the zone's. */
  ttlSeconds?: number;
  /** Instead of an answer. "bogus" is SERVFAIL with the extended error of RFC 8914; "truncated" answers UDP with TC alone, so that only TCP tells. */
  fault?: "servfail" | "refused" | "bogus" | "silent" | "truncated";
}

export interface DnsServerOptions {
  /** Lower-case, without dots at either end. */
  zone: string;
  /** `name` is lower-case, without a final dot, inside the zone. Undefined is NXDOMAIN. */
  lookup(name: string): ZoneNode | undefined;
  port?: number;
  ttlSeconds: number;
  negativeTtlSeconds: number;
}

export interface DnsServer {
  address: string;
  port: number;
  queries(): number;
  close(): Promise<void>;
}

const ADDRESS = "127.0.0.1";

/** Starts the server; every query is answered from `lookup` at that moment. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  let queries = 0;
  const handle =
    (udp: boolean): dns2.DnsHandler =>
    (query, send) => {
      queries += 1;
      const reply = answer(query, udp, options);
      // A client that has gone does not want its answer.
      if (reply !== undefined) Promise.resolve(send(reply)).catch(() => undefined);
    };
  const { udp, tcp, port } = await bindBoth(options, handle);
  const ignore = (): void => undefined;
  udp.on("error", ignore).on("requestError", ignore);
  tcp.on("error", ignore).on("requestError", ignore);
  const sockets = new Set<Socket>();
  tcp.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return {
    address: ADDRESS,
    port,
    queries: () => queries,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

/** The reply to a query, or undefined for silence. */
function answer(query: Query, udp: boolean, options: DnsServerOptions): Query | undefined {
  const question = query.questions[0];
  const opt = query.additionals.find((extra) => extra.type === TYPE.EDNS);
  const header = query.header as typeof query.header & { ad?: number };
  if (header.qr !== 0) return undefined;
  const reply = Packet.createResponseFromRequest(query);
  // It stands where a stub expects a recursive resolver, so RA is set beside AA.
  Object.assign(reply.header, { aa: 1, ra: 1 });
  // RFC 6891 section 6.1.1: who sent an OPT record gets one.
  if (opt !== undefined) reply.additionals.push({ ...Packet.Resource.EDNS([]), name: "" });
  const refuse = (rcode: number): Query => {
    Object.assign(reply.header, { rcode, aa: 0 });
    return reply;
  };
  if (query.questions.length !== 1 || question === undefined || query.errors.length > 0)
    return refuse(RCODE.FORMERR);
  if (header.opcode !== 0) return refuse(RCODE.NOTIMP);
  const name = question.name.toLowerCase();
  if (name !== options.zone && !name.endsWith(`.${options.zone}`)) return refuse(RCODE.REFUSED);
  if (question.class !== CLASS.IN) return refuse(RCODE.REFUSED);
  if (name === options.zone && question.type === TYPE.SOA) {
    reply.answers.push(soaOf(options));
    return reply;
  }
  const node = options.lookup(name);
  if (node?.fault === "silent") return undefined;
  if (node?.fault === "servfail") return refuse(RCODE.SERVFAIL);
  if (node?.fault === "refused") return refuse(RCODE.REFUSED);
  if (node?.fault === "bogus") {
    return Packet.createErrorResponseFromRequest(query, RCODE.SERVFAIL, {
      infoCode: Packet.EDE.DNSSEC_BOGUS,
    });
  }
  if (node?.fault === "truncated" && udp) {
    Object.assign(reply.header, { tc: 1 });
    return reply;
  }
  const asked = header.ad === 1 || opt?.doFlag === true;
  if (node?.secure === true && asked) Object.assign(reply.header, { ad: 1 });
  const records =
    node === undefined
      ? []
      : recordsOf(node, question.name, question.type, node.ttlSeconds ?? options.ttlSeconds);
  reply.answers.push(...records);
  if (records.length === 0) {
    reply.authorities.push(soaOf(options));
    Object.assign(reply.header, { rcode: node === undefined ? RCODE.NXDOMAIN : RCODE.NOERROR });
  }
  return reply;
}

const soaOf = (options: DnsServerOptions): Resource =>
  record({
    name: options.zone,
    type: TYPE.SOA,
    class: CLASS.IN,
    ttl: options.negativeTtlSeconds,
    primary: `ns.${options.zone}`,
    admin: `hostmaster.${options.zone}`,
    serial: 1,
    refresh: 3_600,
    retry: 600,
    expiration: 86_400,
    minimum: options.negativeTtlSeconds,
  });

/** The encoder reads fields alone; the class's methods are for records that encode themselves. */
const record = (fields: Omit<Resource, "toBuffer">): Resource => fields as Resource;

function recordsOf(node: ZoneNode, name: string, type: number, ttl: number): Resource[] {
  const head = { name, class: CLASS.IN, ttl };
  const alias = node.cname === undefined ? [] : [record({ ...head, type: TYPE.CNAME, domain: node.cname })];
  switch (type) {
    case TYPE.CNAME:
      return alias;
    case TYPE.A:
      if (node.cname !== undefined)
        return [
          ...alias,
          ...(node.a ?? []).map((address) => record({ ...head, name: node.cname!, type: TYPE.A, address })),
        ];
      return (node.a ?? []).map((address) => record({ ...head, type: TYPE.A, address }));
    case TYPE.TXT:
      return [
        ...alias,
        ...(node.txt ?? []).map((strings) =>
          record({ ...head, name: node.cname ?? name, type: TYPE.TXT, data: [...strings] }),
        ),
      ];
    case TYPE.NS:
      return (node.ns ?? []).map((ns) => record({ ...head, type: TYPE.NS, ns }));
    case SVCB:
      return (node.svcb ?? []).map((data) => record({ ...head, type: SVCB, data: Buffer.from(data) }));
    default:
      return [];
  }
}

/**
 * UDP on a port of the system's choice and TCP on the same number: both must be free, so a few are tried.
 * Throws when none can be had.
 */
async function bindBoth(options: DnsServerOptions, handle: (udp: boolean) => dns2.DnsHandler) {
  for (let attempt = 1; ; attempt++) {
    const udp = dns2.createUDPServer(handle(true));
    const tcp = dns2.createTCPServer(handle(false));
    try {
      udp.bind({ port: options.port ?? 0, address: ADDRESS, exclusive: true });
      await once(udp, "listening");
      const { port } = udp.address() as AddressInfo;
      tcp.listen(port, ADDRESS);
      await once(tcp, "listening");
      return { udp, tcp, port };
    } catch (error) {
      udp.close();
      if (attempt === 10 || (options.port ?? 0) !== 0) throw error;
    }
  }
}
