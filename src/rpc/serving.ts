/** A service as the process that serves it knows it. */
import type { Service } from "./contract.ts";

/** Of one operation, since the process began to serve it. */
export interface OperationStats {
  requests: number;
  failures: number;
  faults: number;
  processingMs: number;
}

export interface RunningService {
  readonly service: Service;
  readonly stats: ReadonlyMap<string, OperationStats>;
  /** Stops accepting requests and finishes those in progress. */
  drain(): Promise<void>;
}
