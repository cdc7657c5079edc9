/** One real nats-server for the whole test run; every test registry has a prefix of its own on it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { DEFAULT_STORE_BYTES } from "../../src/ports/storage.ts";

declare module "vitest" {
  interface ProvidedContext {
    natsUrl: string;
    natsBinary: string;
  }
}

/** Each reserves what it may take; none is ever removed. */
const REGISTRIES = 4_096;

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-nats-"));
  const binary = await ensureNatsServer((line) => process.stderr.write(`${line}\n`));
  const server = await startBrokerServer({ binary, folder, storeBytes: REGISTRIES * DEFAULT_STORE_BYTES });
  project.provide("natsUrl", server.url);
  project.provide("natsBinary", binary);
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
};
