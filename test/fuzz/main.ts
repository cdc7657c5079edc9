/**
 * `npm run faults -- fuzz <what>`: what strangers could send, generated. `api` holds the running service to /openapi.json; `time`
 * looks for inputs that take long, and writes docs/evaluation/time.md. A short form of each is part of `npm test`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { type ApiOptions, OPTIONS_VARIABLE } from "./api/options.ts";
import { writeReport } from "./time/report.ts";
import { runTime } from "./time/run.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const USAGE = `Usage: npm run faults -- fuzz api|time [options]

api: schemathesis with all its checks against a whole registry (needs Python 3.11)
  --examples=N      generated requests an operation and phase (100)
  --operation=ID    an operationId of /openapi.json, more than once for several; all without
  --seed=N          (1)

time: inputs that take long, for every parser of strangers' bytes
  --seconds=N       of processor time for the search, a parser (10)
  --parser=TEXT     parsers whose name holds TEXT, more than once for several; all without
  --seed=N          (1)
  --write           write docs/evaluation/time.md: rows of parsers that were not asked for stay

Exit code 1 when something was found; inputs that took too long are kept in .cache/fuzz.
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h" },
    examples: { type: "string", default: "100" },
    operation: { type: "string", multiple: true },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "10" },
    parser: { type: "string", multiple: true },
    write: { type: "boolean", default: false },
  },
});

/** The registry is started as tests start it, and so by the test runner. */
function api(): boolean {
  const options: Partial<ApiOptions> = {
    seed: Number(values.seed),
    examples: Number(values.examples),
    phases: ["examples", "coverage", "fuzzing", "stateful"],
    ...(values.operation && { operations: values.operation }),
    timeoutMs: 7_200_000,
    loud: true,
  };
  const { status } = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--project", "everyday", "test/fuzz/api.test.ts"],
    { cwd: ROOT, stdio: "inherit", env: { ...process.env, [OPTIONS_VARIABLE]: JSON.stringify(options) } },
  );
  return status === 0;
}

async function time(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-fuzz-nats-"));
  const server = await startBrokerServer({ binary: await ensureNatsServer(say), folder });
  try {
    const seed = Number(values.seed);
    const msAParser = Number(values.seconds) * 1_000;
    const results = await runTime({
      seed,
      msAParser,
      deadlineMs: 3_000,
      natsUrl: server.url,
      ...(values.parser !== undefined && { only: values.parser }),
      saveTo: join(ROOT, ".cache", "fuzz"),
      say,
    });
    if (values.write) say(`wrote ${writeReport(results)}`);
    return results.every(({ faults }) => faults.length === 0);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const [what] = positionals;
if (values.help || (what !== "api" && what !== "time")) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 2);
}
process.exit((what === "api" ? api() : await time()) ? 0 : 1);
