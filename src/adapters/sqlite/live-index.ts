/**
 * The index in use on this machine. A folder holds one database a generation and a file `current` that names the one in
 * use; `bridge reindex` fills a new generation beside it and then rewrites that file, and every process follows.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { IndexGenerations, SiteIndex } from "../../ports.ts";
import { followingIndex } from "../following-index.ts";
import { openSqliteIndex } from "./site-index.ts";

const LOOK_EVERY_MS = 1_000;
/** Requests that began on the old generation may finish for this long. */
const GRACE_MS = 10_000;

const pointer = (folder: string): string => join(folder, "current");

const currentName = (folder: string): string => {
  const file = pointer(folder);
  if (!existsSync(file)) writeFileSync(file, "sites-1.db", { flag: "wx" });
  return readFileSync(file, "utf8").trim();
};

/** The name after the current one: generations are numbered. */
const nextGeneration = (folder: string): { current: string; next: string } => {
  const current = currentName(folder);
  return { current, next: `sites-${Number(/\d+/.exec(current)?.[0] ?? 0) + 1}.db` };
};

/** Makes `name` the generation in use; every process on this machine follows within a second. */
const switchGeneration = (folder: string, name: string): void => {
  const draft = `${pointer(folder)}.new`;
  writeFileSync(draft, name);
  renameSync(draft, pointer(folder));
};

const removeGeneration = (folder: string, name: string): void => {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(folder, name + suffix), { force: true });
};

/** Opens the generation in use and follows switches. `id` is that of the generation in use. */
const openLiveIndex = async (folder: string): Promise<SiteIndex> => {
  mkdirSync(folder, { recursive: true });
  let name = currentName(folder);
  let index = await openSqliteIndex(join(folder, name));
  let changedAt = statSync(pointer(folder)).mtimeMs;
  const follow = async (): Promise<void> => {
    const stamp = statSync(pointer(folder), { throwIfNoEntry: false })?.mtimeMs;
    if (stamp === undefined || stamp === changedAt) return;
    changedAt = stamp;
    const wanted = currentName(folder);
    if (wanted === name) return;
    const old = index;
    index = await openSqliteIndex(join(folder, wanted));
    name = wanted;
    setTimeout(() => void old.close(), GRACE_MS).unref();
  };
  const look = (): void => {
    follow().catch(() => {
      // The new generation cannot be opened now (a full disk, say): the old one answers, and the next look tries again.
      changedAt = 0;
    });
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return followingIndex(
    () => index,
    async () => {
      clearInterval(timer);
      await index.close();
    },
  );
};

/** The generations of a folder: the files of this machine. */
export const sqliteGenerations = (folder: string): IndexGenerations => ({
  openLive: () => openLiveIndex(folder),
  createNext: async () => {
    const { next: name } = nextGeneration(folder);
    removeGeneration(folder, name);
    return { name, index: await openSqliteIndex(join(folder, name), { readers: 1 }) };
  },
  switchTo: async (name) => {
    const { current } = nextGeneration(folder);
    switchGeneration(folder, name);
    return current;
  },
  remove: async (name) => removeGeneration(folder, name),
  close: async () => undefined,
});
