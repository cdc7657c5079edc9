/** Operator commands for a broker with a user per role: the users, and the resources that only the operator may create. */
import { randomBytes } from "node:crypto";
import { BROKER_USERS, brokerAuthorization, passwordVariable } from "../../src/adapters/nats/rights.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openPlans } from "../../src/stores/plans.ts";
import { withRuntime } from "./parts.ts";
import { print } from "./terminal.ts";

/** nats-server's configuration requires a letter first, then only letters and digits. */
const newPassword = (): string => `p${randomBytes(20).toString("hex")}`;

/** Prints the `authorization` block of nats-server's configuration; passwords come from its environment. */
export const brokerUsers = (config: Config, { passwords }: { passwords: boolean }): void => {
  if (passwords) {
    for (const name of [...BROKER_USERS.map(passwordVariable), "NATS_CLUSTER_PASSWORD"])
      print(`${name}=${newPassword()}`);
    return;
  }
  print(
    `# Made by \`bridge broker-users\`: change src/adapters/nats/rights.ts. Passwords: letters and digits, a letter first.\n${brokerAuthorization(config.BRIDGE_NATS_PREFIX).trimEnd()}`,
  );
};

/**
 * Creates the streams and buckets, the registry's key, its plans and its log's name. Idempotent; run it before each new
 * version.
 */
export const prepare = (config: Config): Promise<void> =>
  withRuntime({ ...config, BRIDGE_NATS_SETUP: true }, async (runtime) => {
    const { broker } = runtime;
    await openPlans(broker.buckets.plans, broker.now).ensure();
    await runtime.transparency();
    await runtime.ownDocument();
    print(`${broker.prefix}: streams, buckets and the registry's key are ready.`);
  });
