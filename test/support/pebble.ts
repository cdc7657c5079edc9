/** Pebble, Let's Encrypt's ACME server for tests, built by Go from its pinned module and kept beside the checkout. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Authority } from "../world/certificates.ts";
import { freePort } from "./ports.ts";
import { startProgram } from "./servers.ts";

const MODULE = "github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.1";
const FOLDER = join(import.meta.dirname, "../../.cache/bin");
const BUILD_TIMEOUT_MS = 300_000;

/** The program, or why there is none. */
export const pebbleProgram = (): { path: string } | { missing: string } => {
  const path = join(FOLDER, "pebble");
  if (existsSync(path)) return { path };
  mkdirSync(FOLDER, { recursive: true });
  try {
    const env = { ...process.env, GOBIN: FOLDER, GOFLAGS: "-trimpath" };
    execFileSync("go", ["install", MODULE], { env, timeout: BUILD_TIMEOUT_MS, stdio: "pipe" });
    return { path };
  } catch (error) {
    return { missing: `Go cannot build pebble (${String(error).slice(0, 200)})` };
  }
};

export interface Pebble {
  /** Of its directory. */
  url: string;
  /** Certificate (PEM) that what it signs is verified by. */
  root: string;
  stop(): Promise<void>;
}

/** @param ca signs the certificate of Pebble's own server */
export const startPebble = async (
  path: string,
  ca: Authority,
  { httpPort, dns }: { httpPort: number; dns: string },
): Promise<Pebble> => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-pebble-"));
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const own = ca.issueFor(["127.0.0.1"]);
  const [port, management] = [await freePort(), await freePort()];
  const config = file(
    "config.json",
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: file("cert.pem", own.cert),
        privateKey: file("key.pem", own.key),
        httpPort,
        tlsPort: 1,
        ocspResponderURL: "",
        externalAccountBindingRequired: false,
        retryAfter: { authz: 1, order: 1 },
        keyAlgorithm: "ecdsa",
        profiles: { default: { description: "ninety days", validityPeriod: 7_776_000 } },
      },
    }),
  );
  const get = (address: string): Promise<string> =>
    new Promise((resolve, reject) => {
      request(address, { ca: ca.ca }, (reply) => resolve(text(reply)))
        .once("error", reject)
        .end();
    });
  const url = `https://127.0.0.1:${port}/dir`;
  const env = { ...process.env, PEBBLE_VA_NOSLEEP: "1", PEBBLE_AUTHZREUSE: "0" };
  const stopProgram = await startProgram(path, ["-config", config, "-dnsserver", dns], { env }, () =>
    get(url).then(
      () => true,
      () => false,
    ),
  );
  return {
    url,
    root: await get(`https://127.0.0.1:${management}/roots/0`),
    stop: async () => {
      await stopProgram();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
