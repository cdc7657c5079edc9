/** A dead letter's host, visited again: for the operators' API. */
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import type { Records } from "../../src/stores/records.ts";
import type { DeadLetter } from "../crawler/contract.ts";

export interface RetryDeps {
  frontier: Pick<Frontier, "bringForward" | "add">;
  letters: Pick<Records<DeadLetter>, "remove">;
  /** Broker milliseconds. */
  now: () => number;
}

/** Has the host visited at once, and removes the letter. */
export async function retryDeadLetter(
  { frontier, letters, now }: RetryDeps,
  { host }: DeadLetter,
): Promise<void> {
  const at = now();
  const again = { source: "audit", discoveredAt: Math.floor(at), visited: true } as const;
  if (!(await frontier.bringForward(host, at))) await frontier.add(host, at, again);
  await letters.remove(hostKey(host));
}
