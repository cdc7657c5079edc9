/**
 * What a process leaves behind that its watchdog ended: the visits it had under way, one file an ending in a folder of
 * BRIDGE_HOME, for the next process of that home to read once.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Ending {
  v: 1;
  /** RFC 3339. */
  at: string;
  /** The thread that hung, and how that was seen. */
  thread: string;
  why: string;
  /** Hosts whose visits were under way. */
  hosts: string[];
  /** The one whose bytes were being handled, where that is known. */
  current?: string | undefined;
}

/** Whole or not at all: what is half written has another name. @throws when the folder cannot be written */
export const writeEnding = (folder: string, ending: Ending): void => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${ending.at.replaceAll(":", "")}-${process.pid}.json`);
  writeFileSync(`${file}.part`, JSON.stringify(ending));
  renameSync(`${file}.part`, file);
};

const isEnding = (value: unknown): value is Ending =>
  typeof value === "object" &&
  value !== null &&
  "hosts" in value &&
  Array.isArray(value.hosts) &&
  value.hosts.every((host) => typeof host === "string") &&
  (!("current" in value) || typeof value.current === "string");

export interface TakenEnding {
  ending: Ending;
  /** To be called once what follows from it is stored: what is not done stays for the next start. */
  done(): void;
}

/**
 * Takes the endings that no process has taken yet, the oldest first; several processes may share a home. One that was taken
 * by a process that ended before it was done is taken again. A folder that is not there holds none.
 */
export const takeEndings = (folder: string): TakenEnding[] => {
  const endings: TakenEnding[] = [];
  for (const name of waiting(folder)) {
    const taken = join(folder, `${name.slice(0, name.indexOf(".json"))}.json.taken-${process.pid}`);
    try {
      renameSync(join(folder, name), taken);
    } catch {
      // Another process was first.
      continue;
    }
    const value = parsed(readFileSync(taken, "utf8"));
    const done = (): void => rmSync(taken, { force: true });
    if (isEnding(value)) endings.push({ ending: value, done });
    else done();
  }
  return endings;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Names of endings that nobody works on. */
const waiting = (folder: string): string[] => {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names.filter((name) => {
    const takenBy = name.split(".json.taken-")[1];
    // A container gives its processes the same id in each life.
    if (takenBy !== undefined) return Number(takenBy) === process.pid || !isAlive(Number(takenBy));
    return name.endsWith(".json");
  });
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
