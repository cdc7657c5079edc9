/** What the manifests are held to, of the Go module proxy, whose checksum database vouches for it: schemas, and kubectl. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
export const CACHE = join(import.meta.dirname, "../../.cache/kubernetes");
/** Its staging modules have the minor version under another major one. */
const KUBERNETES = { version: "v1.37.2", staging: "v0.37.2" };
const MODULES = {
  kubernetes: `k8s.io/kubernetes@${KUBERNETES.version}`,
  keda: "github.com/kedacore/keda/v2@v2.21.0",
  prometheus: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
  elasticsearch: "github.com/elastic/cloud-on-k8s/v3@v3.5.0",
};
const GO_TIMEOUT_MS = 3_600_000;

/** Folders of the modules, unpacked by Go. @throws when they cannot be had */
export function fetchModules(): Record<keyof typeof MODULES, string> {
  mkdirSync(CACHE, { recursive: true });
  const entries = Object.entries(MODULES).map(([name, module]) => {
    const said = execFileSync("go", ["mod", "download", "-json", module], { cwd: CACHE, encoding: "utf8" });
    return [name, (JSON.parse(said) as { Dir: string }).Dir] as const;
  });
  return Object.fromEntries(entries) as Record<keyof typeof MODULES, string>;
}

/**
 * Builds a program of a Go module, at the lowest priority (once).
 * @param goMod what the module that builds it requires and replaces
 * @returns its path
 */
async function build(name: string, goMod: string, packagePath: string): Promise<string> {
  const binary = join(CACHE, name);
  if (existsSync(binary)) return binary;
  const folder = mkdtempSync(join(CACHE, "build-"));
  const env = { ...process.env, GOFLAGS: "-mod=mod" };
  try {
    writeFileSync(join(folder, "go.mod"), goMod);
    const args = ["-n", "19", "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", "program", packagePath];
    await run("nice", args, { cwd: folder, env, timeout: GO_TIMEOUT_MS });
    renameSync(join(folder, "program"), binary);
    return binary;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds a program of Kubernetes, in whose module the staging ones are folders: here they are their releases. */
export function buildOfKubernetes(program: string, folder: string): Promise<string> {
  const replaced = readFileSync(join(folder, "go.mod"), "utf8").matchAll(
    /^\s+(k8s\.io\/\S+) => \.\/staging/gm,
  );
  const lines = [...replaced].map(([, name]) => `\t${name} => ${name} ${KUBERNETES.staging}`);
  const goMod = `module tools\ngo 1.26\nrequire k8s.io/kubernetes ${KUBERNETES.version}\nreplace (\n${lines.join("\n")}\n)\n`;
  return build(program, goMod, `k8s.io/kubernetes/cmd/${program}`);
}

export const buildEtcd = (): Promise<string> =>
  build(
    "etcd",
    "module tools\ngo 1.26\nrequire go.etcd.io/etcd/server/v3 v3.7.3\n",
    "go.etcd.io/etcd/server/v3",
  );
