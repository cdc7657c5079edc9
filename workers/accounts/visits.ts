/** Visits that an owner's change brings about. */
import type { AccountsDeps } from "./deps.ts";

/** Has a site visited now: its listing says what the last visit saw. */
export async function visitNow(
  { frontier, broker }: Pick<AccountsDeps, "frontier" | "broker">,
  siteId: string,
): Promise<void> {
  const at = Math.floor(broker.now());
  if (await frontier.bringForward(siteId, at)) return;
  await frontier.add(siteId, at, { source: "seed", discoveredAt: at, visited: false });
}
