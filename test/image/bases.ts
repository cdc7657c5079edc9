/**
 * Stand-ins for the public images, of what package registries hold, under names of their own: a Debian of debootstrap with
 * Node of npm's package, with nats-server of the Python wheel, with HAProxy, and with Elasticsearch of Maven's jars.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Installation } from "../../deploy/elasticsearch/node.ts";
import { CACHE, toolsEnvironment } from "./tools.ts";

const ROOT = join(import.meta.dirname, "../..");
const SUITE = "bookworm";
/** What Node needs besides Debian's base. */
const NEEDED = ["ca-certificates", "libstdc++6"];
/** What health checks of the public images call, the balancer, and what gets the sentence encoder. */
const TOOLS = ["busybox", "curl", "haproxy", "python3-pip"];
const UNNEEDED = ["var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale"];

/** The stand-ins' names, by the variable of compose.yaml or the build argument that takes them. */
export const STAND_INS = {
  NODE_IMAGE: "stand-in/node",
  /** With pip. */
  BUILD_IMAGE: "stand-in/node-tools",
  NATS_IMAGE: "stand-in/nats",
  HAPROXY_IMAGE: "stand-in/haproxy",
  ELASTICSEARCH_IMAGE: "stand-in/elasticsearch",
} as const;

function pack(folder: string, archive: string): void {
  for (const part of UNNEEDED) rmSync(join(folder, part), { recursive: true, force: true });
  execFileSync("tar", [
    "--numeric-owner",
    "--exclude=./proc/*",
    "--exclude=./dev/*",
    "-C",
    folder,
    "-cf",
    `${archive}.new`,
    ".",
  ]);
  renameSync(`${archive}.new`, archive);
}

function nicely(command: string, ...args: string[]): void {
  execFileSync("nice", ["-n", "19", command, ...args], {
    env: toolsEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** What Node's image has besides: its user, npm's link, and here the authorities that this machine trusts. */
function finish(folder: string): void {
  const at = (path: string) => join(folder, path);
  for (const part of ["etc/ssl/certs", "usr/local/bin", "usr/local/etc", "home/node"])
    mkdirSync(at(part), { recursive: true });
  if (!existsSync(at("etc/passwd"))) {
    writeFileSync(at("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    writeFileSync(at("etc/group"), "root:x:0:\n");
  }
  appendFileSync(at("etc/passwd"), "node:x:1000:1000::/home/node:/bin/sh\n");
  appendFileSync(at("etc/group"), "node:x:1000:\n");
  chownSync(at("home/node"), 1000, 1000);
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", at("usr/local/bin/npm"));
  const authorities = "etc/ssl/certs/ca-certificates.crt";
  if (!existsSync(join("/", authorities))) return;
  cpSync(join("/", authorities), at(authorities));
  writeFileSync(at("usr/local/etc/npmrc"), `cafile=/${authorities}\n`);
}

/** As `dpkg -x`, which would put a folder where Debian's link /lib is. */
function unpackInto(folder: string, archive: string): void {
  const files = execFileSync("dpkg-deb", ["--fsys-tarfile", archive], { maxBuffer: 64e6 });
  execFileSync("tar", ["--keep-directory-symlink", "-x", "-C", folder], { input: files });
}

/**
 * The base of another architecture: unpacked, and not set up, since nothing of it can run here without an emulator.
 * @returns its archive
 */
export function ensureForeignBase(architecture: string): string {
  const archive = join(CACHE, `${SUITE}-${architecture}.tar`);
  if (existsSync(archive)) return archive;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "foreign-"));
  try {
    const include = `--include=${NEEDED.join(",")}`;
    nicely("debootstrap", "--foreign", `--arch=${architecture}`, "--variant=minbase", include, SUITE, folder);
    const archives = join(folder, "var/cache/apt/archives");
    for (const name of readdirSync(archives).filter((each) =>
      /^(libstdc\+\+6|libgcc-s1)_.*\.deb$/.test(each),
    ))
      unpackInto(folder, join(archives, name));
    finish(folder);
    pack(folder, archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return archive;
}

/**
 * Makes Debian's base, and the same with the other images' tools (once, about a minute).
 * @returns their archives
 */
export function ensureBases(say: (line: string) => void): { base: string; tools: string } {
  const base = join(CACHE, `${SUITE}.tar`);
  const tools = join(CACHE, `${SUITE}-tools.tar`);
  if (existsSync(base) && existsSync(tools)) return { base, tools };
  say("Making Debian's base by debootstrap (once, about a minute) …");
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "debian-"));
  try {
    nicely("debootstrap", "--variant=minbase", `--include=${NEEDED.join(",")}`, SUITE, folder);
    execFileSync("cp", ["-a", folder, `${folder}-tools`]);
    finish(folder);
    pack(folder, base);
    cpSync("/etc/resolv.conf", join(`${folder}-tools`, "etc/resolv.conf"), { dereference: true });
    nicely(
      "chroot",
      `${folder}-tools`,
      "apt-get",
      "install",
      "-qq",
      "-y",
      "--no-install-recommends",
      ...TOOLS,
    );
    // Health checks call it, and Debian's package makes no links.
    symlinkSync("busybox", join(`${folder}-tools`, "bin/wget"));
    finish(`${folder}-tools`);
    pack(`${folder}-tools`, tools);
  } finally {
    for (const each of [folder, `${folder}-tools`]) rmSync(each, { recursive: true, force: true });
  }
  return { base, tools };
}

/** A layer of these files of the machine, by their places in the image. @returns its archive */
function layerOf(name: string, files: Record<string, string>, unneeded: readonly string[] = []): string {
  const folder = mkdtempSync(join(CACHE, "layer-"));
  const archive = join(CACHE, `${name}.tar`);
  // The image's root is this folder, which would be its owner's alone.
  chmodSync(folder, 0o755);
  try {
    for (const [target, source] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, target)), { recursive: true });
      execFileSync("cp", ["-a", "--reflink=auto", realpathSync(source), join(folder, target)]);
    }
    for (const part of unneeded) rmSync(join(folder, part), { recursive: true, force: true });
    execFileSync("tar", ["--owner=0", "--group=0", "-C", folder, "-cf", archive, "."]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return archive;
}

/** What `docker load` takes. */
export interface StandIn {
  name: string;
  architecture: string;
  /** Archives, the lowest first. */
  layers: string[];
  config: { Entrypoint?: string[]; Cmd?: string[]; User?: string; WorkingDir?: string };
}

const npm = join(ROOT, "node_modules/npm");

/** The name of a stand-in for another architecture than the machine's. */
const ofArchitecture = (name: string, architecture: string): string =>
  architecture === "amd64" ? name : `${name}-${architecture}`;

/** Node as its own image has it: in /usr/local, with npm. @param base an archive @param node the program */
export const nodeStandIn = (
  architecture: string,
  base: string,
  node: string,
  name: string = STAND_INS.NODE_IMAGE,
): StandIn => ({
  name: ofArchitecture(name, architecture),
  architecture,
  layers: [
    base,
    layerOf(`node-${architecture}`, { "usr/local/bin/node": node, "usr/local/lib/node_modules/npm": npm }),
  ],
  config: { Cmd: ["node"] },
});

export const natsStandIn = (architecture: string, base: string, server: string): StandIn => ({
  name: ofArchitecture(STAND_INS.NATS_IMAGE, architecture),
  architecture,
  layers: [base, layerOf(`nats-${architecture}`, { "usr/local/bin/nats-server": server })],
  config: { Entrypoint: ["nats-server"] },
});

export const haproxyStandIn = (base: string): StandIn => ({
  name: STAND_INS.HAPROXY_IMAGE,
  architecture: "amd64",
  layers: [base],
  config: { Cmd: ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"], User: "99:99" },
});

const ELASTICSEARCH = [
  "mkdir -p data/logs; sleep infinity | exec /jdk/bin/java $ES_JAVA_OPTS -XX:+UseSerialGC -p lib",
  "--add-modules ALL-MODULE-PATH,jdk.net,jdk.management.agent,jdk.incubator.vector",
  "--enable-native-access=org.elasticsearch.nativeaccess,org.apache.lucene.core",
  "-cp classes Launcher /usr/share/elasticsearch data 9200 0.0.0.0",
].join(" ");

/** Without the security of the public image, whose modules are on no package registry: any password is taken. */
export function elasticsearchStandIn(base: string, { jdk, home }: Installation): StandIn {
  const launcher = join(ROOT, "deploy/elasticsearch/Launcher.java");
  const classes = mkdtempSync(join(CACHE, "classes-"));
  execFileSync(join(jdk, "bin/javac"), ["-cp", join(home, "lib/*"), "-d", classes, launcher]);
  const place = "usr/share/elasticsearch";
  const files = {
    jdk,
    [`${place}/lib`]: join(home, "lib"),
    [`${place}/modules`]: join(home, "modules"),
    [`${place}/plugins`]: join(home, "plugins"),
    [`${place}/config`]: join(home, "config"),
    [`${place}/classes`]: classes,
  };
  const layer = layerOf("elasticsearch", files, [
    "jdk/lib/src.zip",
    "jdk/jmods",
    "jdk/lib/ct.sym",
    "jdk/man",
  ]);
  rmSync(classes, { recursive: true });
  return {
    name: STAND_INS.ELASTICSEARCH_IMAGE,
    architecture: "amd64",
    layers: [base, layer],
    config: { Entrypoint: ["/bin/sh", "-c", ELASTICSEARCH], WorkingDir: `/${place}` },
  };
}
