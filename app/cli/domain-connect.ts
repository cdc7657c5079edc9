/** `bridge domain-connect`: whether a domain's DNS provider publishes its records, and where its owner agrees. */
import type { DomainConnect } from "../../schemas/domain-connect.ts";
import { ask } from "./ask.ts";
import { keyOf } from "./keys.ts";
import { CommandError, print, printable, say } from "./terminal.ts";
import { domainOf } from "./why.ts";

export interface DomainConnectOptions {
  registry: string;
  /** File of the site's private key; only its public half is sent. */
  key?: string;
  pk?: string;
  endpoint?: string;
  json: boolean;
}

const linesOf = ({ apply_url, provider, detail, records }: DomainConnect): string[] => [
  ...(apply_url === null || provider === null
    ? [printable(detail), "Publish by hand:"]
    : [printable(`${provider.name} publishes this once you agree there:`)]),
  ...records.map(({ host, type, value, ttl }) => `  ${host}. ${ttl} IN ${type} "${value}"`),
];

/** @returns the exit code: 4 where the provider does not publish them */
export const domainConnect = async (input: string, options: DomainConnectOptions): Promise<number> => {
  const domain = domainOf(input);
  const pk = options.pk ?? (options.key === undefined ? undefined : keyOf(options.key).publicKey);
  if (pk === undefined) throw new CommandError("Name the site's key with --key or --pk.", 2);
  const query = new URLSearchParams({
    pk,
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
  });
  const path = `/api/registry/sites/${domain}/domain-connect?${query}`;
  const reply = await ask<DomainConnect>(options.registry, path, { timeoutMs: 25_000 });
  if (options.json) print(JSON.stringify(reply));
  else {
    for (const line of linesOf(reply)) say(line);
    if (reply.apply_url) print(reply.apply_url);
  }
  return reply.apply_url === null ? 4 : 0;
};
