/** Whether a connection has its broker, known at once: a request made while it is away would wait for its whole time-out. */
import type { NatsConnection } from "@nats-io/nats-core";

export interface Link {
  readonly up: boolean;
  /** Calls back once when the broker is lost. @returns a function that forgets the callback */
  onLost(callback: () => void): () => void;
  /** Resolves when the link is up, after `ms`, or when `signal` aborts. */
  untilUp(ms: number, signal?: AbortSignal): Promise<void>;
}

const links = new WeakMap<NatsConnection, Link>();

const watchLink = (connection: NatsConnection): Link => {
  let up = true;
  const onLost = new Set<() => void>();
  const onUp = new Set<() => void>();
  const turn = (now: boolean): void => {
    if (up === now) return;
    up = now;
    const told = [...(now ? onUp : onLost)];
    for (const callback of told) callback();
  };
  (async () => {
    for await (const { type } of connection.status()) {
      if (type === "disconnect" || type === "close") turn(false);
      else if (type === "reconnect") turn(true);
    }
  })();
  return {
    get up() {
      return up;
    },
    onLost: (callback) => {
      onLost.add(callback);
      return () => void onLost.delete(callback);
    },
    untilUp: (ms, signal) =>
      new Promise((resolve) => {
        if (up || signal?.aborted) return resolve();
        const done = (): void => {
          clearTimeout(timer);
          onUp.delete(done);
          signal?.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        onUp.add(done);
        signal?.addEventListener("abort", done, { once: true });
      }),
  };
};

/** The link of a connection, watched from the first call on. */
export const linkOf = (connection: NatsConnection): Link => {
  const known = links.get(connection);
  if (known) return known;
  const link = watchLink(connection);
  links.set(connection, link);
  return link;
};
