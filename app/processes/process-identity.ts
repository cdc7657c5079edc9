/** A process's id and log. */
import { hostname } from "node:os";
import pino, { type Logger } from "pino";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Config } from "../../src/runtime/config.ts";

export const createLogger = (config: Config): Logger =>
  pino({ level: config.BRIDGE_LOG_LEVEL }, pino.destination(2));

/** A new id: the host name and a UUIDv7. */
export const newProcessId = (): string => `${hostname()}-${uuidv7()}`;
