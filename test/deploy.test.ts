/** What deploy/ says is what the program is: roles, settings, ports, streams, files. No container engine is asked. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig, SETTINGS } from "../src/config.ts";
import { ROLES } from "../workers/roles.ts";
import { startRegistry, type TestRegistry } from "./support/registry.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, "deploy", path), "utf8");

const KUBERNETES = join(ROOT, "deploy/kubernetes");
const objects: any[] = readdirSync(KUBERNETES).flatMap((file) =>
  parseAllDocuments(readFileSync(join(KUBERNETES, file), "utf8")).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]!.message}`);
    return document.toJS();
  }),
);
const ofKind = (kind: string): any[] => objects.filter((object) => object.kind === kind);
const compose = parse(read("compose.yaml"), { merge: true });
const containersOf = ({ spec }: any): any[] => spec.template.spec.containers;
const workloads = [...ofKind("Deployment"), ...ofKind("StatefulSet")];

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

  it("give settings that exist, with values that are taken", () => {
    const { data } = ofKind("ConfigMap")[0];
    const own = workloads.flatMap(containersOf).flatMap(({ env }) => env ?? []);
    const named = [...Object.keys(data), ...own.map(({ name }) => name)];
    const ours = named.filter((name) => !name.startsWith("NATS_"));
    expect(ours.filter((name) => !(name in SETTINGS))).toEqual([]);
    expect(readConfig(data)).toMatchObject({ BRIDGE_NATS_REPLICAS: 3, BRIDGE_ADMIN_HOST: "0.0.0.0" });
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
    for (const workload of workloads) {
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
      readdirSync(KUBERNETES)
        .map((file) => `kubernetes/${file}`)
        .sort(),
    );
    expect(configMapGenerator[0].files.every((file: string) => existsSync(join(ROOT, "deploy", file)))).toBe(
      true,
    );
  });
});

describe("the scalers", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry({
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
    const counts = await registry.roles.find((one) => one.role === role)!.read();
    expect(counts).toHaveProperty(count!, 0);
  });
});

describe("the compose file", () => {
  const bridges: [string, any][] = Object.entries<any>(compose.services).filter(
    ([, { image }]) => image === "bridge",
  );

  it("runs every role once, and the front", () => {
    const commands = bridges.map(([, { command }]) => command);
    const roles = commands.filter(([name]) => name === "worker").flatMap(([, ...names]) => names);
    expect(roles.sort()).toEqual([...ROLES].sort());
    expect(commands).toContainEqual(["front"]);
  });

  it("gives settings that exist", () => {
    for (const [name, { environment }] of bridges)
      expect(
        Object.keys(environment).filter((setting) => !(setting in SETTINGS)),
        name,
      ).toEqual([]);
  });

  it("gives each broker what nats.conf reads", () => {
    const wanted = new Set(
      read("nats.conf")
        .match(/(?<=\s)\$[A-Z_]+/g)!
        .map((name) => name.slice(1)),
    );
    const brokers = Object.entries<any>(compose.services).filter(([, { image }]) =>
      image.startsWith("nats:"),
    );
    const inPods = ofKind("StatefulSet")[0].spec.template.spec.containers[0].env.map(({ name }: any) => name);
    expect(brokers).toHaveLength(3);
    for (const [, { environment }] of brokers)
      expect(Object.keys(environment).sort()).toEqual([...wanted].sort());
    expect(inPods.sort()).toEqual([...wanted].sort());
  });
});

describe("the image", () => {
  it("holds all that the program imports", () => {
    const folder = mkdtempSync(join(tmpdir(), "bridge-test-image-"));
    const [, stage] = read("Dockerfile").split(/^FROM .*$(?![\s\S]*^FROM )/m);
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
