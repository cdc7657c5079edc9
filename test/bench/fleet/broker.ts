/** A broker of the bench's own: filled, measured, ended in either way, started again. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureNatsServer } from "../../../deploy/nats-server.ts";
import { type BrokerServer, startBrokerServer } from "../../../src/adapters/nats/server.ts";

export const STORE_GIB = 1_024;

export interface FleetBroker {
  readonly home: string;
  readonly server: BrokerServer;
  /** MB of resident memory. */
  rssMb(): number;
  /** Bytes on disk of its store. */
  diskBytes(): number;
  /** Ends it as told, and starts it again. @returns milliseconds until it takes connections */
  restart(how: "SIGTERM" | "SIGKILL"): Promise<number>;
  close(): Promise<void>;
}

export async function openFleetBroker(): Promise<FleetBroker> {
  const home = mkdtempSync(join(tmpdir(), "bridge-bench-fleet-"));
  const folder = join(home, "nats");
  const binary = await ensureNatsServer(() => undefined);
  const start = () => startBrokerServer({ binary, folder, storeBytes: STORE_GIB * 2 ** 30 });
  let server = await start();
  return {
    home,
    get server() {
      return server;
    },
    rssMb: () => {
      const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
      return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1_024);
    },
    diskBytes: () => Number(execFileSync("du", ["-sb", folder], { encoding: "utf8" }).split("\t")[0]),
    restart: async (how) => {
      // Its supervisor starts one that was killed by itself; one that is stopped, whoever stopped it.
      if (how === "SIGKILL") {
        const { pid } = server;
        process.kill(pid, "SIGKILL");
      }
      await server.stop();
      const startedMs = performance.now();
      server = await start();
      return performance.now() - startedMs;
    },
    close: async () => {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
