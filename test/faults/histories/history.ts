/** What clients asked of a cluster, and what they were told: the shape of it. */

/** Appends to a list, or adds one to a counter: each value is written once, by whoever asks. */
export type Operation =
  | { kind: "append"; key: string; value: string }
  | { kind: "read"; key: string }
  | { kind: "add"; key: string }
  | { kind: "enter"; value: string };

export type Outcome =
  /** The list after it, the counter's total, or the entry's place in the log. */
  | { status: "ok"; list?: string[]; total?: number; place?: number }
  /** It was certainly not done. */
  | { status: "failed"; why: string }
  /** Nobody knows. */
  | { status: "unknown"; why: string };

export interface Event {
  client: string;
  operation: Operation;
  outcome: Outcome;
  /** Before it was sent and after its outcome came, milliseconds of one clock: the operation took effect in between, or later if unknown. */
  invokedMs: number;
  completedMs: number;
}

/** What is there after all has healed. */
export interface Final {
  lists: ReadonlyMap<string, readonly string[]>;
  totals: ReadonlyMap<string, number>;
  /** The log's entries, by place. */
  log: readonly string[];
}
