/**
 * Part of `npm run check`: no two rooms (folders of one floor, and the files beside them) lead to each other through imports, types
 * included. The layers say which way imports run between folders of the root; this keeps the rooms of each in one order.
 */
import { globSync, readFileSync } from "node:fs";
import { join, normalize, relative } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** Folders whose rooms are looked at. */
const FLOORS = ["src", "src/domain", "workers", "app", "app/front"];
const IMPORT = /(?:from|import\()\s*"(\.{1,2}\/[^"]+)"/g;

let failed = false;
for (const floor of FLOORS) {
  const circle = circleOf(readRooms(floor));
  if (!circle) continue;
  failed = true;
  process.stdout.write(
    `Rooms of ${floor}/ that lead to each other, by these files' imports:\n  ${circle.join("\n  ")}\n`,
  );
}
process.exit(failed ? 1 : 0);

/** @returns the files of a circle of rooms, in order; undefined: there is none */
function circleOf(rooms: Map<string, Map<string, string>>): string[] | undefined {
  const done = new Set<string>();
  const walk = (room: string, way: [room: string, file: string][]): string[] | undefined => {
    const since = way.findIndex(([earlier]) => earlier === room);
    if (since >= 0) return way.slice(since).map(([from, file]) => `${from}: ${file}`);
    if (done.has(room)) return undefined;
    for (const [to, file] of rooms.get(room) ?? []) {
      const found = walk(to, [...way, [room, file]]);
      if (found) return found;
    }
    done.add(room);
    return undefined;
  };
  for (const room of rooms.keys()) {
    const found = walk(room, []);
    if (found) return found;
  }
  return undefined;
}

/** For each room the rooms that it imports, each with one file that does. */
function readRooms(floor: string): Map<string, Map<string, string>> {
  const rooms = new Map<string, Map<string, string>>();
  const folder = join(ROOT, floor);
  const roomOf = (file: string): string => relative(folder, file).split("/", 1)[0]!;
  for (const name of globSync("**/*.ts", { cwd: folder })) {
    const file = join(folder, name);
    const room = roomOf(file);
    const imported = rooms.get(room) ?? new Map<string, string>();
    rooms.set(room, imported);
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(IMPORT)) {
      const target = normalize(join(file, "..", specifier!));
      const to = target.startsWith(`${folder}/`) ? roomOf(target) : room;
      if (to !== room && !imported.has(to)) imported.set(to, `${floor}/${name}`);
    }
  }
  return rooms;
}
