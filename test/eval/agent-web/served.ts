/** Recorded answers of hosts (`well-known/` of the agent web's corpus), served on loopback by host name. */
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { createFetcher } from "../../../src/adapters/http/fetcher.ts";
import { parseAllowances } from "../../../src/domain/names/address.ts";
import type { DnsAnswer, Resolver } from "../../../src/ports/dns.ts";
import type { Fetcher } from "../../../src/ports/http.ts";

export interface Recorded {
  host: string;
  path: string;
  status: number;
  content_type?: string | null;
  bytes?: number | null;
  /** Below `well-known/`. */
  file?: string | null;
  class: string;
  by?: string | null;
  location?: string | null;
}

export interface ServedWeb {
  fetcher: Fetcher;
  addressOf(host: string, path: string): string;
  close(): Promise<void>;
}

/** What hosts answered with was not kept where they had nothing: the shell of a single-page application stands for it. */
const SHELL =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Welcome</title></head><body><div id="root"></div><script src="/assets/index.js"></script></body></html>';
const LOOPBACK = "127.0.0.1";
const NO_FILE = { status: 404, type: "text/plain", body: Buffer.from("Not found\n") };
const TTL = { ttlSeconds: 1, dnssec: "insecure" } as const;
const NOT_THERE: DnsAnswer<string> = { outcome: "none", nxdomain: false, ...TTL };

type Served = { status: number; type?: string; body: Uint8Array; location?: string };

/** JSON lines that are objects; none where the file is missing. Others are passed over. */
export function rowsOf<Row>(file: string): Row[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        const row: unknown = JSON.parse(line);
        return typeof row === "object" && row !== null ? [row as Row] : [];
      } catch {
        return [];
      }
    });
}

/**
 * @param rows what is recorded
 * @returns those of them that can be served: a document whose bytes were kept by no host cannot
 */
export function servable(folder: string, rows: readonly Recorded[]): Map<Recorded, Uint8Array> {
  const bodies = new Map<Recorded, Uint8Array>();
  for (const row of rows) {
    const body = row.class === "present" ? documentOf(folder, row, rows) : shellOf(row);
    if (body !== undefined) bodies.set(row, body);
  }
  return bodies;
}

/** Serves them; a random name of a host that answered any name gets what that host has for those, all else 404. */
export async function serveRecorded(bodies: ReadonlyMap<Recorded, Uint8Array>): Promise<ServedWeb> {
  const answers = new Map<string, Served>();
  const ofAnyName = new Map<string, Served>();
  for (const [row, body] of bodies) {
    const served: Served = { status: row.status, body };
    if (isFieldValue(row.content_type)) served.type = row.content_type;
    if (isFieldValue(row.location)) served.location = row.location;
    answers.set(`${row.host}${row.path}`, served);
    if (row.class === "soft_404") ofAnyName.set(row.host, served);
  }
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? "").replace(/:\d+$/, "");
    const served = answers.get(`${host}${request.url}`) ?? ofAnyName.get(host) ?? NO_FILE;
    const { status, type, location } = served as Served;
    response.writeHead(status, { ...(type && { "content-type": type }), ...(location && { location }) });
    response.end(served.body);
  });
  await once(server.listen(0, LOOPBACK), "listening");
  const { port } = server.address() as AddressInfo;
  const fetcher = loopbackFetcher();
  return {
    fetcher,
    addressOf: (host, path) => `http://${host}:${port}${path}`,
    close: async () => {
      await fetcher.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A record may hold what no server can send. */
const isFieldValue = (value: unknown): value is string =>
  typeof value === "string" && /^[\x20-\x7e]*$/.test(value);

/** @param isThere whether a name exists */
export function loopbackFetcher(isThere: (host: string) => boolean = () => true): Fetcher {
  const allowed = parseAllowances("127.0.0.0/8:*");
  const resolver: Resolver = {
    addresses: async (host) =>
      isThere(host) ? { outcome: "found", records: [LOOPBACK], ...TTL } : { ...NOT_THERE, nxdomain: true },
    txt: async () => NOT_THERE,
    caa: async () => NOT_THERE,
    nameServers: async () => NOT_THERE,
    close: () => undefined,
  };
  const allow = allowed.ok ? allowed.allowances : [];
  return createFetcher({ resolver, clock: systemClock, userAgent: "BridgeEval/1.0", allow });
}

const shellOf = (row: Recorded): Uint8Array =>
  Buffer.from(row.class === "soft_404" && row.bytes !== 0 ? SHELL : "");

/** Its own bytes, or where they were not kept, those that another host has at this path, under its name. */
function documentOf(folder: string, row: Recorded, rows: readonly Recorded[]): Uint8Array | undefined {
  const own = bytesOf(folder, row);
  if (own !== undefined) return own;
  for (const other of rows) {
    if (other.path !== row.path || other.class !== "present") continue;
    const text = bytesOf(folder, other)?.toString("utf8");
    if (text !== undefined) return Buffer.from(text.replaceAll(other.host, row.host));
  }
  return undefined;
}

function bytesOf(folder: string, { file }: Recorded): Buffer | undefined {
  if (typeof file !== "string") return undefined;
  const path = join(folder, file);
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path) : undefined;
}
