/** What passes between the index's main side and its threads. */
import type { ThreadPulse } from "../../../threads/watchdog.ts";
import type { IndexOperation } from "./operations.ts";

export interface ThreadData {
  path: string;
  role: "writer" | "reader";
  /** Of a thread of its own: shows the watchdog that it turns. */
  pulse?: ThreadPulse;
}

export type IndexThreadRequest =
  | { call: number; operation: IndexOperation; argument: unknown }
  | { call: number; operation: "close" };

export type IndexThreadReply =
  | { kind: "ready"; id: string }
  | { kind: "done"; call: number; result: unknown }
  | { kind: "failed"; call: number; message: string };
