/** Registries that are followed, as ARD registries to which callers are referred. Pure. */
import type { ArdReferral } from "../../schemas/ard.ts";
import { ARD_REGISTRY_PATH, ARD_REGISTRY_TYPE, interfaceIdentifier } from "../agent-web/as/ard-entry.ts";
import { DAY_MS } from "../ports/time.ts";
import type { ImportState } from "../stores/claims.ts";
import { SERVERS_PATH } from "./registry-pages.ts";

/** One that was not read to its end for so long is not followed any more. */
const FOLLOWED_MS = 7 * DAY_MS;
const MOST = 10;

/** Those that are Bridges by their log, in which nothing is amiss. @param now milliseconds */
export const ardReferrals = (states: readonly ImportState[], now: number): ArdReferral[] =>
  states
    .filter(
      ({ log, from, ended_at }) =>
        log?.fault === null &&
        from.endsWith(SERVERS_PATH) &&
        ended_at !== null &&
        now - Date.parse(ended_at) < FOLLOWED_MS,
    )
    .map(({ from }) => from.slice(0, -SERVERS_PATH.length))
    .sort()
    .slice(0, MOST)
    .map((registry) => ({
      identifier: interfaceIdentifier(registry, "registry"),
      displayName: `ARD registry of ${new URL(registry).host}`,
      type: ARD_REGISTRY_TYPE,
      url: `${registry}${ARD_REGISTRY_PATH}`,
    }));
