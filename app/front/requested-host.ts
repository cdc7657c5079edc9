/**
 * The requested host. It selects the site whose document is served, so it comes only from the Host field (RFC 9110
 * section 7.2), which is part of every cache key. X-Forwarded-Host is ignored, because many proxies pass it on
 * unchecked.
 */
import { parseHost } from "../../src/domain/names/domain-name.ts";

export interface OwnNames {
  /** Host and port of the public URL. */
  publicHost: string;
  /** Other names of the registry, without ports. */
  aliases: readonly string[];
}

/**
 * The public host name as sent. The public URL's host for an alias, and for anything that is not a public host name (an
 * address, one label, or nothing), as internal proxies and probes send.
 * @param field value of the Host header field
 */
export const requestedHost = (field: string | undefined, { publicHost, aliases }: OwnNames): string => {
  const parsed = parseHost((field ?? "").replace(/:\d{1,5}$/, ""));
  return field !== undefined && parsed.ok && !aliases.includes(parsed.host) ? field : publicHost;
};
