/** Joins the broker with the settings' credentials, and reports wrong settings. */
import { readFileSync } from "node:fs";
import { errors } from "@nats-io/nats-core";
import {
  type BrokerOptions,
  certificateFault,
  openBroker,
  openManager,
} from "../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import type { StorageOptions } from "../../src/adapters/nats/setup.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { type Config, ConfigError } from "../../src/runtime/config.ts";
import { type Identity, openIdentity } from "../../src/stores/identity.ts";

/** A certificate's file has its key too: TLS takes of a PEM file what it asks for. */
const TLS_FILES = { ca: "BRIDGE_NATS_CA", cert: "BRIDGE_NATS_CERT", key: "BRIDGE_NATS_CERT" } as const;

interface JoinOptions {
  id: string;
  clock: Clock;
  /** How long to try to reach the broker; default: once. */
  waitMs: number | undefined;
}

/** What the settings want of the broker's streams. */
export const storageOf = (config: Config): StorageOptions => ({
  prefix: config.BRIDGE_NATS_PREFIX,
  replicas: config.BRIDGE_NATS_REPLICAS,
  storeBytes: config.BRIDGE_STORE_GIB * 2 ** 30,
});

/**
 * Joins the broker and reads the registry's identity.
 * @throws ConfigError for invalid settings; StorageMismatch; Error if the broker is unreachable
 */
export async function joinBroker(
  config: Config,
  url: string,
  options: JoinOptions,
): Promise<{ broker: NatsBroker; identity: Identity }> {
  try {
    const broker = await openBroker({ ...optionsOf(config, url, options), setUp: config.BRIDGE_NATS_SETUP });
    return { broker, identity: await openIdentity(broker.buckets.service) };
  } catch (error) {
    throw settingsFault(error, config);
  }
}

const optionsOf = (config: Config, url: string, { id, clock, waitMs }: JoinOptions): BrokerOptions => ({
  url,
  name: `bridge ${id}`,
  clock,
  ...storageOf(config),
  ...credentialsOf(config),
  ...(waitMs && { waitMs }),
});

/** Credentials and TLS options of the broker connection. @throws ConfigError for an unreadable file */
function credentialsOf(config: Config) {
  const { BRIDGE_NATS_USER: user, BRIDGE_NATS_PASSWORD: password } = config;
  const files = Object.entries(TLS_FILES).flatMap(([name, setting]) => {
    const file = config[setting];
    if (!file) return [];
    try {
      return [[name, readFileSync(file, "utf8")] as const];
    } catch (error) {
      throw new ConfigError(`${setting}: ${(error as Error).message}`, { cause: error });
    }
  });
  return {
    ...(user && { user }),
    ...(password && { password }),
    ...(files.length > 0 && { tls: Object.fromEntries(files) }),
  };
}

/** Maps a connection error to the wrong setting; other errors are returned as they are. */
function settingsFault(error: unknown, { BRIDGE_NATS_USER: user }: Config): unknown {
  const certificate = certificateFault(error);
  if (certificate !== undefined)
    return new ConfigError(`BRIDGE_NATS_CA: the broker is not trusted: ${certificate}.`, { cause: error });
  if (error instanceof errors.AuthorizationError)
    return new ConfigError(
      `BRIDGE_NATS_USER, BRIDGE_NATS_PASSWORD (or BRIDGE_NATS_URL): the broker refuses ${user ? `the user ${user}` : "these credentials"}.`,
      { cause: error },
    );
  const refused = error instanceof errors.RequestError ? error.cause : error;
  if (refused instanceof errors.PermissionViolationError)
    return new ConfigError(
      `BRIDGE_NATS_SETUP: the broker does not let this user ${refused.operation} to ${refused.subject}. A user of one role joins what \`bridge setup\` made as the operator: leave it unset, and give each role its own user.`,
      { cause: error },
    );
  return error;
}

/** Joins a registry that is being restored: nothing is made that the backup will hold. */
export const joinRestoring = (config: Config, url: string, clock: Clock): Promise<NatsBroker> =>
  openBroker({ ...optionsOf(config, url, { id: "restore", clock, waitMs: undefined }), isRestoring: true });

/** A connection that reads and writes the configuration of streams, as the settings' user: `bridge setup`'s. */
export async function joinManager(
  config: Config,
  url: string,
  clock: Clock,
  waitMs: number,
): ReturnType<typeof openManager> {
  try {
    return await openManager(optionsOf(config, url, { id: "setup", clock, waitMs }));
  } catch (error) {
    throw settingsFault(error, config);
  }
}
