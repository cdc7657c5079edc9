/** Who runs the name servers of a zone, by their names, and where records are edited there: enough for an owner to find the place. Pure. */

import { expressionOf, readTable } from "../../tables/read-table.ts";

const PROVIDERS = readTable("dns-providers").providers.map((row) => ({
  ...row,
  servers: expressionOf(row.servers),
}));

export interface DnsHint {
  /** In one or two sentences. */
  text: string;
  help_url: string | null;
}

/** @param nameServers in any case, with or without a final dot @returns null where their names tell nothing */
export const dnsProviderOf = (nameServers: readonly string[]): string | null =>
  providerOf(nameServers)?.name ?? null;

function providerOf(nameServers: readonly string[]) {
  for (const server of nameServers) {
    const name = server.toLowerCase().replace(/\.$/, "");
    const provider = PROVIDERS.find(({ servers }) => servers.test(name));
    if (provider) return provider;
  }
  return undefined;
}

/**
 * Where a TXT record is entered at whoever runs the name servers.
 * @param recordName of the record, whole
 * @param zone its last part, which all of them add by themselves
 */
export function dnsHintOf(nameServers: readonly string[], recordName: string, zone: string): DnsHint | null {
  const provider = providerOf(nameServers);
  if (!provider?.where) return null;
  const typed = recordName.endsWith(`.${zone}`) ? recordName.slice(0, -zone.length - 1) : recordName;
  const where = `At ${provider.name}: ${provider.where}; type TXT, name ${typed} (${zone} is added there).`;
  return {
    text: provider.note === undefined ? where : `${where} ${provider.note}`,
    help_url: provider.help ?? null,
  };
}
