/** Three real nats-servers in a cluster on loopback, with the configuration of deploy/nats.conf; on other hosts where some are given. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BROKER_USERS, passwordVariable } from "../../src/adapters/nats/rights.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import { openAuthority } from "../../world/certificates.ts";
import { freePort } from "./ports.ts";

const CONFIGURATION = fileURLToPath(new URL("../../deploy/nats.conf", import.meta.url));
const START_TIMEOUT_MS = 20_000;
const LOOK_EVERY_MS = 50;
const CERTIFICATE_AGE_MS = 7 * DAY_MS;
/** Of every user. */
export const PASSWORD = "secret";

/** Where one server runs. */
export interface ClusterHost {
  address: string;
  /** What its command line begins with: into a network namespace, say. */
  command: readonly string[];
  /** An empty folder for its store; default: one of the cluster's own. */
  store?: string | undefined;
}

const LOOPBACK: ClusterHost = { address: "127.0.0.1", command: [] };

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
  /** Stops a server where it stands, and has it go on. */
  signal(name: string, signal: "SIGSTOP" | "SIGCONT"): void;
  /** Whether a server says that it is well, JetStream included. */
  isHealthy(name: string): Promise<boolean>;
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
  host: ClusterHost;
}

const LOOK_TIMEOUT_MS = 2_000;

const isHealthy = ({ monitorPort, host }: Member): Promise<boolean> =>
  fetch(`http://${host.address}:${monitorPort}/healthz`, {
    signal: AbortSignal.timeout(LOOK_TIMEOUT_MS),
  }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Clients of a server; none when it has ended. */
const connectionsOf = ({ monitorPort, host }: Member): Promise<number> =>
  fetch(`http://${host.address}:${monitorPort}/connz`).then(
    async (answer) => ((await answer.json()) as { num_connections: number }).num_connections,
    () => 0,
  );

async function untilHealthy(member: Member, child: ChildProcess, logFile: string): Promise<void> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (!(await isHealthy(member))) {
    if (child.exitCode !== null || performance.now() > giveUpAt)
      throw new Error(`${member.name} did not start:\n${readFileSync(logFile, "utf8").slice(-2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/**
 * @param hosts of the three; default: loopback
 * @throws when a server is not healthy within 20 s, with the end of its log
 */
export async function startCluster(
  binary: string,
  hosts: readonly ClusterHost[] = [LOOPBACK, LOOPBACK, LOOPBACK],
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-cluster-"));
  const members: Member[] = await Promise.all(
    hosts.map(async (host, at) => ({
      name: `nats-${at + 1}`,
      host,
      port: await freePort(),
      clusterPort: await freePort(),
      monitorPort: await freePort(),
    })),
  );
  const routes = members.map(
    ({ clusterPort, host }) => `nats://cluster:${PASSWORD}@${host.address}:${clusterPort}`,
  );
  // The servers show it to each other too.
  // Good for clients whose clock is days behind, too.
  const authority = openAuthority(folder, Date.now() - CERTIFICATE_AGE_MS);
  const { key, cert } = authority.issueFor([...new Set(hosts.map(({ address }) => address))]);
  const tls = { cert: join(folder, "tls.crt"), key: join(folder, "tls.key") };
  writeFileSync(tls.cert, cert);
  writeFileSync(tls.key, key);
  const running = new Map<string, ChildProcess>();
  const start = async (member: Member): Promise<void> => {
    const { address, command, store = join(folder, member.name) } = member.host;
    mkdirSync(store, { recursive: true });
    const logFile = join(folder, `${member.name}.log`);
    const log = openSync(logFile, "a");
    const [program, ...args] = [...command, binary, "--config", CONFIGURATION];
    const child = spawn(program!, args, {
      stdio: ["ignore", log, log],
      env: {
        NATS_NAME: member.name,
        NATS_LISTEN: `${address}:${member.port}`,
        NATS_CLUSTER_LISTEN: `${address}:${member.clusterPort}`,
        NATS_MONITOR: `${address}:${member.monitorPort}`,
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
    url: members.map(({ port, host }) => `nats://operator:${PASSWORD}@${host.address}:${port}`).join(","),
    ca: authority.ca,
    caFile: authority.caFile,
    names: members.map(({ name }) => name),
    certificate: { key, cert },
    routePorts: members.map(({ clusterPort }) => clusterPort),
    kill,
    signal: (name, signal) => void running.get(name)?.kill(signal),
    isHealthy: (name) => isHealthy(members.find((member) => member.name === name)!),
    leave,
    restart: (name) => start(members.find((member) => member.name === name)!),
    stop,
  };
}
