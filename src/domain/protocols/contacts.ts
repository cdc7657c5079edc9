/** Whom to reach about a registry: the addresses that its operator put into BRIDGE_USER_AGENT. */

/** Names that RFC 2606 and RFC 6761 reserve: nobody reads mail there. */
const RESERVED = ["example", "example.com", "example.net", "example.org", "invalid", "localhost", "test"];

/** Web and mail addresses in a User-Agent at which somebody may be, as URIs. */
export const contactsIn = (userAgent: string): string[] =>
  userAgent
    .split(/[\s();,+<>]/)
    .map((word) => word.replace(/^mailto:/i, ""))
    .filter((word) => {
      const host = hostOf(word);
      return host !== undefined && isReachable(host);
    })
    .map((word) => (/^https?:/i.test(word) ? word : `mailto:${word}`));

/** The host of a mail or web address; undefined for other words. */
function hostOf(word: string): string | undefined {
  if (/^https?:\/\//i.test(word)) return URL.parse(word)?.hostname;
  const at = word.lastIndexOf("@");
  return at > 0 ? word.slice(at + 1).toLowerCase() : undefined;
}

const isReachable = (host: string): boolean =>
  host.includes(".") && !RESERVED.some((name) => host === name || host.endsWith(`.${name}`));
