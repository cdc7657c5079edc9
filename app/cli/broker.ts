/** What an operator of a broker with a user for each role needs: the users, and what only the operator may make. */
import { randomBytes } from "node:crypto";
import { BROKER_USERS, brokerAuthorization, passwordVariable } from "../../src/adapters/nats/rights.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openPlans } from "../../src/stores/plans.ts";
import { withRuntime } from "./parts.ts";
import { print } from "./terminal.ts";

/** nats-server reads them as values of its language: a letter first, and nothing but letters and digits. */
const newPassword = (): string => `p${randomBytes(20).toString("hex")}`;

/** Prints the `authorization` of nats-server's configuration; passwords come from its environment. */
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

/** Makes the streams and buckets, the registry's key, its plans and its log's name. Safe to repeat; run it before each new version. */
export const prepare = (config: Config): Promise<void> =>
  withRuntime({ ...config, BRIDGE_NATS_SETUP: true }, async (runtime) => {
    const { broker } = runtime;
    await openPlans(broker.buckets.plans, broker.now).ensure();
    await runtime.transparency();
    await runtime.ownDocument();
    print(`${broker.prefix}: streams, buckets and the registry's key are there.`);
  });
