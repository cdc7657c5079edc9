/** Servers that behave as they are told, on loopback addresses of their own, and certificates for them. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { createFetcher, type FetcherOptions } from "../../../src/adapters/http/fetcher.ts";
import { parseAllowances } from "../../../src/domain/names/address.ts";
import type { DnsAnswer, Resolver } from "../../../src/ports/dns.ts";
import type { Fetcher, HopEnded, HopPermit } from "../../../src/ports/http.ts";
import { openAuthority } from "../../../world/certificates.ts";

const USER_AGENT = "BridgeTest/1.0 (+https://registry.example/crawler)";

/** Every port of the loopback network, where the servers of these tests are. */
export const LOOPBACK = (() => {
  const parsed = parseAllowances("127.0.0.0/8:*");
  return parsed.ok ? parsed.allowances : [];
})();

let nextHost = 1;
/** An address of 127.0.0.0/8 that no other server of this process has. */
export function loopbackAddress(): string {
  nextHost++;
  return `127.${77 + (process.pid % 100)}.${(nextHost >> 8) & 255}.${nextHost & 255}`;
}

/** A resolver that answers from `names`; a list of lists answers one look-up after the other, the last one again. */
export function resolverOf(names: Record<string, string[] | string[][]>): Resolver & { asked: string[] } {
  const asked: string[] = [];
  const none: DnsAnswer<string> = { outcome: "none", nxdomain: true, ttlSeconds: 1, dnssec: "insecure" };
  return {
    asked,
    addresses: async (name) => {
      const known = names[name];
      const nth = asked.filter((earlier) => earlier === name).length;
      asked.push(name);
      if (known === undefined) return none;
      const found = known.flatMap((entry) => (typeof entry === "string" ? [entry] : []));
      const records = found.length > 0 ? found : known[Math.min(nth, known.length - 1)];
      if (records === undefined || typeof records === "string") return none;
      return { outcome: "found", records, ttlSeconds: 1, dnssec: "insecure" };
    },
    txt: async () => none,
    nameServers: async () => none,
    caa: async () => none,
    close: () => undefined,
  };
}

/** A client for one test, closed at its end. */
export function fetcherFor(
  names: Record<string, string[] | string[][]>,
  more: Partial<FetcherOptions> = {},
): Fetcher {
  const fetcher = createFetcher({
    resolver: resolverOf(names),
    clock: systemClock,
    userAgent: USER_AGENT,
    allow: LOOPBACK,
    ...more,
  });
  onTestFinished(() => fetcher.close());
  return fetcher;
}

/** Leave to send that does not run out. */
export const admission = (ended: (end: HopEnded) => void = () => undefined): HopPermit => ({
  holds: () => true,
  ended,
});

export interface Listening {
  address: string;
  port: number;
  /** Connections accepted so far. */
  connections: () => number;
}

async function listen(server: Server | HttpServer, address: string): Promise<Listening> {
  let connections = 0;
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
  });
  server.listen(0, address);
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { address, port: (server.address() as AddressInfo).port, connections: () => connections };
}

export const serveHttp = (handler: RequestListener, address = loopbackAddress()): Promise<Listening> =>
  listen(createHttpServer(handler), address);

const authority = (() => {
  const home = mkdtempSync(join(tmpdir(), "bridge-test-authority-"));
  try {
    return openAuthority(home, Date.now());
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
})();

/** The authority's certificate, PEM, for the client to trust. */
export const authorityPem = authority.ca;

/** A server with a certificate for `names`: hosts under .test, or addresses. `expired`: it ran out a moment ago. */
export function serveHttps(
  names: readonly string[],
  handler: RequestListener,
  more: { expired?: boolean; address?: string } = {},
): Promise<Listening> {
  const certificate = more.expired ? authority.issueFor(names, 1) : authority.issueFor(names);
  return listen(createHttpsServer(certificate, handler), more.address ?? loopbackAddress());
}

/** A server that writes bytes of its own choice once a request's head has come. */
export const serveRaw = (
  reply: (socket: Socket, head: string) => void,
  address = loopbackAddress(),
): Promise<Listening> =>
  listen(
    createTcpServer((socket) => {
      let head = "";
      socket.on("data", (chunk) => {
        head += chunk.toString("latin1");
        if (!head.includes("\r\n\r\n")) return;
        const whole = head;
        head = "";
        reply(socket, whole);
      });
    }),
    address,
  );
