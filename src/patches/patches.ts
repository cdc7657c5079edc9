/** Which patches of dependencies are applied (README.md): BRIDGE_PATCHES, read once in each thread. */

export const PATCHES = ["nats-writes", "nats-requests", "parse5"] as const;
export type Patch = (typeof PATCHES)[number];

const applied = fromEnvironment();

/**
 * "all", "off", or the names of those that are applied, separated by commas.
 * @throws RangeError for another name
 */
export function parsePatches(text: string): ReadonlySet<Patch> {
  if (text === "all") return new Set(PATCHES);
  if (text === "off") return new Set();
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !(PATCHES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new RangeError(
      `must be all, off, or some of ${PATCHES.join(", ")}; ${JSON.stringify(unknown)} is none`,
    );
  return new Set(names as Patch[]);
}

export const isApplied = (patch: Patch): boolean => applied.has(patch);

/** What is no list of patches is refused where settings are read (src/runtime/config.ts), in a sentence. */
function fromEnvironment(): ReadonlySet<Patch> {
  try {
    return parsePatches(process.env.BRIDGE_PATCHES ?? "all");
  } catch {
    return parsePatches("all");
  }
}
