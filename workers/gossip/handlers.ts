import { parseHost, registrableDomain } from "../../src/domain/names/domain-name.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import { bridgeMetaOf, INSTRUCTIONS, peerOf } from "../../src/stores/peers.ts";
import { chargeAllowance, type GossipDeps, type HostAdmission } from "./admission.ts";
import type { gossip } from "./contract.ts";
import { outcomeOf } from "./outcome.ts";
import { addressGroup, MAX_PEERS_TAKEN, pick } from "./rules.ts";

export const gossipHandlers = (deps: GossipDeps, admission: HostAdmission): Handlers<typeof gossip> => ({
  reportSite: async ({ body }, { clientAddress }) => {
    const hosts = new Set<string>();
    if (body.domain !== undefined) {
      const parsed = parseHost(body.domain);
      if (!parsed.ok)
        return fail(
          "invalid_domain",
          `domain: ${parsed.reason}. Send a public host name such as shop.example.`,
          {
            errors: [{ pointer: "/body/domain", code: parsed.reason, message: "not a public host name" }],
          },
        );
      hosts.add(parsed.host);
    }
    for (const { domain } of pick(body.gossip_peers ?? [], MAX_PEERS_TAKEN, deps.random)) {
      const parsed = parseHost(domain);
      if (parsed.ok) hosts.add(parsed.host);
    }
    const group = addressGroup(deps.secret, clientAddress);
    const { taken, owners } = await chargeAllowance(deps, group, [...hosts]);
    await Promise.all(taken.map((host) => admission.admit(host, "report", group)));
    const exclude = new Set([...owners, ...[...hosts].map(registrableDomain)]);
    const peers = await deps.peersFor(group, exclude, deps.tried.has);
    const named = body.domain === undefined ? undefined : [...hosts][0]!;
    return {
      ...(named !== undefined && { reported: await outcomeOf(deps, named) }),
      count: peers.length,
      peers: peers.map(peerOf),
      instructions: INSTRUCTIONS,
      bridge_meta: bridgeMetaOf(deps.publicUrl, await deps.ownRing()),
    };
  },
});
