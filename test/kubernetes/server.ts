/** A real API server on loopback, with etcd and without nodes: it checks and keeps what it is given, and runs nothing of it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../faults/programs.ts";
import { freePort } from "../support/ports.ts";
import { buildEtcd, buildOfKubernetes } from "./modules.ts";

interface Built {
  folder: string;
  text: string;
  objects: number;
}

const START_TIMEOUT_MS = 120_000;
const TOKEN = "local";
/** Of both kustomizations. */
const NAMESPACE = "bridge";

async function startServer(
  folder: string,
  programs: { etcd: string; server: string },
): Promise<{ url: string; stop(): void }> {
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const at = (name: string) => join(folder, name);
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  writeFileSync(at("key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(at("key.pub"), publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(at("tokens"), `${TOKEN},admin,admin,system:masters\n`);
  const children: ChildProcess[] = [];
  const start = (program: string, ...args: string[]) => {
    const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] });
    children.push(child);
  };
  const origin = (each: number) => `http://127.0.0.1:${each}`;
  start(
    programs.etcd,
    ...[
      "--data-dir",
      at("etcd"),
      "--listen-client-urls",
      origin(client),
      "--advertise-client-urls",
      origin(client),
    ],
    ...["--listen-peer-urls", origin(peer), "--initial-advertise-peer-urls", origin(peer)],
    ...["--initial-cluster", `default=${origin(peer)}`],
  );
  start(
    programs.server,
    ...["--etcd-servers", origin(client), "--bind-address", "127.0.0.1", "--secure-port", String(port)],
    ...["--cert-dir", at("certificates"), "--token-auth-file", at("tokens"), "--authorization-mode", "RBAC"],
    ...[
      "--service-account-issuer",
      "https://kubernetes.default.svc",
      "--service-account-key-file",
      at("key.pub"),
    ],
    ...["--service-account-signing-key-file", at("key"), "--service-cluster-ip-range", "10.0.0.0/24"],
    // Nobody here makes the account that pods run as.
    "--disable-admission-plugins=ServiceAccount",
  );
  return {
    url: `https://127.0.0.1:${port}`,
    stop: () => {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}

/** @returns how many objects the server refused or did not keep */
export async function applyToServer(
  kubectl: string,
  modules: { kubernetes: string },
  customDefinitions: readonly string[],
  built: readonly Built[],
  say: (line: string) => void,
): Promise<number> {
  say("Building etcd and kube-apiserver (once, a quarter of an hour) …");
  const programs = {
    etcd: await buildEtcd(),
    server: await buildOfKubernetes("kube-apiserver", modules.kubernetes),
  };
  const folder = mkdtempSync(join(tmpdir(), "bridge-kubernetes-"));
  const server = await startServer(folder, programs);
  const run = (...args: string[]): string =>
    execFileSync(
      kubectl,
      [
        "--server",
        server.url,
        "--insecure-skip-tls-verify",
        "--token",
        TOKEN,
        "--kubeconfig",
        "/dev/null",
        ...args,
      ],
      { encoding: "utf8", maxBuffer: 64e6, stdio: ["ignore", "pipe", "pipe"] },
    );
  try {
    const isReady = () => {
      try {
        return run("get", "--raw", "/readyz").trim() === "ok";
      } catch {
        return false;
      }
    };
    await until("the API server", isReady, START_TIMEOUT_MS);
    const files = customDefinitions.flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => /\.ya?ml$/.test(file) && !file.startsWith("kustomization."))
        .map((file) => join(folder, file)),
    );
    run("apply", "--server-side", "--force-conflicts", ...files.flatMap((file) => ["-f", file]));
    run("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s");
    // What is tried without being kept needs a namespace that is there.
    run("create", "namespace", NAMESPACE);
    let failed = 0;
    for (const { folder: name, text, objects } of built) {
      const file = join(folder, "objects.yaml");
      writeFileSync(file, text);
      const applied = run("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", file)
        .trim()
        .split("\n");
      failed += objects - applied.length;
      say(`${name}: a kube-apiserver took ${applied.length} of ${objects} objects`);
    }
    return failed;
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
