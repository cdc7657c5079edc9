/** The balancer of deploy/haproxy.cfg before fronts on loopback: Debian's HAProxy, unpacked beside the checkout where none is installed. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { librariesOf, unpackPackages } from "./debian-packages.ts";
import { freePort } from "./ports.ts";

const ROOT = join(import.meta.dirname, "../..");
const CACHE = join(ROOT, ".cache/haproxy");
const START_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 50;

interface Haproxy {
  program: string;
  environment: NodeJS.ProcessEnv;
}

/** HAProxy, or why it cannot be had. */
export function ensureHaproxy(): Haproxy | { missing: string } {
  const installed = ["/usr/sbin", ...(process.env.PATH ?? "").split(delimiter)]
    .map((folder) => join(folder, "haproxy"))
    .find(existsSync);
  if (installed) return { program: installed, environment: process.env };
  try {
    const root = unpackPackages(["haproxy"], CACHE);
    const libraries = librariesOf(root).join(delimiter);
    return {
      program: join(root, "usr/sbin/haproxy"),
      environment: { ...process.env, ...(libraries && { LD_LIBRARY_PATH: libraries }) },
    };
  } catch (error) {
    return { missing: `HAProxy is not here and apt cannot fetch it (${String(error).slice(0, 200)})` };
  }
}

/** deploy/haproxy.cfg with these fronts in place of the names that Docker resolves. */
function configurationOf(port: number, fronts: readonly number[]): string {
  const servers = (name: string, options = "") =>
    fronts.map((front, at) => `  server ${name}-${at + 1} 127.0.0.1:${front}${options}`).join("\n");
  const text = readFileSync(join(ROOT, "deploy/haproxy.cfg"), "utf8");
  const own = text
    .slice(0, text.indexOf("# The operators' API"))
    .replace(/^resolvers docker\n(?: {2}.*\n)+/m, "")
    .replace(" resolvers docker resolve-prefer ipv4 init-addr none", "")
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace(/^ {2}server-template front- .*$/m, servers("front"))
    .replace(/^ {2}server-template any- .*$/m, servers("any", " backup no-check"));
  if (/docker|:8080\b/.test(own.replaceAll(/#.*/g, "")))
    throw new Error(`deploy/haproxy.cfg has other lines than it did:\n${own}`);
  return own;
}

export interface Balancer {
  url: string;
  stop(): Promise<void>;
}

/** Starts it; resolves once it has a front that is ready. @param fronts their ports @throws with what it printed */
export async function startBalancer(haproxy: Haproxy, fronts: readonly number[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-balancer-"));
  const port = await freePort();
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configurationOf(port, fronts));
  const how = { env: haproxy.environment } as const;
  execFileSync(haproxy.program, ["-c", "-q", "-f", file], { ...how, stdio: "pipe" });
  const child: ChildProcess = spawn(haproxy.program, ["-db", "-f", file], {
    ...how,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-4_000);
    });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (performance.now() > giveUpAt || child.exitCode !== null) {
      await stop();
      throw new Error(`HAProxy has no front that is ready:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return { url, stop };
}
