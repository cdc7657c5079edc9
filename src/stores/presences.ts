/** What hosts publish for agents (schemas/agent-web.ts), beside the contents of sites. */
import type { AgentPresence } from "../../schemas/agent-web.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Bucket } from "../ports/buckets.ts";
import { presenceBytes, presenceOf } from "./presence-bytes.ts";

export interface Presences {
  get(host: string): Promise<AgentPresence | undefined>;
  put(presence: AgentPresence): Promise<void>;
  remove(host: string): Promise<void>;
}

/** Key of a host's presence. No host's key has a dot. */
export const presenceKey = (host: string): string => `agents.${hostKey(host)}`;

export function openPresences(contents: Bucket): Presences {
  return {
    get: async (host) => {
      const entry = await contents.get(presenceKey(host));
      return entry && presenceOf(entry.value);
    },
    put: async (presence) => void (await contents.put(presenceKey(presence.host), presenceBytes(presence))),
    remove: (host) => contents.remove(presenceKey(host)),
  };
}
