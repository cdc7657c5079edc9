/** Opens the polite client: the gate, its back-offs, and the owners' configurations. */
import { openAskerBackOff } from "../../src/egress/asker-back-off.ts";
import { createGate, GateRecord } from "../../src/egress/gate.ts";
import { createPolite, type Polite } from "../../src/egress/polite.ts";
import { robotsRefusal } from "../../src/egress/site-robots.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { closedToAgents } from "../../src/stores/governing-site.ts";
import { openRecords } from "../../src/stores/records.ts";
import { observedGate } from "../../src/telemetry/observed.ts";
import type { OpenedCore } from "./opened-core.ts";
import type { OutgoingClients } from "./outgoing.ts";

export function openPolite(
  { broker, config, id, identity }: OpenedCore,
  { clock, fetcher }: Pick<OutgoingClients, "clock" | "fetcher">,
): Polite {
  const { buckets, now, clockErrorMs } = broker;
  const records = openRecords(buckets.gate, GateRecord);
  const leaseMs = config.leaseMs;
  const accounts = openAccountStore(broker);
  // The name that robots.txt knows.
  const robotsToken = config.BRIDGE_USER_AGENT.split("/")[0]!;
  return createPolite({
    gate: observedGate(createGate({ records, now, clockErrorMs, clock, holder: id, leaseMs })),
    fetcher,
    now,
    clockErrorMs,
    clock,
    leaseMs,
    hostDelayMs: config.BRIDGE_HOST_DELAY_MS,
    ipDelayMs: config.BRIDGE_IP_DELAY_MS,
    askers: openAskerBackOff(records, now, identity.secret),
    robots: (visit, url) => robotsRefusal(visit, url, robotsToken),
    closed: (url) => closedToAgents(accounts, url, { permissions: ["readContent"] }),
  });
}
