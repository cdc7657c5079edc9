/** HTTPS and HTTP servers on every loopback address, answering for any number of virtual hosts, well or badly. */
import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import type { TLSSocket } from "node:tls";
import { answerAs } from "./agent-web/endpoints.ts";
import { type AgentReply, agentReply } from "./agent-web/sites.ts";
import type { Authority } from "./certificates.ts";
import type { Knobs, PathReply } from "./kinds.ts";
import type { RequestEntry, RequestLog } from "./request-log.ts";
import { isAllowed, robotsFile } from "./robots.ts";
import { serveShop } from "./shop.ts";
import type { SyntheticSite } from "./site.ts";

/** A reply made of bytes; its ETag is that of the bytes. */
export interface Content {
  type: string;
  bytes: Uint8Array;
  etag: string;
}

export interface WebServerOptions {
  authority: Authority;
  /** The site's certificate is of this id and names these hosts, the site's own among them. */
  certificate(site: SyntheticSite): { id: string; names: () => readonly string[] };
  log: RequestLog;
  /** The site of a host, with its knobs brought up to date. `host` is lower-case, without a port. */
  site(host: string): SyntheticSite | undefined;
  document(site: SyntheticSite): Content | undefined;
  beacon(site: SyntheticSite): Content;
  page(site: SyntheticSite, target: string): Content | undefined;
  /** Added to every answer of every site. */
  latencyMs: number;
  /** What sites with a Crawl-delay ask for. */
  crawlDelaySeconds: number;
  port?: number;
}

export interface WebServer {
  port: number;
  httpPort: number;
  close(): Promise<void>;
}

const WRONG_NAME = { id: "wrong", names: () => ["wrong-name.test"] };
/** One page that fails on a site that is well otherwise: `/error/500`, `/error/429/other`, without Retry-After `/error/429/bare`. */
const ERROR_PATH = /^\/error\/([45]\d\d)(?:\/|$)/;
const DOCUMENT_PATHS: ReadonlySet<string> = new Set(["/.well-known/bridge.json", "/agent-bridge.json"]);
const BEACON_PATH = "/.bridge";
/** An endless body ends here all the same, and a slow one after this long: nothing in the world is unbounded. */
const ENDLESS_BYTES = 64 * 1_048_576;
const ENDLESS_MS = 60_000;
const SLOW_BODY_MS = 300_000;
const QUEUED_BYTES = 65_536;
const HUGE_BYTES = 8 * 1_048_576;

const redirect = (response: ServerResponse, location: string): unknown =>
  response.writeHead(302, { location, "content-length": 0 }).end();

/** The replies of a document that is nothing to parse; undefined when the document is plain bytes. */
const SPECTACLES: Partial<
  Record<Knobs["document"], (response: ServerResponse, site: SyntheticSite) => void>
> = {
  redirect_private: (response) => redirect(response, "https://10.0.0.1/.well-known/bridge.json"),
  huge: (response) =>
    response
      .writeHead(200, { "content-type": "application/json", "content-length": HUGE_BYTES })
      .end(Buffer.alloc(HUGE_BYTES, 0x20)),
  endless: endlessBody,
  slow_body: slowBody,
  huge_headers: (response) => {
    for (let i = 0; i < 64; i++) response.setHeader(`x-filler-${i}`, "f".repeat(4_000));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  },
};

/** Whether the system answers on all of 127.0.0.0/8, as Linux does and others do not. */
export async function hasLoopbackNetwork(): Promise<boolean> {
  const probe = createTcpServer();
  try {
    probe.listen(0, "127.83.12.9");
    await once(probe, "listening");
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}

/** Starts both servers. `everywhere`: on all of 127.0.0.0/8, else on 127.0.0.1 alone. */
export async function startWebServer(options: WebServerOptions, everywhere: boolean): Promise<WebServer> {
  const { authority } = options;
  const limits = { keepAliveTimeout: 5_000, maxHeaderSize: 32_768, requestTimeout: 60_000 };
  const secure = createHttpsServer({
    ...limits,
    SNICallback: (servername, done) => {
      const site = options.site(servername.toLowerCase());
      if (site === undefined || site.knobs.gone) return done(new Error("No such site"));
      const { id, names } = site.knobs.tls === "wrong_name" ? WRONG_NAME : options.certificate(site);
      done(null, authority.contextFor(id, names));
    },
  });
  const sockets = new Set<Socket>();
  const listen = async (server: Server, port: number): Promise<number> => {
    onlyLoopback(server, sockets);
    server.listen(port, everywhere ? "0.0.0.0" : "127.0.0.1", 4_096);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const httpsPort = await listen(secure, options.port ?? 0);
  secure.on("request", handle(options, undefined));
  secure.on("tlsClientError", (_error, tls) => logFailedHandshake(options, tls));
  const plain = createHttpServer(limits, handle(options, { httpsPort }));
  const httpPort = await listen(plain, 0);
  return {
    port: httpsPort,
    httpPort,
    close: async () => {
      const closed = [secure, plain].map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** Ends connections that came over another interface: listening on 0.0.0.0 must not show the world outside. */
function onlyLoopback(server: Server, sockets: Set<Socket>): void {
  server.on("connection", (socket: Socket) => {
    if (socket.localAddress?.startsWith("127.") !== true) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
}

const localAddress = (request: IncomingMessage): string =>
  request.socket.localAddress?.replace(/^::ffff:/, "") ?? "";

function handle(options: WebServerOptions, plain: { httpsPort: number } | undefined) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    const site = options.site(hostOf(request));
    if (site === undefined) {
      // RFC 9110 section 15.5.20: no such site at this server.
      text(response, 421, "No such site here\n");
      return;
    }
    logged(options, site, request, response);
    const answer = (): void => {
      if (response.destroyed || refuse(site, request, response)) return;
      if (plain === undefined) route(options, site, request, response);
      else redirect(response, `https://${site.host}:${plain.httpsPort}${request.url ?? "/"}`);
    };
    const latencyMs = options.latencyMs + site.knobs.latencyMs;
    if (latencyMs > 0) setTimeout(answer, latencyMs);
    else answer();
  };
}

const hostOf = (request: IncomingMessage): string =>
  (request.headers.host ?? "").toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");

const text = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}) =>
  response
    .writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      ...headers,
    })
    .end(body);

function logged(
  options: WebServerOptions,
  site: SyntheticSite,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const path = request.url ?? "/";
  const bare = path.split("?", 1)[0]!;
  const file = robotsFile(site.knobs.robots, site.index, options.crawlDelaySeconds);
  const entry = options.log.begin({
    startMs: performance.now(),
    host: site.host,
    ip: localAddress(request),
    path: path.slice(0, 1_000),
    agent: (request.headers["user-agent"] ?? "").slice(0, 200),
    page: bare !== "/robots.txt" && bare !== BEACON_PATH && !DOCUMENT_PATHS.has(bare),
    allowed: isAllowed(file, path),
    crawlDelayMs: file.crawlDelayMs,
  });
  const end = (status: number): void => {
    if (entry.endMs === null) options.log.end(entry, performance.now(), status);
  };
  // "finish" comes a turn of the event loop after the client may have the reply, and would blame it for our lag. So a
  // reply ends when its last byte is given to the socket, unless much is still queued there.
  response.once("prefinish", () => {
    if ((response.socket?.writableLength ?? 0) < QUEUED_BYTES) end(response.statusCode);
  });
  response.once("finish", () => end(response.statusCode));
  response.once("close", () => end(response.headersSent ? response.statusCode : 0));
}

/** Refusals that come before any path is looked at; true when the request is answered. */
function refuse(site: SyntheticSite, request: IncomingMessage, response: ServerResponse): boolean {
  const { knobs } = site;
  const count = site.requests;
  site.requests += 1;
  if (knobs.reset || knobs.gone) {
    const socket = request.socket as Socket;
    // The TLS socket cannot reset; it ends without close_notify, which the other side sees as cut off.
    socket.destroy();
    return true;
  }
  if (count < knobs.busyRequests) {
    text(response, knobs.busyStatus, "Too many requests\n", { "retry-after": "1" });
    return true;
  }
  if (knobs.failEvery > 0 && count % knobs.failEvery === 0) {
    text(response, 503, "Not now\n");
    return true;
  }
  return false;
}

function route(
  options: WebServerOptions,
  site: SyntheticSite,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const target = request.url ?? "/";
  const path = target.split("?", 1)[0]!;
  const given = site.knobs.answers[path];
  if (given?.endpoint) void answerAs(given.endpoint, request, response).catch(() => response.destroy());
  else if (given) answerAsGiven(response, site, given);
  else if (site.knobs.pages === "agent") void serveAgent(site, request, response);
  else if (path === "/robots.txt") {
    const file = robotsFile(site.knobs.robots, site.index, options.crawlDelaySeconds);
    const { robotsType } = site.knobs;
    const headers: Record<string, string> = robotsType === null ? {} : { "content-type": robotsType };
    text(response, file.status, request.method === "HEAD" ? "" : file.body, headers);
  } else if (DOCUMENT_PATHS.has(path)) {
    const spectacle = SPECTACLES[site.knobs.document];
    if (spectacle !== undefined) spectacle(response, site);
    else content(request, response, options.document(site));
  } else if (path === BEACON_PATH) {
    content(request, response, site.knobs.beacon === "missing" ? undefined : options.beacon(site));
  } else if (site.knobs.pages === "shop") {
    serveShop(site, request, response);
  } else if (ERROR_PATH.test(path)) {
    const fields: Record<string, string> = path.includes("/bare") ? {} : { "retry-after": "3600" };
    text(response, Number(ERROR_PATH.exec(path)![1]), "As asked\n", fields);
  } else if (request.method === "POST") {
    request.resume();
    text(response, 200, "Thank you\n");
  } else if (site.knobs.pages === "redirect_private" && path === "/about") {
    redirect(response, "http://169.254.169.254/latest/meta-data/");
  } else {
    content(request, response, options.page(site, target));
  }
}

function answerAsGiven(
  response: ServerResponse,
  site: SyntheticSite,
  { status = 200, body = "", location, spectacle }: PathReply,
): void {
  if (spectacle) SPECTACLES[spectacle]!(response, site);
  else text(response, status, body, location === undefined ? {} : { location });
}

/** A site of the agent web. What it has nothing for is not found. */
async function serveAgent(
  site: SyntheticSite,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const asked = {
    host: site.host,
    origin: `https://${request.headers.host ?? site.host}`,
    method: request.method ?? "GET",
    path: (request.url ?? "/").split("?", 1)[0]!,
    body: Buffer.concat(chunks).toString(),
  };
  const {
    status = 200,
    type,
    body = "",
    headers = {},
    drip,
  }: AgentReply = agentReply(site.agentIndex, asked) ?? {
    status: 404,
    type: "text/plain",
    body: "Not found\n",
  };
  response.writeHead(status, { ...(type && { "content-type": type }), ...headers });
  if (drip) drips(response);
  else response.end(body);
}

/** A byte a second, for as long as the other side waits. */
function drips(response: ServerResponse): void {
  const timer = setInterval(() => response.write(":"), 1_000);
  setTimeout(() => response.end(), SLOW_BODY_MS).unref();
  response.once("close", () => clearInterval(timer));
}

function content(request: IncomingMessage, response: ServerResponse, found: Content | undefined): void {
  if (found === undefined) {
    text(response, 404, "Not found\n");
  } else if (request.headers["if-none-match"] === found.etag) {
    response.writeHead(304, { etag: found.etag }).end();
  } else {
    response
      .writeHead(200, {
        "content-type": found.type,
        "content-length": found.bytes.length,
        etag: found.etag,
        "x-bridge-enabled": "1",
      })
      .end(request.method === "HEAD" ? undefined : found.bytes);
  }
}

/** A handshake that the client broke off counts as a request without a reply: an operator sees it in his log too. */
function logFailedHandshake(
  options: WebServerOptions,
  tls: TLSSocket & { servername?: string | false | null },
): void {
  const site = typeof tls.servername === "string" ? options.site(tls.servername.toLowerCase()) : undefined;
  if (site === undefined) return;
  const nowMs = performance.now();
  const entry: RequestEntry = options.log.begin({
    startMs: nowMs,
    host: site.host,
    ip: tls.localAddress ?? "",
    path: "(handshake)",
    agent: "",
    page: false,
    allowed: true,
    crawlDelayMs: 0,
  });
  options.log.end(entry, nowMs, 0);
}

/** Writes without end, as fast as the reader takes it. */
function endlessBody(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, '{"more":"and more",');
  const stopMs = performance.now() + ENDLESS_MS;
  let sent = 0;
  response.writeHead(200, { "content-type": "application/json" });
  const push = (): void => {
    while (!response.destroyed && response.writable) {
      if (sent > ENDLESS_BYTES || performance.now() > stopMs) return void response.end();
      sent += chunk.length;
      if (!response.write(chunk)) return void response.once("drain", push);
    }
  };
  push();
}

/** One byte every half second. */
function slowBody(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.write("{");
  const stopMs = performance.now() + SLOW_BODY_MS;
  const timer = setInterval(() => {
    if (performance.now() > stopMs) response.end();
    else response.write(" ");
  }, 500);
  response.once("close", () => clearInterval(timer));
}
