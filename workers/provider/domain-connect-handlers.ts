/** Operations of Domain Connect: what a DNS provider offers for a domain, and our templates. */
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import type { provider } from "./contract.ts";
import type { DomainConnector } from "./domain-connect.ts";
import { badDomain, badEndpoint, keyFault } from "./faults.ts";
import { endpointFor } from "./record-template.ts";

type Names = "getDomainConnect" | "listDomainConnectTemplates" | "getDomainConnectTemplate";

export const domainConnectHandlers = ({
  connector,
}: {
  connector: DomainConnector;
}): Pick<Handlers<typeof provider>, Names> => ({
  getDomainConnect: async ({ params: { domain }, query: { pk, endpoint: wanted } }) => {
    const parsed = parsePastedDomain(domain);
    if (!parsed.ok) return badDomain(parsed.detail, parsed.reason);
    const { host } = parsed;
    const endpoint = endpointFor(host, wanted);
    if (!endpoint.ok) return badEndpoint("/query/endpoint", endpoint.reason);
    const faulty = keyFault(pk);
    if (faulty) return faulty;
    const values = { host, publicKey: pk, endpoint: endpoint.endpoint };
    return (
      (await connector.offer(values)) ??
      fail("unavailable", "Too many ask DNS providers at this moment.", { retryAfterSeconds: 10 })
    );
  },

  listDomainConnectTemplates: async () => connector.templates(),

  getDomainConnectTemplate: async ({ params: { service } }) =>
    connector.template(service) ??
    fail("not_found", "This registry has no such template: listDomainConnectTemplates names those it has."),
});
