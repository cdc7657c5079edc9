/** Reads package-lock.json: it must contain every optional dependency of every platform. */

export interface LockedPackage {
  version?: string;
  integrity?: string;
  resolved?: string;
  dev?: true;
  optional?: true;
  peer?: true;
  /** Bundled in another package, whose integrity covers it. */
  inBundle?: true;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

export interface Lock {
  packages: Record<string, LockedPackage>;
}

export interface MissingPackage {
  name: string;
  version: string;
  /** Key of the declaring package. */
  parent: string;
}

const FOLDER = "node_modules/";

/** Parts of package names that are values of process.platform and process.arch. */
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const PROCESSORS = ["arm", "arm64", "ia32", "loong64", "ppc64", "riscv64", "s390x", "x64"];
/** Other words for them. */
const SYNONYMS: Record<string, string> = { windows: "win32", "64": "x64" };
const LIBRARIES: Record<string, string> = { gnu: "glibc", musl: "musl" };

type Platform = Pick<LockedPackage, "os" | "cpu" | "libc">;

/**
 * Optional dependencies that are declared in the lock but missing from it: `npm ci` rejects such a lock with EUSAGE on
 * every platform.
 */
export const missingPackages = (lock: Lock): MissingPackage[] =>
  Object.entries(lock.packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => placeOf(lock, parent, name) === undefined)
      .map(([name, version]) => ({ name, version, parent })),
  );

/** The key that `name` resolves to from a package, by Node's algorithm: its own folder first, then its parents. */
function placeOf({ packages }: Lock, from: string, name: string): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf(FOLDER) - 1))) {
    const place = `${base === "" ? "" : `${base}/`}${FOLDER}${name}`;
    if (place in packages) return place;
    if (base === "") return undefined;
  }
}

/** Entries without an integrity digest; `parent` is the entry's own key. */
export const packagesWithoutIntegrity = ({ packages }: Lock): MissingPackage[] =>
  Object.entries(packages).flatMap(([key, { version, integrity, inBundle }]) =>
    key === "" || integrity || inBundle
      ? []
      : [{ name: key.split(FOLDER).at(-1)!, version: version!, parent: key }],
  );

/** The platform of a binary package, from its name; undefined if the name does not tell. */
export function platformOf(name: string): Platform | undefined {
  const words = name.split(/[-/@]/).map((word) => SYNONYMS[word] ?? word);
  const os = words.filter((word) => SYSTEMS.includes(word));
  const cpu = words.filter((word) => PROCESSORS.includes(word));
  if (os.length !== 1 || cpu.length !== 1) return undefined;
  const libc = words.flatMap((word) => LIBRARIES[word] ?? []);
  return { os, cpu, ...(libc.length > 0 && { libc }) };
}
