/** `npm run generate -- journeys`: walks the journeys, takes the pages' pictures, and writes docs/journeys.md. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureNatsServer } from "../../deploy/nats-server.ts";

const root = join(import.meta.dirname, "..", "..");
await ensureNatsServer((line) => process.stderr.write(`${line}\n`));
const { status } = spawnSync(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", "test/people/journeys.test.ts", "--retry=0"],
  { cwd: root, stdio: "inherit", env: { ...process.env, JOURNEYS: "write" } },
);
process.exitCode = status ?? 1;
