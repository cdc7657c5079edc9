/** One version of the program on one home and one synthetic web, driven as its users do: by HTTP and the command line. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { ForkedWorld } from "../../world/control.ts";
import { type Program, runBridge, until } from "../faults/programs.ts";
import { freePort } from "../support/ports.ts";

/** The synthetic web of every fixture: the same hosts and keys wherever and whenever it is started. */
export const WORLD = {
  sites: 20,
  seed: 94_144,
  soundShare: 0.5,
  ttlSeconds: 0,
  crawlDelaySeconds: 0.05,
  kinds: { unsigned: 2, no_txt: 2, expired: 1, injection: 1, rate_limited: 1, shop: 2, secure: 1 },
} as const;
/** The transparency log and trust headers are bound to it. */
export const PUBLIC_URL = "https://registry.example";
/** Where webhooks go: stored with them, so it is no port that the system hands out. */
export const HOOK_PORT = 28_094;
export const PREFIX = "bridge";

export interface Reply {
  status: number;
  body: any;
}

export interface Asking {
  body?: unknown;
  /** Bearer token or key. */
  token?: string;
  method?: string;
  headers?: Record<string, string>;
}

export type Ask = (path: string, asking?: Asking) => Promise<Reply>;

/** Asks the registry at `url`: GET without a body, else POST. Bodies that are not JSON come as text. */
export const askAt =
  (url: string): Ask =>
  async (path, { body, token, method, headers } = {}) => {
    const response = await fetch(url + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  };

export interface Version {
  /** Address of its front. */
  url: string;
  ask: Ask;
  /** Runs a command to its end. @returns what it printed @throws when it fails */
  bridge(...args: string[]): Promise<string>;
  /** Starts a command that runs until it is stopped, and waits until it says `ready`. */
  start(...args: string[]): Promise<Program>;
  world: ForkedWorld;
}

export interface VersionOptions {
  home: string;
  world: ForkedWorld;
  /** A checkout of the version; default: this one. */
  checkout?: string;
  /** A broker that runs already; default: the home's own. */
  natsUrl?: string;
}

const environmentOf = ({ home, world, natsUrl }: VersionOptions, port: number): Record<string, string> => ({
  BRIDGE_HOME: home,
  PORT: String(port),
  BRIDGE_PUBLIC_URL: PUBLIC_URL,
  BRIDGE_DNS_SERVERS: `${world.dns.address}:${world.dns.port}`,
  BRIDGE_EGRESS_ALLOW: [world.port, world.httpPort, HOOK_PORT]
    .map((each) => `${world.network}:${each}`)
    .join(","),
  BRIDGE_HTTPS_PORT: String(world.port),
  // Of a broker that others configured.
  BRIDGE_STORE_GIB: "1",
  BRIDGE_HOST_DELAY_MS: "0",
  BRIDGE_IP_DELAY_MS: "0",
  BRIDGE_SESSION_DELAY_MS: "0",
  BRIDGE_CRAWL_CONCURRENCY: "32",
  BRIDGE_WEBHOOK_RETRY_MS: "0,30000,30000",
  NODE_EXTRA_CA_CERTS: world.caFile,
  ...(natsUrl && { BRIDGE_NATS_URL: natsUrl }),
});

/** The file that a checkout's package.json calls `bridge`. */
const programOf = (checkout: string): string => {
  const { bin } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  return join(checkout, bin.bridge);
};

export const openVersion = async (options: VersionOptions): Promise<Version> => {
  const port = await freePort();
  const environment = environmentOf(options, port);
  const command = options.checkout === undefined ? undefined : [programOf(options.checkout)];
  const run = (args: string[]): Program => runBridge(args, environment, command);
  return {
    world: options.world,
    url: `http://127.0.0.1:${port}`,
    ask: askAt(`http://127.0.0.1:${port}`),
    bridge: async (...args) => {
      const program = run(args);
      const { code } = await program.ended;
      if (code !== 0) throw new Error(`bridge ${args.join(" ")} ended with ${code}:\n${program.output}`);
      return program.output;
    },
    start: async (...args) => {
      const program = run(args);
      await program.says(/^ready /m);
      return program;
    },
  };
};

/** Asks a program to end. @throws when it does not end well */
export const stopWell = async (program: Program): Promise<void> => {
  program.kill("SIGTERM");
  const { code } = await program.ended;
  if (code !== 0) throw new Error(`it ended with ${code}:\n${program.output}`);
};

/** A nats-server on a home's store, without the program. */
export const startStore = async (
  binary: string,
  home: string,
): Promise<{ url: string; stop(): Promise<void> }> => {
  const port = await freePort();
  const folder = join(home, "nats", "store");
  const login = ["--user", "bridge", "--pass", "upgrade"];
  const server = spawn(binary, ["-js", "-sd", folder, "-a", "127.0.0.1", "-p", String(port), ...login], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  server.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(server, "exit");
  await until(
    () => `nats-server; it said:\n${said}`,
    () => said.includes("Server is ready"),
    10_000,
  );
  return {
    url: `nats://bridge:upgrade@127.0.0.1:${port}`,
    stop: async () => {
      server.kill("SIGTERM");
      await ended;
    },
  };
};

export interface Received {
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/**
 * Receives webhooks for a site, at the port that is stored with them. The address is of this run alone; where there is but
 * one, it is waited for.
 */
export const receiveHooks = async (
  world: ForkedWorld,
  host: string,
): Promise<{ received: Received[]; stop(): Promise<void> }> => {
  const address = world.ownAddresses ? `127.${[...randomBytes(3)].join(".")}` : "127.0.0.1";
  await world.set(host, { addresses: [address] });
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
  const listen = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        error.code === "EADDRINUSE" ? resolve(false) : reject(error),
      );
      server.listen(HOOK_PORT, address, () => resolve(true));
    });
  await until(`port ${HOOK_PORT}`, listen, 20_000);
  return {
    received,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
