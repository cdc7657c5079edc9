/** A real nats-server with a user for each role, as `bridge broker-users` configures it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import {
  BROKER_USERS,
  type BrokerUser,
  brokerAuthorization,
  passwordVariable,
} from "../../src/adapters/nats/rights.ts";

const START_TIMEOUT_MS = 20_000;

export interface UsersBroker {
  /** nats:// address without credentials. */
  url: string;
  passwordOf(user: BrokerUser): string;
  /** What the server refused so far: its log's lines, one for each. */
  violations(): string[];
  stop(): Promise<void>;
}

/** @param prefix BRIDGE_NATS_PREFIX of the registry @param tls more of the server's configuration */
export async function startUsersBroker(prefix: string, tls = ""): Promise<UsersBroker> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-users-"));
  const file = join(folder, "nats.conf");
  const logFile = join(folder, "log");
  const passwordOf = (user: BrokerUser): string => `secretOf${user}`;
  writeFileSync(
    file,
    `listen: "127.0.0.1:-1"
max_payload: 8MB
ports_file_dir: ${JSON.stringify(folder)}
jetstream { store_dir: ${JSON.stringify(join(folder, "store"))}, max_file_store: 1TB }
${tls}
${brokerAuthorization(prefix)}`,
  );
  const log = openSync(logFile, "a");
  const passwords = BROKER_USERS.map((user) => [passwordVariable(user), passwordOf(user)]);
  const child = spawn(inject("natsBinary"), ["-c", file], {
    stdio: ["ignore", log, log],
    env: Object.fromEntries(passwords),
  });
  closeSync(log);
  const ended = once(child, "exit");
  const text = (): string => readFileSync(logFile, "utf8");
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (!text().includes("Server is ready")) {
    if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error(`no broker:\n${text()}`);
    await delay(20);
  }
  const port = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(text())![1];
  return {
    url: `nats://127.0.0.1:${port}`,
    passwordOf,
    violations: () =>
      text()
        .split("\n")
        .filter((line) => /Violation/.test(line)),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
