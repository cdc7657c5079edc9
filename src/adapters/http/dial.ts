/** Opens a socket to one address that was checked, and to nothing else: no name is looked up here. */
import { connect as connectTcp, isIP, type Socket, SocketAddress } from "node:net";
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { notPublic, type Target } from "../../domain/names/target.ts";
import type { Clock } from "../../ports/clock.ts";
import { after, type Refusal, refusal } from "./stop.ts";

export interface DialOptions {
  clock: Clock;
  secureContext: SecureContext;
  /** For TCP and TLS together. */
  connectTimeoutMs: number;
  signal: AbortSignal;
}

/**
 * One context for all connections: building it parses every root certificate (tens of milliseconds).
 * Trusted are Node's default roots, those of NODE_EXTRA_CA_CERTS, and `extra` (PEM).
 */
export function trustContext(extra: readonly string[]): SecureContext {
  return createSecureContext(extra.length === 0 ? {} : { ca: [...getCACertificates("default"), ...extra] });
}

/** A connected socket (with TLS done, when the target is https), or why there is none. Never rejects. */
export function dial(
  target: Target,
  address: string,
  options: DialOptions,
): Promise<{ ok: true; socket: Socket } | Refusal> {
  return new Promise((resolve) => {
    const socket = open(target, address, options.secureContext);
    let connected = false;
    const failure = () => (connected ? "tls_failed" : "connect_failed");
    const settle = (result: { ok: true; socket: Socket } | Refusal) => {
      cancelTimer();
      options.signal.removeEventListener("abort", onAbort);
      if (!result.ok) socket.destroy();
      resolve(result);
    };
    const onAbort = () => settle(refusal("aborted", "stopped while connecting"));
    const cancelTimer = after(options.clock, options.connectTimeoutMs, () =>
      settle(refusal(failure(), `no connection within ${options.connectTimeoutMs} ms`)),
    );

    // Stays for the socket's life: an error after the owner let go of it must not be thrown.
    socket.on("error", (error) => settle(refusal(failure(), describe(error))));
    socket.once("close", () => settle(refusal(failure(), "the connection was closed")));
    socket.once("connect", () => {
      connected = true;
    });
    socket.once(target.secure ? "secureConnect" : "connect", () => {
      const remote = socket.remoteAddress;
      if (remote !== undefined && isSameAddress(remote, address)) settle({ ok: true, socket });
      else settle(notPublic());
    });
    options.signal.addEventListener("abort", onAbort, { once: true });
    if (options.signal.aborted) onAbort();
  });
}

function open(target: Target, address: string, secureContext: SecureContext): Socket {
  const where = { host: address, port: target.port, lookup: refuseLookup, noDelay: true };
  if (!target.secure) return connectTcp(where);
  return connectTls({
    ...where,
    secureContext,
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true,
    // SNI never carries an address (RFC 6066 section 3); the certificate is then checked against it by `host`.
    servername: target.literal ? "" : target.host,
  });
}

/** Node looks nothing up for an address; should that ever change, this refuses. */
function refuseLookup(_name: string, _options: unknown, done: (error: Error, address: string) => void): void {
  done(new Error("names are not looked up here"), "");
}

/** Node writes addresses into the messages of the system's errors, our own among them: their codes say enough. */
function describe(error: NodeJS.ErrnoException): string {
  if (error.syscall !== undefined) return error.code ?? "the system refused";
  return error.code === undefined ? error.message : withCode(error.code, error.message);
}

/** A failure for people. OpenSSL's own texts name addresses and files of the build: its code says the same in words. */
export function withCode(code: string, message: string): string {
  const ofTls = /^ERR_SSL_(\w+)$/.exec(code)?.[1];
  if (ofTls === undefined) return `${code}: ${message}`.slice(0, 300);
  return `The TLS handshake failed: ${ofTls.toLowerCase().replaceAll("_", " ")}.`;
}

/** Both in the one form that inet_ntop writes. */
function isSameAddress(a: string, b: string): boolean {
  return a === b || (isIP(a) === isIP(b) && isIP(a) !== 0 && normal(a) === normal(b));
}

function normal(address: string): string {
  return new SocketAddress({ address, family: isIP(address) === 6 ? "ipv6" : "ipv4" }).address;
}
