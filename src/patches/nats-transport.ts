/** The NATS client: its TCP transport with the checks of certificates that it lacks and its writes gathered, and its requests. */
import { errors } from "@nats-io/nats-core";
import { NatsConnectionImpl, RequestOne, setTransportFactory } from "@nats-io/nats-core/internal";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { NodeTransport, nodeResolveHost } from "@nats-io/transport-node/lib/node_transport.js";

/**
 * The client ends every request, answered ones too, by rejecting a promise that is settled already, with a new error that
 * nobody sees: its stack costs 10 to 20 µs a request. One error for all is as invisible.
 */
const CANCELLED = new errors.RequestError("cancelled");

const { cancel } = RequestOne.prototype;
RequestOne.prototype.cancel = function (this: RequestOne, error: Error = CANCELLED): void {
  cancel.call(this, error);
};

/** A broker that is not given our credentials: it is not shown to be ours. */
export class BrokerUntrusted extends Error {
  override name = "BrokerUntrusted";
}

class PatchedTransport extends NodeTransport {
  #gathering = false;

  /** An address that is no name is checked too, against the addresses of the certificate. */
  override connect(...[at, options]: Parameters<NodeTransport["connect"]>): Promise<void> {
    const tls = options.tls && ({ ...options.tls, host: at.hostname } as typeof options.tls);
    return super.connect(at, tls ? { ...options, tls } : options);
  }

  /** The server's first message, before anything is sent to it. */
  override async peekInfo(): ReturnType<NodeTransport["peekInfo"]> {
    const info = await super.peekInfo();
    if (this.options.tls && !info.tls_required && !info.tls_available)
      throw new BrokerUntrusted("it speaks no TLS");
    return info;
  }

  /**
   * Everything that is published in one turn of the event loop leaves in one system call. The client flushes once a
   * microtask queue, which under load is once a message, and each write costs 40 µs.
   */
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

/** Like the client's own `connect`. */
export function connectPatched(options: NodeConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new PatchedTransport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
}
