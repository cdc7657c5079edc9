/**
 * The index in use on this machine. A folder holds one database a generation and a file `current` that names the one in
 * use; `bridge reindex` fills a new generation beside it and then rewrites that file, and every process follows.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { IndexGenerations, IndexReading, SiteIndex } from "../../ports/index.ts";
import { FOLLOWED_AFTER_MS, followGenerations } from "../index/following-index.ts";
import { openSqliteIndex } from "./site-index.ts";

/** The generations of a folder: the files of this machine. */
export const sqliteGenerations = (
  folder: string,
  reading: IndexReading = "in threads",
): IndexGenerations => ({
  openLive: () => openLiveIndex(folder, reading),
  createNext: async () => {
    const { next: name } = nextGeneration(folder);
    removeGeneration(folder, name);
    return { name, index: await openSqliteIndex(join(folder, name)) };
  },
  switchTo: async (name) => {
    const { current } = nextGeneration(folder);
    switchGeneration(folder, name);
    return current;
  },
  remove: async (name) => {
    // A process that has not followed may still open another reader of it.
    await sleep(FOLLOWED_AFTER_MS);
    removeGeneration(folder, name);
  },
  close: async () => undefined,
});

function openLiveIndex(folder: string, reading: IndexReading): Promise<SiteIndex> {
  mkdirSync(folder, { recursive: true });
  return followGenerations(
    async () => ({ name: currentName(folder) }),
    ({ name }) => openSqliteIndex(join(folder, name), { reading }),
  );
}

function currentName(folder: string): string {
  const file = pointer(folder);
  if (!existsSync(file)) writeFileSync(file, "sites-1.db", { flag: "wx" });
  return readFileSync(file, "utf8").trim();
}

const pointer = (folder: string): string => join(folder, "current");

/** The name after the current one: generations are numbered. */
function nextGeneration(folder: string): { current: string; next: string } {
  const current = currentName(folder);
  return { current, next: `sites-${Number(/\d+/.exec(current)?.[0] ?? 0) + 1}.db` };
}

function removeGeneration(folder: string, name: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(folder, name + suffix), { force: true });
}

/** Makes `name` the generation in use; every process on this machine follows within a second. */
function switchGeneration(folder: string, name: string): void {
  const draft = `${pointer(folder)}.new`;
  writeFileSync(draft, name);
  renameSync(draft, pointer(folder));
}
