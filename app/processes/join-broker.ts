/** Joins the broker with the settings' credentials, and reports wrong settings. */
import { readFileSync } from "node:fs";
import { errors } from "@nats-io/nats-core";
import { certificateFault, openBroker } from "../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { type Config, ConfigError } from "../../src/runtime/config.ts";
import { type Identity, openIdentity } from "../../src/stores/identity.ts";

const TLS_FILES = { ca: "BRIDGE_NATS_CA", cert: "BRIDGE_NATS_CERT", key: "BRIDGE_NATS_KEY" } as const;

/** Credentials and TLS options of the broker connection. @throws ConfigError for an unreadable file */
const credentialsOf = (config: Config) => {
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
};

/** Maps a connection error to the wrong setting; other errors are returned as they are. */
const settingsFault = (error: unknown, { BRIDGE_NATS_USER: user }: Config): unknown => {
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
      `BRIDGE_NATS_SETUP: the broker does not let this user ${refused.operation} to ${refused.subject}. A user of one role joins what \`bridge prepare\` made as the operator: set it to false, and give each role its own user.`,
      { cause: error },
    );
  return error;
};

/**
 * Joins the broker and reads the registry's identity.
 * @param waitMs how long to try to reach the broker; default: once
 * @throws ConfigError for invalid settings; Error if the broker is unreachable
 */
export const joinBroker = async (
  config: Config,
  url: string,
  { id, clock, waitMs }: { id: string; clock: Clock; waitMs: number | undefined },
): Promise<{ broker: NatsBroker; identity: Identity }> => {
  try {
    const broker = await openBroker({
      url,
      prefix: config.BRIDGE_NATS_PREFIX,
      replicas: config.BRIDGE_NATS_REPLICAS,
      name: `bridge ${id}`,
      clock,
      setUp: config.BRIDGE_NATS_SETUP,
      ...credentialsOf(config),
      ...(waitMs && { waitMs }),
    });
    return { broker, identity: await openIdentity(broker.buckets.service) };
  } catch (error) {
    throw settingsFault(error, config);
  }
};
