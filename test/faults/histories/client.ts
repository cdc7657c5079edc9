/** A client of the cluster as a process of its own: its clock may be set, and it may be killed. Asked and answered over IPC. */
import { z } from "zod";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import { openLog } from "../../../src/adapters/nats/log.ts";
import { openIdentity } from "../../../src/stores/identity.ts";
import { openRecords } from "../../../src/stores/records.ts";
import type { Operation, Outcome } from "./history.ts";

export interface ClientOptions {
  url: string;
  prefix: string;
  ca: string;
  name: string;
}

export interface Asked {
  id: number;
  operation: Operation;
}

export interface Answered {
  id: number;
  outcome: Outcome;
  /** The client's own clock, milliseconds. */
  clockMs: number;
}

const { url, prefix, ca, name } = JSON.parse(process.env.CLIENT_OPTIONS!) as ClientOptions;
const broker = await openBroker({ url, prefix, name, clock: systemClock, tls: { ca } });
// Any bucket: all are read and written alike.
const lists = openRecords(broker.buckets.accounts, z.array(z.string()));
const log = await openLog(
  broker,
  await openIdentity(broker.buckets.service),
  "https://registry.example",
  systemClock,
);

async function perform(operation: Operation): Promise<Outcome> {
  switch (operation.kind) {
    case "append": {
      const list = await lists.update(operation.key, (before = []) => {
        const next = [...before, operation.value];
        return { next, result: next };
      });
      return list ? { status: "ok", list } : { status: "failed", why: "too many conflicts" };
    }
    case "read":
      return { status: "ok", list: (await lists.get(operation.key))?.value ?? [] };
    case "add":
      return { status: "ok", total: await broker.counters.add("day", operation.key) };
    case "enter": {
      const topic = { kind: "interaction", project: "p" } as const;
      const { leafIndex } = await log.append(topic, operation.value, Buffer.from(operation.value));
      return { status: "ok", place: leafIndex };
    }
  }
}

process.on("message", async ({ id, operation }: Asked) => {
  const outcome = await perform(operation).catch(
    (error: unknown): Outcome => ({ status: "unknown", why: String(error) }),
  );
  process.send!({ id, outcome, clockMs: Date.now() } satisfies Answered);
});
process.on("disconnect", () => process.exit());
process.send!("ready");
