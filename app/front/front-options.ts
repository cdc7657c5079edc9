/** Options of the front. */
import type { NatsConnection } from "@nats-io/nats-core";
import type { Logger } from "pino";
import type { Service } from "../../src/rpc/contract.ts";
import type { AccessControl } from "./access/access.ts";
import type { OwnNames } from "./requested-host.ts";
import type { TrustCheck } from "./trust-check.ts";

export interface FrontOptions {
  connection: NatsConnection;
  prefix: string;
  services: readonly Service[];
  log: Logger;
  trustedProxies: string[];
  /** Access control; not needed if no operation requires a credential. */
  access?: AccessControl;
  /** Verifies trust headers; without it they are ignored. */
  trustCheck?: TrustCheck;
  /** The registry's own names; without them the Host field is used as sent. */
  ownNames?: OwnNames;
  /** Origins whose pages may call operations that require a credential; other operations allow every origin. */
  corsOrigins?: readonly string[];
  /** Time for a client to send its whole request, in milliseconds. Default 15,000. */
  requestTimeoutMs?: number;
  /** Scale of the table's quotas, in percent. Default 100. */
  limitsPercent?: number;
  /** Called for each response: declared path, status, milliseconds. */
  onAnswered?: (path: string, status: number, tookMs: number) => void;
}
