/** A registry in several processes, joined by one broker and sharing one home, over a synthetic web of the test's own. */

import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONSTANTS } from "../../src/runtime/config.ts";
import { type ForkedWorld, forkWorld, type WorldSettings } from "../../world/control.ts";
import { freePort } from "../support/ports.ts";
import { type Inspector, inspect } from "./account.ts";
import { changedBy } from "./change-constants.ts";
import { newHome, type Program, runBridge } from "./programs.ts";

export interface Joined {
  url: string;
  world: ForkedWorld;
  inspector: Inspector;
  environment: Record<string, string>;
  /** Starts `bridge worker <roles>`; resolves when it is ready. */
  worker(...roles: string[]): Promise<Program>;
  front(): Promise<Program>;
  /** `bridge seed` with all hosts of the web. */
  seed(): Promise<void>;
  close(): Promise<void>;
}

export async function startJoined(
  natsUrl: string,
  world: Partial<WorldSettings>,
  settings: Record<string, string>,
): Promise<Joined> {
  const web = await forkWorld(world);
  const home = newHome();
  const port = await freePort();
  const prefix = `f${randomBytes(6).toString("hex")}`;
  const environment = {
    BRIDGE_HOME: home,
    PORT: String(port),
    BRIDGE_NATS_URL: natsUrl,
    BRIDGE_NATS_PREFIX: prefix,
    BRIDGE_DNS_SERVERS: `${web.dns.address}:${web.dns.port}`,
    BRIDGE_EGRESS_ALLOW: `${web.network}:${web.port},${web.network}:${web.httpPort}`,
    BRIDGE_HTTPS_PORT: String(web.port),
    NODE_EXTRA_CA_CERTS: web.caFile,
    ...settings,
  };
  const ready = async (args: string[]): Promise<Program> => {
    const program = runBridge(args, environment);
    await program.says(/^ready /m);
    return program;
  };
  const inspector = await inspect(natsUrl, {
    ...(settings.BRIDGE_NATS_CA && { ca: readFileSync(settings.BRIDGE_NATS_CA, "utf8") }),
    prefix,
    leaseMs: { ...CONSTANTS, ...changedBy(settings) }.leaseMs,
    replicas: Number(settings.BRIDGE_NATS_REPLICAS ?? 1),
  });
  return {
    url: `http://127.0.0.1:${port}`,
    world: web,
    inspector,
    environment,
    worker: (...roles) => ready(["worker", ...roles]),
    front: () => ready(["front"]),
    seed: async () => {
      const file = join(home, "seeds.txt");
      writeFileSync(file, web.hosts.map(({ host }) => host).join("\n"));
      const program = runBridge(["seed", "--file", file], environment);
      const { code } = await program.ended;
      if (code !== 0) throw new Error(`bridge seed ended with ${code}: ${program.output}`);
    },
    close: async () => {
      await inspector.close();
      await web.stop();
    },
  };
}
