/** Three real nats-servers in a cluster on loopback, with the configuration of deploy/nats.conf. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BROKER_USERS, passwordVariable } from "../../src/adapters/nats/rights.ts";
import { openAuthority } from "../world/certificates.ts";
import { freePort } from "./ports.ts";

const CONFIGURATION = fileURLToPath(new URL("../../deploy/nats.conf", import.meta.url));
const START_TIMEOUT_MS = 20_000;
const LOOK_EVERY_MS = 50;
/** Of every user. */
export const PASSWORD = "secret";

export interface Cluster {
  /** All servers' nats:// addresses, separated by commas; the operator's. */
  url: string;
  /** Who signed their certificates, PEM, and the file of it. */
  ca: string;
  caFile: string;
  names: readonly string[];
  /** Where the servers listen for each other, on loopback. */
  routePorts: readonly number[];
  /** What they show. */
  certificate: { key: string; cert: string };
  /** SIGKILL to one server, by its name. */
  kill(name: string): Promise<void>;
  /** SIGUSR2 to one server: it hands on what it leads and tells its clients to go; resolves when none is left, and it has ended. */
  leave(name: string): Promise<void>;
  /** Starts one that was killed, on its store and ports. */
  restart(name: string): Promise<void>;
  stop(): Promise<void>;
}

interface Member {
  name: string;
  port: number;
  clusterPort: number;
  monitorPort: number;
}

const isHealthy = ({ monitorPort }: Member): Promise<boolean> =>
  fetch(`http://127.0.0.1:${monitorPort}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Clients of a server; none when it has ended. */
const connectionsOf = ({ monitorPort }: Member): Promise<number> =>
  fetch(`http://127.0.0.1:${monitorPort}/connz`).then(
    async (answer) => ((await answer.json()) as { num_connections: number }).num_connections,
    () => 0,
  );

const untilHealthy = async (member: Member, child: ChildProcess, logFile: string): Promise<void> => {
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (!(await isHealthy(member))) {
    if (child.exitCode !== null || performance.now() > giveUpAt)
      throw new Error(`${member.name} did not start:\n${readFileSync(logFile, "utf8").slice(-2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
};

/** @throws when a server is not healthy within 20 s, with the end of its log */
export const startCluster = async (binary: string): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-cluster-"));
  const members: Member[] = await Promise.all(
    ["nats-1", "nats-2", "nats-3"].map(async (name) => ({
      name,
      port: await freePort(),
      clusterPort: await freePort(),
      monitorPort: await freePort(),
    })),
  );
  const routes = members.map(({ clusterPort }) => `nats://cluster:${PASSWORD}@127.0.0.1:${clusterPort}`);
  // The servers show it to each other too.
  const authority = openAuthority(folder, Date.now());
  const { key, cert } = authority.issueFor(["127.0.0.1"]);
  const tls = { cert: join(folder, "tls.crt"), key: join(folder, "tls.key") };
  writeFileSync(tls.cert, cert);
  writeFileSync(tls.key, key);
  const running = new Map<string, ChildProcess>();
  const start = async (member: Member): Promise<void> => {
    const store = join(folder, member.name);
    mkdirSync(store, { recursive: true });
    const logFile = join(folder, `${member.name}.log`);
    const log = openSync(logFile, "a");
    const child = spawn(binary, ["--config", CONFIGURATION], {
      stdio: ["ignore", log, log],
      env: {
        NATS_NAME: member.name,
        NATS_LISTEN: `127.0.0.1:${member.port}`,
        NATS_CLUSTER_LISTEN: `127.0.0.1:${member.clusterPort}`,
        NATS_MONITOR: `127.0.0.1:${member.monitorPort}`,
        NATS_STORE: store,
        // Two registries.
        NATS_STORE_LIMIT: "140GB",
        NATS_ROUTES: `[${routes.join(", ")}]`,
        NATS_TLS_CERT: tls.cert,
        NATS_TLS_KEY: tls.key,
        NATS_TLS_CA: authority.caFile,
        NATS_CLUSTER_PASSWORD: PASSWORD,
        ...Object.fromEntries(BROKER_USERS.map((user) => [passwordVariable(user), PASSWORD])),
      },
    });
    closeSync(log);
    running.set(member.name, child);
    await untilHealthy(member, child, logFile);
  };
  const kill = async (name: string): Promise<void> => {
    const child = running.get(name);
    if (!child) return;
    running.delete(name);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const leave = async (name: string): Promise<void> => {
    const member = members.find((each) => each.name === name)!;
    running.get(name)!.kill("SIGUSR2");
    while ((await connectionsOf(member)) > 0)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    // It waits for the rest of its grace period, for nobody.
    await kill(name);
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...running.keys()].map(kill));
    rmSync(folder, { recursive: true, force: true });
  };
  await Promise.all(members.map(start)).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    url: members.map(({ port }) => `nats://operator:${PASSWORD}@127.0.0.1:${port}`).join(","),
    ca: authority.ca,
    caFile: authority.caFile,
    names: members.map(({ name }) => name),
    certificate: { key, cert },
    routePorts: members.map(({ clusterPort }) => clusterPort),
    kill,
    leave,
    restart: (name) => start(members.find((member) => member.name === name)!),
    stop,
  };
};
