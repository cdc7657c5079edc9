/** Log lines of loops that try again: one where the reason changes, and one a minute while it stays. */
import type { Logger } from "pino";

const SAY_AGAIN_MS = 60_000;
const MAX_REASONS = 100;

export interface OnChange {
  /** Says that something does not work, unless the same was said of it a moment ago. */
  warn(what: string, error: unknown): void;
  /** It works again: the next failure is said. */
  works(what: string): void;
}

export function warnOnChange(log: Pick<Logger, "warn" | "info">): OnChange {
  const said = new Map<string, { reason: string; atMs: number; unsaid: number }>();
  return {
    warn: (what, error) => {
      const reason = reasonOf(error);
      const last = said.get(what);
      const nowMs = performance.now();
      if (last?.reason === reason && nowMs - last.atMs < SAY_AGAIN_MS) {
        last.unsaid++;
        return;
      }
      log.warn({ reason, ...(last && last.unsaid > 0 && { since_then: last.unsaid }) }, what);
      if (said.size >= MAX_REASONS) said.clear();
      said.set(what, { reason, atMs: nowMs, unsaid: 0 });
    },
    works: (what) => {
      if (!said.delete(what)) return;
      log.info(`over: ${what}`);
    },
  };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
