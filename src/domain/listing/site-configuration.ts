/** What a site's owner lets agents do, decided. Pure. */
import {
  SiteConfiguration,
  type SitePermission,
  SitePermissions,
  SiteRestrictions,
} from "../../../schemas/license.ts";
import { closingPrefix } from "../protocols/closing-prefix.ts";

/** A site's configuration until its owner changes it. */
export const defaultConfiguration = (): SiteConfiguration =>
  SiteConfiguration.parse({
    permissions: SitePermissions.parse({}),
    restrictions: SiteRestrictions.parse({}),
    logging: { level: "errors" },
    features: [],
  });

/** What an agent is about to do. */
export interface Attempt {
  /** The command or declared action, as the agent named it. */
  command?: string;
  permissions?: readonly SitePermission[];
  /** Path of the address that will be asked for, as a URL's `pathname`. */
  path?: string;
}

/** Why an owner's configuration forbids an attempt, as a sentence; undefined when it does not. */
export const refusalOf = (
  { permissions, restrictions }: SiteConfiguration,
  { command, permissions: needed = [], path }: Attempt,
): string | undefined => {
  const missing = needed.find((permission) => !permissions[permission]);
  if (missing) return `The site does not permit ${missing}.`;
  if (command !== undefined) {
    const denied = restrictions.denied_commands.find((each) => each.toLowerCase() === command.toLowerCase());
    if (denied) return `The site denies the action ${denied}.`;
  }
  if (path === undefined) return undefined;
  const closed = closingPrefix(path, restrictions.denied_paths);
  return closed && `The site closes ${closed} to agents.`;
};
