/**
 * The client's TCP transport, with writes gathered: everything published in one turn of the event loop leaves in one
 * system call. The client flushes once a microtask queue, which under load is once a message, and each write costs
 * 40 µs: a third of a request's time. Ordering and back-pressure are the socket's own.
 */
import { errors } from "@nats-io/nats-core";
import { NatsConnectionImpl, RequestOne, setTransportFactory } from "@nats-io/nats-core/internal";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { NodeTransport, nodeResolveHost } from "@nats-io/transport-node/lib/node_transport.js";
import { Framing } from "./framing.ts";

/** A broker that is not given our credentials: it is not shown to be ours. */
export class BrokerUntrusted extends Error {
  override name = "BrokerUntrusted";
}

/** What Node and OpenSSL say of a certificate that does not fit what it is checked by. */
const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_SSL|ERR_TLS/;

/** Why a connection was not made, where it is for the broker's certificate, or for ours. */
export const certificateFault = (error: unknown): string | undefined => {
  if (error instanceof BrokerUntrusted) return error.message;
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (code && CERTIFICATE_FAULT.test(code)) return error.message;
  return certificateFault(error.cause);
};

class GatheringTransport extends NodeTransport {
  #gathering = false;

  /** An address that is no name is checked too, against the addresses of the certificate. */
  override connect(...[at, options]: Parameters<NodeTransport["connect"]>): Promise<void> {
    const tls = options.tls && ({ ...options.tls, host: at.hostname } as typeof options.tls);
    return super.connect(at, tls ? { ...options, tls } : options);
  }

  /** The first that a server says, before anything is said to it. */
  override async peekInfo(): ReturnType<NodeTransport["peekInfo"]> {
    const info = await super.peekInfo();
    if (this.options.tls && !info.tls_required && !info.tls_available)
      throw new BrokerUntrusted("it speaks no TLS");
    return info;
  }

  override setupHandlers(): void {
    super.setupHandlers();
    const framing = new Framing();
    const socket = this.socket!;
    socket.removeAllListeners("data");
    socket.on("data", (chunk: Buffer) => {
      const whole = framing.take(chunk);
      if (whole.length === 0) return;
      this.yields.push(...whole);
      this.signal.resolve();
    });
  }

  override send(frame: Uint8Array): void {
    const { socket } = this;
    if (socket && !this.#gathering) {
      this.#gathering = true;
      socket.cork();
      setImmediate(() => {
        this.#gathering = false;
        socket.uncork();
      });
    }
    super.send(frame);
  }
}

/**
 * The client ends every request, answered ones too, by rejecting what is settled already, with a new error that nobody
 * sees: its stack costs 10 to 20 µs a request. One error for all is as invisible.
 */
const ENDED = new errors.RequestError("cancelled");
const { cancel } = RequestOne.prototype;
RequestOne.prototype.cancel = function (this: RequestOne, error: Error = ENDED): void {
  cancel.call(this, error);
};

/** Like the client's own `connect`. */
export const connectGathering = (options: NodeConnectionOptions): Promise<NatsConnection> => {
  setTransportFactory({ factory: () => new GatheringTransport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
};
