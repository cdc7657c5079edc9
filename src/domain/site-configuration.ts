/** What a site's owner lets agents do, decided. Pure. */
import {
  SiteConfiguration,
  type SitePermission,
  SitePermissions,
  SiteRestrictions,
} from "../../schemas/licence.ts";

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

/** Decodes a path until nothing changes: a server may decode more than once, so what hides behind it counts too. */
const plainPath = (path: string): string => {
  let text = path;
  for (let round = 0; round < 3; round++) {
    const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
      Buffer.from(run.replaceAll("%", ""), "hex").toString(),
    );
    if (decoded === text) break;
    text = decoded;
  }
  const segments: string[] = [];
  for (const written of text.replaceAll("\\", "/").split("/")) {
    // Parameters of a segment (RFC 3986 section 3.3) are dropped by many servers.
    const segment = written.replace(/;.*$/s, "");
    if (segment === "..") segments.pop();
    else if (segment !== "." && segment !== "") segments.push(segment);
  }
  return `/${segments.join("/")}`.normalize("NFC").toLowerCase();
};

const isBelow = (path: string, prefix: string): boolean =>
  prefix === "/" || path === prefix || path.startsWith(`${prefix}/`);

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
  const asked = plainPath(path);
  const closed = restrictions.denied_paths.find((prefix) => isBelow(asked, plainPath(prefix)));
  return closed && `The site closes ${closed} to agents.`;
};
