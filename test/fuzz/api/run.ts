/** Schemathesis against a running registry: its configuration, its process, what it found. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "../../../train/python.ts";
import { EXCEPTIONS, type Exception } from "./exceptions.ts";

/** What schemathesis itself takes, beside what an exception adds; 422 is said of data that fits its schema (an Idempotency-Key that was sent with another body). */
const OWN_STATUSES: Readonly<Record<string, readonly string[]>> = {
  positive_data_acceptance: ["2xx", "3xx", "401", "403", "404", "409", "422", "429", "5xx"],
  not_a_server_error: ["2xx", "3xx", "4xx"],
};
/** What refuses data that does not fit: the lengths of a request are refused before its parameters are looked at. */
const REFUSALS = ["400", "401", "403", "404", "405", "409", "413", "414", "415", "429", "431", "5xx"];
/** A check of hooks.py, which reads its exceptions from the environment: the configuration knows only its own. */
const OWN_CHECK = "fits_its_contract";
const excused = EXCEPTIONS.filter(({ check }) => check === OWN_CHECK).map(({ operation }) => operation);
const FOLDER = import.meta.dirname;

export interface ApiRun {
  url: string;
  /** Name of a security scheme in /openapi.json → a credential that is valid. */
  credentials: Readonly<Record<string, { bearer: string } | { api_key: string }>>;
  seed: number;
  /** Most generated requests an operation and phase. */
  examples: number;
  phases: readonly string[];
  /** operationIds; all without. */
  operations?: readonly string[];
  /** Shown what schemathesis prints, as it comes. */
  say?: (text: string) => void;
}

export interface ApiReport {
  /** Exit code of schemathesis: 0 when every check held. */
  code: number;
  output: string;
}

/** Whether there is a Python that the pinned schemathesis runs on. */
export const hasPython = (): boolean =>
  spawnSync("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"]).status === 0;

function exceptionToml({ operation, check, alsoStatuses, reason }: Exception): string {
  const value = alsoStatuses
    ? `{ expected-statuses = ${JSON.stringify([...(OWN_STATUSES[check] ?? []), ...alsoStatuses.map(String)])} }`
    : "{ enabled = false }";
  return `# ${reason}\n[[operations]]\ninclude-operation-id = ${JSON.stringify(operation)}\nchecks.${check} = ${value}\n`;
}

const configurationOf = ({ credentials, seed, examples }: ApiRun): string =>
  [
    `seed = ${seed}`,
    "continue-on-failure = true",
    "warnings = false",
    `request-timeout = 20.0`,
    `generation = { max-examples = ${examples}, database = "none" }`,
    `checks.negative_data_rejection = { expected-statuses = ${JSON.stringify(REFUSALS)} }`,
    ...Object.entries(credentials).map(
      ([scheme, credential]) =>
        `[auth.openapi.${scheme}]\n${Object.entries(credential)
          .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
          .join("\n")}`,
    ),
    ...EXCEPTIONS.filter(({ check }) => check !== OWN_CHECK).map(exceptionToml),
    "",
  ].join("\n");

/** @throws when the pinned packages cannot be had */
export async function runSchemathesis(run: ApiRun): Promise<ApiReport> {
  const python = environment(join(FOLDER, "requirements.txt"));
  const folder = mkdtempSync(join(tmpdir(), "bridge-fuzz-"));
  try {
    const configuration = join(folder, "schemathesis.toml");
    writeFileSync(configuration, configurationOf(run));
    const child = spawn(
      python,
      [
        ...["-m", "schemathesis.cli", "--config-file", configuration, "run", `${run.url}/openapi.json`],
        ...["--checks", "all", "--phases", run.phases.join(","), "--no-color"],
        ...(run.operations ?? []).flatMap((id) => ["--include-operation-id", id]),
      ],
      {
        // What it keeps from run to run (found failures, tables of Unicode) must not stand beside the sources.
        cwd: folder,
        env: {
          ...process.env,
          SCHEMATHESIS_HOOKS: "hooks",
          BRIDGE_FUZZ_EXCUSED: excused.join(","),
          PYTHONPATH: FOLDER,
          PYTHONDONTWRITEBYTECODE: "1",
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let output = "";
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      run.say?.(chunk.toString());
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => resolve(status ?? 1));
    });
    return { code, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
