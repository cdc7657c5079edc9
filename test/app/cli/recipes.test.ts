/** The recipes of docs/site-owners.md that keep a document signed, run as they stand there: systemd's units, GitHub's and GitLab's jobs. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DAY_MS } from "../../../src/ports/time.ts";
import { documentOf } from "../../workers/crawler/observations.ts";
import { bridge } from "./run.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..", "..");
const FILE = "public/.well-known/bridge.json";

/** Blocks of the page's section, of a language. */
function blocksOf(language: string): string[] {
  const page = readFileSync(join(ROOT, "docs", "site-owners.md"), "utf8");
  const section = page.slice(
    page.indexOf("## Keeping it signed"),
    page.indexOf("## A key that the registry"),
  );
  return [...section.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, text]) => text!);
}

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bridge-recipes-"));
  // As on a machine where it is installed.
  mkdirSync(join(folder, "bin"));
  writeFileSync(
    join(folder, "bin", "bridge"),
    `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/app/main.ts" "$@"\n`,
    { mode: 0o755 },
  );
  expect((await bridge(["keygen", "shop.example", "--out", "shop.pem"], {}, folder)).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A clone of a site's repository whose document holds for so many days. */
async function cloneOf(name: string, days: number) {
  const [origin, clone] = [join(folder, `${name}.git`), join(folder, name)];
  const git = async (...args: string[]) => (await run("git", args, { cwd: clone, env: env() })).stdout.trim();
  await run("git", ["init", "-q", "--bare", "-b", "main", origin]);
  await run("git", ["clone", "-q", origin, clone], { env: env() });
  mkdirSync(join(clone, "public/.well-known"), { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(documentOf()));
  const signing = [
    "sign",
    join(folder, `${name}.json`),
    "--key",
    join(folder, "shop.pem"),
    "--days",
    `${days}`,
  ];
  const signed = await bridge(signing);
  expect(signed.code, signed.err).toBe(0);
  writeFileSync(join(clone, FILE), signed.out);
  await git("add", "-A");
  await git("-c", "user.name=a", "-c", "user.email=a@shop.example", "commit", "-qm", "Begin");
  await git("push", "-q", "origin", "HEAD:main");
  const expires = () => Date.parse(JSON.parse(readFileSync(join(clone, FILE), "utf8")).expires_at);
  const pushed = () => execFileSync("git", ["log", "--format=%s", "main"], { cwd: origin, encoding: "utf8" });
  return { origin, clone, expires, pushed };
}

/** A runner's: nobody has told git who they are. */
const env = (more: Record<string, string> = {}) => ({
  PATH: [join(folder, "bin"), process.env.PATH].join(delimiter),
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: "1",
  ...more,
});

async function steps(cwd: string, commands: readonly string[], settings: Record<string, string>) {
  for (const command of commands)
    await run("bash", ["-e", "-o", "pipefail", "-c", command], { cwd, env: settings });
}

describe("a site's repository", () => {
  const [github, gitlab] = blocksOf("yaml").map((text) => parse(text)) as [any, any];

  it.each([
    ["that is about to run out", 5, ["Renew the signature", "Begin"]],
    ["that holds for long", 25, ["Begin"]],
  ])("has a document %s renewed by GitHub's job, and by GitLab's", async (_, days, log) => {
    const onGitHub = await cloneOf(`github-${days}`, days);
    const { steps: all, permissions } = github.jobs.renew;
    expect(permissions).toEqual({ contents: "write" });
    const temp = join(folder, `temp-${days}`);
    mkdirSync(temp);
    const BRIDGE_KEY = readFileSync(join(folder, "shop.pem"), "utf8");
    const commands = all.flatMap(({ run }: { run?: string }) => run ?? []);
    await steps(onGitHub.clone, commands, env({ RUNNER_TEMP: temp, BRIDGE_KEY }));

    const onGitLab = await cloneOf(`gitlab-${days}`, days);
    // GitLab runs a job's lines in one shell, from a checkout of no branch.
    execFileSync("git", ["checkout", "-q", "--detach"], { cwd: onGitLab.clone, env: env() });
    await steps(
      onGitLab.clone,
      [gitlab.renew.script.join("\n")],
      env({
        BRIDGE_KEY: join(folder, "shop.pem"),
        CI_REPOSITORY_URL: onGitLab.origin,
        CI_COMMIT_BRANCH: "main",
      }),
    );
    for (const { expires, pushed } of [onGitHub, onGitLab]) {
      expect(pushed().trim().split("\n")).toEqual(log);
      expect(expires() - Date.now()).toBeGreaterThan(DAY_MS * 24);
    }
  });

  it("has jobs that run by a schedule", () => {
    expect(github.on.schedule[0].cron).toMatch(/^\d+ \d+ \* \* \*$/);
    expect(gitlab.renew.rules[0].if).toContain('"schedule"');
  });
});

const ANALYZE = "/usr/bin/systemd-analyze";
describe.skipIf(!existsSync(ANALYZE))("systemd's units", () => {
  it("are sound, and their command renews the document", async () => {
    const [service, timer] = blocksOf("ini") as [string, string];
    const own = service.replaceAll("/opt/bridge", ROOT);
    const [unit, clock] = ["service", "timer"].map((kind) => join(folder, `bridge-renew.${kind}`)) as [
      string,
      string,
    ];
    writeFileSync(unit, own);
    writeFileSync(clock, timer);
    const { stderr } = await run(ANALYZE, ["verify", "--man=no", unit, clock]);
    expect(stderr.split("\n").filter((line) => line.includes("bridge-renew"))).toEqual([]);
    const { clone, expires } = await cloneOf("systemd", 5);
    const command = /^ExecStart=(.*)$/m
      .exec(own)![1]!
      .replace("/var/www/shop/.well-known/bridge.json", join(clone, FILE))
      .replace("/etc/bridge/shop.pem", join(folder, "shop.pem"));
    const [program, ...args] = command.split(" ") as [string, ...string[]];
    await run(program, args, { env: env({ PATH: `${join(process.execPath, "..")}:/usr/bin:/bin` }) });
    expect(expires() - Date.now()).toBeGreaterThan(DAY_MS * 24);
  });
});
