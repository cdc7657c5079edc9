/** Decides what a site's configuration lets agents do. Pure. */
import {
  SiteConfiguration,
  type SitePermission,
  SitePermissions,
  SiteRestrictions,
} from "../../../schemas/license.ts";
import { closingPrefix } from "../protocols/closing-prefix.ts";

/** An action that an agent attempts. */
export interface AttemptedAction {
  /** The command or declared action, as named by the agent. */
  command?: string;
  permissions?: readonly SitePermission[];
  /** Path of the address to request, as a URL's `pathname`. */
  path?: string;
}

/**
 * The configuration of a site whose owner has not configured it: the harmless permissions, and what its signed document
 * permits besides.
 * @param declared `capabilities.permissions` of the document
 */
export const defaultConfiguration = (declared: Readonly<Record<string, boolean>> = {}): SiteConfiguration =>
  SiteConfiguration.parse({
    permissions: SitePermissions.parse(
      Object.fromEntries(
        Object.keys(SitePermissions.shape)
          .filter((name) => Object.hasOwn(declared, name) && declared[name] === true)
          .map((name) => [name, true]),
      ),
    ),
    restrictions: SiteRestrictions.parse({}),
    logging: { level: "errors" },
    features: [],
    access: "none",
  });

/**
 * A configuration as a license or a session holds it: its permissions, less those that it was not given.
 * @param granted undefined or null: all of them
 */
export function limitedTo(
  configuration: SiteConfiguration,
  granted: readonly SitePermission[] | null | undefined,
): SiteConfiguration {
  if (!granted) return configuration;
  const held = Object.entries(configuration.permissions).map(([name, isHeld]) => [
    name,
    isHeld && granted.includes(name as SitePermission),
  ]);
  return { ...configuration, permissions: Object.fromEntries(held) as SitePermissions };
}

/** Why a configuration forbids an attempt, as a sentence; undefined if it is allowed. */
export function configurationRefusal(
  { permissions, restrictions }: SiteConfiguration,
  { command, permissions: needed = [], path }: AttemptedAction,
): string | undefined {
  const missing = needed.find((permission) => !permissions[permission]);
  if (missing) return `The site does not permit ${missing}.`;
  if (command !== undefined) {
    const denied = restrictions.denied_commands.find((each) => each.toLowerCase() === command.toLowerCase());
    if (denied) return `The site denies the action ${denied}.`;
  }
  if (path === undefined) return undefined;
  const closed = closingPrefix(path, restrictions.denied_paths);
  return closed && `The site closes ${closed} to agents.`;
}
