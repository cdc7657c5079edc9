/** A broker of a test's own, for faults that the run's broker must not have. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { startBrokerServer } from "../../../src/adapters/nats/server.ts";

export interface OwnBroker {
  /** Starts the server on what it has stored, and joins it. What `beforeStop` is given ends before both. */
  start(): Promise<{
    broker: NatsBroker;
    beforeStop(end: () => Promise<unknown>): void;
    stop(): Promise<void>;
  }>;
  /** Sets a stream's messages aside, as they are stored while the server is stopped. */
  copy(): void;
  /**
   * Puts them back, under the state that its consumers have come to: as on a disk that was full at the acks, where the
   * consumer's state is written in the end and the stream keeps the messages.
   */
  putBack(): void;
}

export function ownBroker(prefix: string, stream: string): OwnBroker {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-kept-"));
  const messages = join(folder, "store", "jetstream", "$G", "streams", stream, "msgs");
  const aside = join(folder, "aside");
  const running = new Set<() => Promise<void>>();
  onTestFinished(async () => {
    for (const stop of running) await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    start: async () => {
      const server = await startBrokerServer({ binary: inject("natsBinary"), folder });
      const broker = await openBroker({
        url: server.url,
        prefix,
        name: "test",
        clock: systemClock,
        setUp: true,
      });
      const first: (() => Promise<unknown>)[] = [];
      const stop = async () => {
        if (!running.delete(stop)) return;
        for (const end of first.reverse()) await end();
        await broker.close();
        await server.stop();
      };
      running.add(stop);
      return { broker, beforeStop: (end) => void first.push(end), stop };
    },
    copy: () => cpSync(messages, aside, { recursive: true }),
    putBack: () => {
      rmSync(messages, { recursive: true });
      cpSync(aside, messages, { recursive: true });
    },
  };
}
