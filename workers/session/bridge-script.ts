/** `bridgeScript`: the script that a site includes, its TypeScript without the types, called with the site's configuration. */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { VERSIONS } from "../../schemas/common.ts";
import type { SiteConfiguration } from "../../schemas/license.ts";
import { defaultConfiguration } from "../../src/domain/listing/site-configuration.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { governingSite } from "../../src/stores/governing-site.ts";
import type { BridgeScriptConfiguration, session } from "./contract.ts";
import type { SessionDeps } from "./deps.ts";

/** The parts of the script, in their order. */
const SOURCES = [
  join(import.meta.dirname, "../../src/domain/protocols/closing-prefix.ts"),
  join(import.meta.dirname, "bridge-script", "script.ts"),
];

let stripped: string | undefined;

/** Indentation, blanks that types leave behind, and comments are not sent. No template literal of the source spans lines. */
export function compact(javascript: string): string {
  const kept: string[] = [];
  let inComment = false;
  for (const line of javascript.split("\n")) {
    const text = line.trim();
    const isComment = inComment || text.startsWith("/**");
    if (isComment) inComment = !text.endsWith("*/");
    else if (text !== "" && !text.startsWith("//")) kept.push(text);
  }
  return `${kept.join("\n")}\n`;
}

/** @param configuration of the site's owner; without one the harmless permissions alone */
export const servedScript = (
  publicUrl: string,
  siteId: string | null,
  configuration?: SiteConfiguration,
): string => scriptWith(configurationFor(publicUrl, siteId, configuration));

/** The script with a site's configuration in it. */
function scriptWith(config: BridgeScriptConfiguration): string {
  stripped ??= sources(SOURCES);
  return `((config, tag) => {\n${stripped}\n})(${JSON.stringify(config)}, document.currentScript);\n`;
}

const sources = (paths: readonly string[]): string =>
  compact(
    paths.map((path) => stripTypes(readFileSync(path, "utf8")).replace(/^export /gm, "")).join("\n"),
  ).trim();

/** Stripping is a function of Node's that may still change: its notice is for us, not for operators. */
function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** @param configuration of the site's owner; without one the harmless permissions alone */
const configurationFor = (
  publicUrl: string,
  siteId: string | null,
  { permissions, restrictions, logging, features }: SiteConfiguration = defaultConfiguration(),
): BridgeScriptConfiguration => ({
  version: VERSIONS.bridge,
  siteId,
  websocket: `${publicUrl.replace(/^http/, "ws")}/ws`,
  permissions,
  deniedCommands: restrictions.denied_commands,
  deniedPaths: restrictions.denied_paths,
  logging: logging.level,
  features,
});

export const bridgeScript =
  (deps: SessionDeps): Handlers<typeof session>["getBridgeScript"] =>
  async ({ query: { siteId } }) => {
    const config = await asked(deps, siteId);
    return config instanceof Failure ? config : scriptWith(config);
  };

async function asked(
  deps: SessionDeps,
  siteId: string | undefined,
): Promise<BridgeScriptConfiguration | Failure<"invalid_domain">> {
  if (siteId === undefined) return configurationFor(deps.publicUrl, null);
  const parsed = parseHost(siteId);
  if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
  const governing = await governingSite(deps.accounts, new URL(`https://${parsed.host}/`));
  return configurationFor(deps.publicUrl, parsed.host, governing?.configuration);
}

export function bridgeTypes(): Handlers<typeof session>["getBridgeTypes"] {
  let text: string | undefined;
  return async () =>
    (text ??= readFileSync(join(import.meta.dirname, "bridge-script", "bridge.d.ts"), "utf8"));
}
