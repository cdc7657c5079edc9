/** Servers and resolvers for a test, closed when it ends. */
import { afterEach } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { createResolver, type ResolverOptions } from "../../../src/adapters/dns/client.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Resolver } from "../../../src/ports/dns.ts";
import { type Asked, reply, startServer, type TestServer, txt } from "./server.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Closes something of the test's own when it ends. */
export const atEnd = (close: () => unknown): void => void open.push(close);

/** A name server that does what `answer` does. */
export async function server(answer: (asked: Asked) => void, address?: string): Promise<TestServer> {
  const started = await startServer(answer, address);
  open.push(() => started.close());
  return started;
}

/** A resolver that asks these servers. */
export function resolver(
  servers: { address: string; port: number }[],
  more: Partial<ResolverOptions> = {},
): Resolver {
  const made = createResolver({
    servers,
    validating: false,
    clock: systemClock,
    // Longer than a busy machine's pauses, so that a test that counts queries sees no second tries.
    minTimeoutMs: 1_000,
    maxTimeoutMs: 4_000,
    ...more,
  });
  open.push(() => made.close());
  return made;
}

/** For tests that wait for time-outs. */
export const HASTY = { minTimeoutMs: 20, maxTimeoutMs: 80 };

/** A clock whose monotonic time tests can push ahead. */
export function pushedClock(): Clock & { push(ms: number): void } {
  let aheadMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    push: (ms) => {
      aheadMs += ms;
    },
  };
}

/** Answers with one TXT record. */
export const says = (data: string) => (asked: Asked) => reply(asked, { answers: [txt(asked.name, data)] });
