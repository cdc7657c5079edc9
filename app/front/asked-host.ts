/**
 * The name that a request is for. It chooses whose document is served, so it comes from the Host field alone (RFC 9110 section
 * 7.2): that is what caches go by. X-Forwarded-Host, which many proxies pass on from anybody, chooses nothing.
 */
import { parseHost } from "../../src/domain/names/domain-name.ts";

export interface OwnNames {
  /** Host and port of the public URL. */
  publicHost: string;
  /** Other names of the registry, without ports. */
  aliases: readonly string[];
}

/**
 * A public host name as it was sent. The public URL's host for an alias, and for what is no public host name: an address, one
 * label, or nothing, as proxies and probes inside ask.
 * @param field value of the Host header field
 */
export const askedHost = (field: string | undefined, { publicHost, aliases }: OwnNames): string => {
  const parsed = parseHost((field ?? "").replace(/:\d{1,5}$/, ""));
  return field !== undefined && parsed.ok && !aliases.includes(parsed.host) ? field : publicHost;
};
