/** Who crawls: site owners must be able to reach the operator, so a crawl of the real web needs a contact of its own. */

import { contactsIn } from "../../src/domain/protocols/contacts.ts";
import type { Config } from "../../src/runtime/config.ts";
import { CommandError } from "./terminal.ts";

const HTTPS_PORT = 443;

/**
 * Refuses a crawl of the real web that nobody can be asked about. A synthetic web has its own BRIDGE_HTTPS_PORT.
 * @throws CommandError that says which setting to give
 */
export function requireContact({ BRIDGE_HTTPS_PORT, BRIDGE_USER_AGENT }: Config): void {
  if (BRIDGE_HTTPS_PORT !== HTTPS_PORT || namesContact(BRIDGE_USER_AGENT)) return;
  throw new CommandError(
    `A crawl of the real web tells site owners how to reach you, and BRIDGE_USER_AGENT (${BRIDGE_USER_AGENT}) has no address of yours. Set it, for example:
  export BRIDGE_USER_AGENT='BridgeBot/1.2 (+https://your-domain/bot; you@your-domain)'`,
    2,
  );
}

/** Whether a User-Agent names a mail or web address at which somebody may be. */
export const namesContact = (userAgent: string): boolean => contactsIn(userAgent).length > 0;
