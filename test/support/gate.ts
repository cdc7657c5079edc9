/** The real gate, on the run's broker under a prefix of its own, for tests of politeness and of single visits. */
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { createGate, type Gate, GateRecord } from "../../src/egress/gate.ts";
import { openRecords } from "../../src/stores/records.ts";

/** Joins the run's broker as one process would; give `prefix` to meet others there. */
export const joinBroker = (prefix = `t${randomBytes(6).toString("hex")}`): Promise<NatsBroker> =>
  openBroker({ url: inject("natsUrl"), prefix, name: "test", clock: systemClock, setUp: true });

/** One holder's gate. */
export const gateOn = (broker: NatsBroker, holder: string, leaseMs = 20_000): Gate =>
  createGate({
    records: openRecords(broker.buckets.gate, GateRecord),
    now: broker.now,
    clockErrorMs: broker.clockErrorMs,
    clock: systemClock,
    holder,
    leaseMs,
  });
