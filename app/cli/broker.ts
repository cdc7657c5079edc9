/** `bridge broker-users`: the users of a broker with a user per role. */
import { randomBytes } from "node:crypto";
import { BROKER_USERS, brokerAuthorization, passwordVariable } from "../../src/adapters/nats/rights.ts";
import type { Config } from "../../src/runtime/config.ts";
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
