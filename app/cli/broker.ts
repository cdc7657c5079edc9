/** `bridge broker-users`: the users of a broker with a user per role. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { BROKER_USERS, brokerAuthorization, passwordVariable } from "../../src/adapters/nats/rights.ts";
import type { Config } from "../../src/runtime/config.ts";
import { CommandError, print, say } from "./terminal.ts";

/**
 * Prints the `authorization` block of nats-server's configuration; passwords come from its environment.
 * @param options.out a file that is not there yet, written with mode 0600
 * @throws CommandError where the file cannot be written
 */
export function brokerUsers(config: Config, { passwords, out }: { passwords: boolean; out?: string }): void {
  const text = textOf(config, passwords);
  if (out === undefined) {
    print(text);
    return;
  }
  try {
    writeFileSync(out, `${text}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw new CommandError(`${out} cannot be written (${(error as NodeJS.ErrnoException).code}).`, 2);
  }
  say(`${out} is written, readable by you alone (mode 0600).`);
}

const textOf = (config: Config, passwords: boolean): string =>
  passwords
    ? [...BROKER_USERS.map(passwordVariable), "NATS_CLUSTER_PASSWORD"]
        .map((name) => `${name}=${newPassword()}`)
        .join("\n")
    : `# Made by \`bridge broker-users\`: change src/adapters/nats/rights.ts. Passwords: letters and digits, a letter first.\n${brokerAuthorization(config.BRIDGE_NATS_PREFIX).trimEnd()}`;

/** nats-server's configuration requires a letter first, then only letters and digits. */
const newPassword = (): string => `p${randomBytes(20).toString("hex")}`;
