/** What hosts publish for agents (schemas/agent-web.ts), beside the contents of sites. */
import { AgentPresence } from "../../schemas/agent-web.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Bucket } from "../ports/buckets.ts";
import { openRecords } from "./records.ts";

export interface Presences {
  get(host: string): Promise<AgentPresence | undefined>;
  put(presence: AgentPresence): Promise<void>;
  remove(host: string): Promise<void>;
}

/** Key of a host's presence. No host's key has a dot. */
export const presenceKey = (host: string): string => `agents.${hostKey(host)}`;

export function openPresences(contents: Bucket): Presences {
  const records = openRecords(contents, AgentPresence);
  return {
    get: async (host) => (await records.get(presenceKey(host)))?.value,
    put: async (presence) => void (await records.put(presenceKey(presence.host), presence)),
    remove: (host) => records.remove(presenceKey(host)),
  };
}
