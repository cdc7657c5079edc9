/**
 * Elasticsearch, one node or a cluster of them, for development and tests without a downloaded distribution: assembled from the official
 * jars on Maven Central (pom.xml) and started by Launcher.java. It has no security and listens on loopback.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const MINIMUM_JAVA = 21;
const FOLDER = import.meta.dirname;
const CACHE = join(FOLDER, "..", "..", ".cache");
const VERSION = /<elasticsearch\.version>([^<]+)</.exec(readFileSync(join(FOLDER, "pom.xml"), "utf8"))![1]!;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const EXTRA_MODULES = "ALL-MODULE-PATH,jdk.net,jdk.management.agent,jdk.incubator.vector";
const NATIVE = "--enable-native-access=org.elasticsearch.nativeaccess,org.apache.lucene.core";

export interface Installation {
  jdk: string;
  home: string;
}

/** A node's place in a cluster on loopback. */
export interface ClusterRole {
  name: string;
  transportPort: number;
  /** Of every node. */
  members: readonly { name: string; transportPort: number }[];
}

export interface ElasticsearchNode {
  url: string;
  process: ChildProcess;
  /** Stops it gracefully, or by force after 10 s. */
  stop(): Promise<void>;
}

/**
 * Assembles the node once (44 MB, about 20 s) and finds a JDK for it.
 * @param say called before a slow step
 * @throws naming what is missing: a JDK, Maven, or Maven Central
 */
export async function ensureElasticsearch(say: (line: string) => void): Promise<Installation> {
  const jdk = findJdk();
  const launcher = createHash("sha256")
    .update(readFileSync(join(FOLDER, "Launcher.java")))
    .digest("hex");
  const home = join(CACHE, `elasticsearch-${VERSION}-${launcher.slice(0, 8)}`);
  if (existsSync(home)) return { jdk, home };
  say(`Getting Elasticsearch ${VERSION} from Maven Central (once, about 20 s) …`);
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, "elasticsearch-new-"));
  try {
    await layOut(jdk, draft);
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
  return { jdk, home };
}

/** A recent JDK: that of JAVA_HOME, otherwise one of the system's. @throws naming what to install */
function findJdk(): string {
  const installed = existsSync("/usr/lib/jvm")
    ? readdirSync("/usr/lib/jvm").map((name) => join("/usr/lib/jvm", name))
    : [];
  const given = process.env.JAVA_HOME;
  const jdk = [...(given ? [given] : []), ...installed].find((path) => javaVersion(path) >= MINIMUM_JAVA);
  if (jdk) return jdk;
  throw new Error(`Elasticsearch needs a JDK ${MINIMUM_JAVA} or newer: install one, or set JAVA_HOME.`);
}

function javaVersion(jdk: string): number {
  try {
    const text = execFileSync(join(jdk, "bin", "javac"), ["-version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    return Number(/javac (\d+)/.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function layOut(jdk: string, home: string): Promise<void> {
  const module = join(home, "modules", "transport-netty4");
  for (const part of ["config", "plugins", "lib", "classes"]) mkdirSync(join(home, part));
  mkdirSync(module, { recursive: true });
  const lib = join(home, "lib");
  // Keeps Maven's output out of the project's folder.
  copyFileSync(join(FOLDER, "pom.xml"), join(home, "pom.xml"));
  const goal = "dependency:copy-dependencies";
  await run("mvn", ["-q", "-B", "-f", join(home, "pom.xml"), goal, `-DoutputDirectory=${lib}`]);
  for (const jar of readdirSync(lib))
    if (/^(netty|transport-netty4)-/.test(jar)) renameSync(join(lib, jar), join(module, jar));
  const inside = "META-INF/es-plugins/transport-netty4";
  await run(join(jdk, "bin", "jar"), ["xf", join(module, `transport-netty4-${VERSION}.jar`), inside], {
    cwd: home,
  });
  for (const file of ["plugin-descriptor.properties", "entitlement-policy.yaml"])
    renameSync(join(home, inside, file), join(module, file));
  rmSync(join(home, "META-INF"), { recursive: true });
  const launcher = join(FOLDER, "Launcher.java");
  await run(join(jdk, "bin", "javac"), ["-cp", join(lib, "*"), "-d", join(home, "classes"), launcher]);
}

/**
 * Starts a node with its files in `data` (created if missing). It ends with this process, however that ends.
 * @param options.cluster with it, a node of a cluster; its first start waits for the others
 * @param options.port HTTP port on 127.0.0.1; 0 takes a free one
 * @throws with the node's last output
 */
export async function startElasticsearch(
  { jdk, home }: Installation,
  options: { data: string; port?: number; heapMb?: number; cluster?: ClusterRole; startTimeoutMs?: number },
): Promise<ElasticsearchNode> {
  const logs = join(options.data, "logs");
  mkdirSync(logs, { recursive: true });
  const heap = `${options.heapMb ?? 1024}m`;
  const child = spawn(
    join(jdk, "bin", "java"),
    [
      `-Xms${heap}`,
      `-Xmx${heap}`,
      "-XX:+UseSerialGC",
      ...["-p", join(home, "lib"), "--add-modules", EXTRA_MODULES, NATIVE],
      ...["-cp", join(home, "classes"), "Launcher", home, options.data, String(options.port ?? 0)],
      ...(options.cluster ? placeOf(options.cluster) : []),
    ],
    { cwd: home, stdio: ["pipe", "pipe", "pipe"], detached: true },
  );
  try {
    await started(child, options.startTimeoutMs ?? START_TIMEOUT_MS);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  const address = readFileSync(join(logs, "http.ports"), "utf8").split("\n")[0]!;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdin!.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended.finally(() => clearTimeout(timer));
  };
  return { url: `http://${address}`, process: child, stop };
}

const placeOf = ({ name, transportPort, members }: ClusterRole): string[] => [
  "127.0.0.1",
  name,
  String(transportPort),
  members.map((each) => `127.0.0.1:${each.transportPort}`).join(","),
  members.map((each) => each.name).join(","),
];

async function started(child: ChildProcess, timeoutMs: number): Promise<void> {
  let said = "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const hear = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
    if (/^started$/m.test(said)) resolve();
  };
  child.stdout!.on("data", hear);
  child.stderr!.on("data", hear);
  child.once("exit", () => reject(new Error(`Elasticsearch ended at its start:\n${said}`)));
  child.once("error", reject);
  const timer = setTimeout(
    () => reject(new Error(`Elasticsearch did not start in ${timeoutMs} ms:\n${said}`)),
    timeoutMs,
  );
  await promise.finally(() => clearTimeout(timer));
}
