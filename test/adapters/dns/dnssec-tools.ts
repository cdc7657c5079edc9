/**
 * A real authoritative server, validator and signer: nsd, unbound and ldnsutils. Used where the system has them; else
 * fetched from Debian's archive by apt and unpacked beside the checkout, for which no root is needed.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { librariesOf, unpackPackages } from "../../support/debian-packages.ts";

const TOOLS = ["nsd", "unbound", "ldns-keygen", "ldns-signzone"] as const;
const PACKAGES = ["nsd", "unbound", "ldnsutils"];

export type Tool = (typeof TOOLS)[number];
export interface DnssecTools {
  path(tool: Tool): string;
  env: NodeJS.ProcessEnv;
}

const cache = join(import.meta.dirname, "../../../.cache/dnssec-tools");

const find = (folders: string[]): Map<Tool, string> =>
  new Map(
    TOOLS.flatMap((tool) => {
      const folder = folders.find((each) => existsSync(join(each, tool)));
      return folder ? [[tool, join(folder, tool)] as const] : [];
    }),
  );

function toolsOf(folders: string[], libraries: string[] = []): DnssecTools | undefined {
  const found = find(folders);
  if (found.size < TOOLS.length) return undefined;
  const env = { ...process.env };
  if (libraries.length > 0) env.LD_LIBRARY_PATH = libraries.join(delimiter);
  return { path: (tool) => found.get(tool)!, env };
}

const unpacked = (root: string): DnssecTools | undefined =>
  toolsOf([join(root, "usr/sbin"), join(root, "usr/bin")], librariesOf(root));

/** The tools, or why they cannot be had. */
export function ensureDnssecTools(): DnssecTools | { missing: string } {
  const system = toolsOf([...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin"]);
  const known = system ?? unpacked(join(cache, "root"));
  if (known) return known;
  try {
    return (
      unpacked(unpackPackages(PACKAGES, cache)) ?? { missing: "the packages hold other files than they did" }
    );
  } catch (error) {
    return {
      missing: `nsd, unbound and ldnsutils are not here and apt cannot fetch them (${String(error).slice(0, 200)})`,
    };
  }
}
