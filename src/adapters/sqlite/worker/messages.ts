/** What passes between the index's main side and its threads. */
import type { Pulse } from "../../../threads/watchdog.ts";
import type { Operation } from "./operations.ts";

export interface ThreadData {
  path: string;
  role: "writer" | "reader";
  /** Of a thread of its own: shows the watchdog that it turns. */
  pulse?: Pulse;
}

export type Request =
  | { call: number; operation: Operation; argument: unknown }
  | { call: number; operation: "close" };

export type Reply =
  | { kind: "ready"; id: string }
  | { kind: "done"; call: number; result: unknown }
  | { kind: "failed"; call: number; message: string };
