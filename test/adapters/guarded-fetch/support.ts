/** Servers that behave as they are told, on loopback addresses of their own, and certificates for them. */
import "./reflect-metadata.ts";
import { webcrypto } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import * as x509 from "@peculiar/x509";
import { onTestFinished } from "vitest";
import { createFetcher, type FetcherOptions } from "../../../src/adapters/guarded-fetch/fetcher.ts";
import { systemClock } from "../../../src/adapters/system-clock.ts";
import { parseAllowances } from "../../../src/domain/address.ts";
import type { DnsAnswer, Fetcher, Resolver } from "../../../src/ports.ts";

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

export async function serveHttps(
  names: string[],
  handler: RequestListener,
  more: { notAfter?: Date; address?: string } = {},
): Promise<Listening> {
  const { key, cert } = await certificateFor(names, more.notAfter);
  return listen(createHttpsServer({ key, cert }, handler), more.address ?? loopbackAddress());
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

x509.cryptoProvider.set(webcrypto);
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
const DAY_MS = 86_400_000;

const authority = (async () => {
  const keys = await newKeys();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=Bridge test authority",
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  return { keys, cert };
})();

/** The authority's certificate, PEM, for the client to trust. */
export const authorityPem = async (): Promise<string> => (await authority).cert.toString("pem");

const issued = new Map<string, Promise<{ key: string; cert: string }>>();

/** A certificate for names (or addresses), issued once. */
function certificateFor(
  names: string[],
  notAfter = new Date(Date.now() + DAY_MS),
): Promise<{ key: string; cert: string }> {
  const cacheKey = `${names} ${Math.round(notAfter.getTime() / DAY_MS)}`;
  const known = issued.get(cacheKey) ?? issue(names, notAfter);
  issued.set(cacheKey, known);
  return known;
}

async function issue(names: string[], notAfter: Date): Promise<{ key: string; cert: string }> {
  const { keys: authorityKeys, cert: authorityCert } = await authority;
  const keys = await newKeys();
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: `02${issued.size.toString(16).padStart(4, "0")}`,
    subject: "CN=Bridge test server",
    issuer: authorityCert.subject,
    notBefore: new Date(Date.now() - 2 * DAY_MS),
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[0-9.]+$/.test(value) ? "ip" : "dns", value })),
      ),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString("base64")}\n-----END PRIVATE KEY-----\n`;
  return { key, cert: cert.toString("pem") };
}
