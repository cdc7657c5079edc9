/**
 * `npm run check`: types, lint and format, generated files, the lock file, unused code. Prints what failed and how to
 * fix it.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = (name: string): string => join(root, "node_modules", ".bin", name);

const STEPS: [name: string, command: string, args: string[], mend: string][] = [
  ["types", bin("tsc"), [], "mend what the compiler names"],
  [
    "types of the bridge script",
    bin("tsc"),
    ["-p", "workers/session/bridge-script"],
    "mend what the compiler names",
  ],
  ["types of the SDK", bin("tsc"), ["-p", "sdk/typescript"], "mend what the compiler names"],
  ["lint and format", bin("biome"), ["check", "--error-on-warnings", "."], "run `npx biome check --write .`"],
  ["tables", process.execPath, ["deploy/tables.ts"], "mend the row, or its schema in schemas/tables.ts"],
  ["rooms", process.execPath, ["deploy/rooms.ts"], "move what both need into the lower one"],
  [
    "names",
    process.execPath,
    ["deploy/names.ts"],
    "give each meaning the noun of what it is; declare the function",
  ],
  ["generated files", process.execPath, ["app/generate.ts", "--check"], "run `npm run generate`"],
  ["assembled code", process.execPath, ["deploy/assemble.ts", "--check"], "run `npm run generate -- wasm`"],
  ["lock file", process.execPath, ["deploy/check-lock.ts"], "run `npm run generate -- lock`"],
  ["version", process.execPath, ["deploy/version.ts"], "run `npm run generate -- version`"],
  ["images", process.execPath, ["deploy/images.ts", "--check"], "run `npm run generate -- images`"],
  [
    "expressions",
    process.execPath,
    ["deploy/expressions.ts"],
    "write it linear, or a scanner, or an exception with its bound; then run `npm run generate -- expressions`",
  ],
  ["unused code", bin("knip"), [], "remove what nothing uses"],
];

let failed = 0;
for (const [name, command, args, mend] of STEPS) {
  const startedMs = performance.now();
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  const ok = result.status === 0;
  process.stdout.write(`${ok ? "✓" : "✗"} ${name} (${seconds} s)\n`);
  if (ok) continue;
  failed++;
  process.stdout.write(`${result.stdout}${result.stderr}\nTo mend: ${mend}.\n`);
}
process.exit(failed > 0 ? 1 : 0);
