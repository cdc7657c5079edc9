/** `npm run generate -- examples`: records schemas/examples.json from a run of every operation's documented example. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "test/http/operations.test.ts", "--retry=0", "-t", "answers its own example"],
  { cwd: root, stdio: "inherit", env: { ...process.env, RECORD_EXAMPLES: "1" } },
);
if (status === 0) console.log("Recorded. Now run `npm run generate`.");
process.exit(status ?? 1);
