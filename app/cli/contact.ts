/** Who crawls: site owners must be able to reach the operator, so a crawl of the real web needs a contact of its own. */
import type { Config } from "../../src/runtime/config.ts";
import { CommandError } from "./terminal.ts";

const HTTPS_PORT = 443;
/** Names that RFC 2606 and RFC 6761 reserve: nobody reads mail there. */
const RESERVED = ["example", "example.com", "example.net", "example.org", "invalid", "localhost", "test"];

/** The host of a mail or web address; undefined for other words. */
const hostOf = (word: string): string | undefined => {
  if (/^https?:\/\//i.test(word)) return URL.parse(word)?.hostname;
  const at = word.lastIndexOf("@");
  return at > 0 ? word.slice(at + 1).toLowerCase() : undefined;
};

const isReachable = (host: string): boolean =>
  host.includes(".") && !RESERVED.some((name) => host === name || host.endsWith(`.${name}`));

/** Whether a User-Agent names a mail or web address at which somebody may be. */
export const namesContact = (userAgent: string): boolean =>
  userAgent
    .split(/[\s();,+<>]/)
    .map((word) => hostOf(word.replace(/^mailto:/i, "")))
    .some((host) => host !== undefined && isReachable(host));

/**
 * Refuses a crawl of the real web that nobody can be asked about. A synthetic web has its own BRIDGE_HTTPS_PORT.
 * @throws CommandError that says which setting to give
 */
export const requireContact = ({ BRIDGE_HTTPS_PORT, BRIDGE_USER_AGENT }: Config): void => {
  if (BRIDGE_HTTPS_PORT !== HTTPS_PORT || namesContact(BRIDGE_USER_AGENT)) return;
  throw new CommandError(
    `A crawl of the real web tells site owners how to reach you, and BRIDGE_USER_AGENT (${BRIDGE_USER_AGENT}) has no address of yours. Set it, for example:
  export BRIDGE_USER_AGENT='BridgeBot/1.2 (+https://your-domain/bot; you@your-domain)'`,
    2,
  );
};
