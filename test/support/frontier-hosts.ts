import type { Frontier } from "../../src/ports/frontier.ts";

/** Every host with a token now, and its token's state. */
export async function hostsOf({ hosts }: Pick<Frontier, "hosts">): Promise<Map<string, "sched" | "due">> {
  const found = new Map<string, "sched" | "due">();
  for await (const [host, state] of hosts()) found.set(host, state);
  return found;
}
