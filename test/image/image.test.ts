/** The image as an operator runs it: built, started without rights, crawling, killed, stopped dead, started again. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { listedDomains } from "../faults/account.ts";
import { until } from "../faults/programs.ts";
import { natsStandIn, nodeStandIn, STAND_INS } from "./bases.ts";
import { build, docker, HAS_ENGINE, inspect, load, logsOf } from "./docker.ts";
import { IMAGE } from "./engine.ts";
import { CACHE } from "./tools.ts";

const MEGABYTE = 1_000_000;
/** What the project adds to Node's image. */
const MAX_OWN_BYTES = 100 * MEGABYTE;
const CRAWL_TIMEOUT_MS = 120_000;
/** What the compose file gives each container. */
const UNPRIVILEGED = [
  ...["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--init"],
];
const NAME = "whole";

async function addressOf(name: string): Promise<string> {
  const { NetworkSettings } = await inspect(name);
  return NetworkSettings.Networks.bridge.IPAddress;
}

const inside = (...command: string[]) =>
  docker("run", "--rm", ...UNPRIVILEGED, "--entrypoint", command[0]!, IMAGE, ...command.slice(1));

describe.skipIf(!HAS_ENGINE)("the image", () => {
  it("says what it is, runs as nobody special and checks its own health", async () => {
    const { Config } = await inspect(IMAGE);
    expect(Config).toMatchObject({
      User: "1000:1000",
      StopSignal: "SIGTERM",
      Volumes: { "/data": {} },
      Healthcheck: { Test: ["CMD", "node", "deploy/health.mjs"] },
      Labels: {
        "org.opencontainers.image.version": packageJson.version,
        "org.opencontainers.image.revision": "0123abc",
        "org.opencontainers.image.licenses": packageJson.license,
      },
    });
  });

  it("adds little to Node's, and no package of development", async () => {
    const [{ Size: whole }, { Size: base }] = await Promise.all([
      inspect(IMAGE),
      inspect(STAND_INS.NODE_IMAGE),
    ]);
    process.stdout.write(
      `image: ${Math.round(whole / MEGABYTE)} MB, ${Math.round((whole - base) / MEGABYTE)} MB of them its own\n`,
    );
    expect(whole - base).toBeLessThan(MAX_OWN_BYTES);
    const packages = (await inside("ls", "node_modules")).split("\n");
    expect(packages).toEqual(expect.arrayContaining(["fastify", "zod"]));
    for (const name of Object.keys(packageJson.devDependencies)) expect(packages).not.toContain(name);
  });

  it("lists what is in it: every package of production, none of development", async () => {
    const { bomFormat, components } = JSON.parse(await inside("cat", "sbom.json"));
    expect(bomFormat).toBe("CycloneDX");
    const named = components.map(({ purl }: { purl: string }) => decodeURIComponent(purl));
    for (const [name, version] of Object.entries(packageJson.dependencies))
      expect(named).toContain(`pkg:npm/${name}@${version}`);
    expect(named.join()).not.toMatch(/vitest|typescript/);
  });

  it("writes nothing but its data and temporary files", async () => {
    const script =
      "for (const f of ['/bridge/x', '/etc/x', '/data/x', '/tmp/x']) try { require('fs').writeFileSync(f, ''); console.log(f) } catch {}";
    expect(await inside("node", "-e", script)).toBe("/data/x\n/tmp/x");
  });
});

describe.skipIf(!HAS_ENGINE)("a registry in one container", () => {
  let url: string;
  const listed = async () => (await listedDomains(url))?.length ?? 0;
  const isHealthy = async () => (await inspect(NAME)).State.Health.Status === "healthy";

  beforeAll(async () => {
    if (!HAS_ENGINE) return;
    const health = [
      "--health-interval=1s",
      "--restart=unless-stopped",
      "--health-cmd=node deploy/health.mjs --kill",
    ];
    const settings = ["--env=HOST=0.0.0.0", "--volume=whole:/data"];
    await docker(
      "run",
      "--detach",
      "--name",
      NAME,
      ...UNPRIVILEGED,
      ...health,
      ...settings,
      IMAGE,
      "up",
      "--sites",
      "40",
    );
    url = `http://${await addressOf(NAME)}:8080`;
  });
  afterAll(async () => {
    if (!HAS_ENGINE) return;
    writeFileSync(join(CACHE, "whole.log"), await logsOf(NAME));
    await docker("rm", "--force", "--volumes", NAME);
  });

  it("crawls the synthetic web and becomes healthy", async () => {
    await until("twenty sites listed", async () => (await listed()) >= 20, CRAWL_TIMEOUT_MS);
    await until("a healthy container", isHealthy);
    const reply = await fetch(`${url}/api/bridge/search?q=shop&limit=1`);
    expect(reply.status).toBe(200);
  });

  it("is killed, starts again, and still lists what it knew", async () => {
    const before = await listed();
    await docker("kill", NAME);
    await docker("start", NAME);
    url = `http://${await addressOf(NAME)}:8080`;
    await until("the listings", async () => (await listed()) >= before, CRAWL_TIMEOUT_MS);
  });

  it("is started again after it was stopped dead, which no watchdog sees", async () => {
    await until("a healthy container", isHealthy);
    const { RestartCount } = await inspect(NAME);
    // Outside the container its processes have other ids, which `top` prints; the init names the program too.
    const processes = (await docker("top", NAME, "-o", "pid,args")).split("\n");
    const line = processes.find((each) => /^\s*\d+\s+node .*app\/main\.ts up/.test(each))!;
    process.kill(Number(line.trim().split(/\s+/)[0]), "SIGSTOP");
    await until("a restart", async () => (await inspect(NAME)).RestartCount > RestartCount, CRAWL_TIMEOUT_MS);
    const isAnswering = async () => {
      // None while it restarts.
      url = `http://${await addressOf(NAME)}:8080`;
      return (await listed()) > 0;
    };
    await until("an answer", isAnswering, CRAWL_TIMEOUT_MS);
  });

  it("drains at SIGTERM and ends with 0", async () => {
    await until("a healthy container", isHealthy);
    await docker("stop", "--time", "40", NAME);
    expect((await inspect(NAME)).State.ExitCode).toBe(0);
  });
});

describe.skipIf(!HAS_ENGINE || !process.env.BRIDGE_IMAGE_TOOLS)("the image with the sentence encoder", () => {
  const name = "bridge-with-encoder";
  afterAll(() => docker("rm", "--force", "--volumes", name).catch(() => undefined));

  it("reads the sites that are listed", async () => {
    const { BUILD_IMAGE, NODE_IMAGE, NATS_IMAGE } = STAND_INS;
    await load(nodeStandIn("amd64", process.env.BRIDGE_IMAGE_TOOLS!, process.execPath, BUILD_IMAGE));
    await build(name, ".", {
      file: "deploy/Dockerfile",
      arguments: { NODE_IMAGE, NATS_IMAGE, BUILD_IMAGE },
    });
    const [{ Size: whole }, { Size: plain }] = await Promise.all([inspect(name), inspect(IMAGE)]);
    process.stdout.write(`with the sentence encoder: ${Math.round((whole - plain) / MEGABYTE)} MB more\n`);
    await docker("run", "--detach", "--name", name, ...UNPRIVILEGED, name, "up", "--sites", "10");
    // One column a role, then what it counts.
    const isEncoding = async () => {
      const status = await docker("exec", name, "node", "app/main.ts", "status").catch(() => "");
      return /encoded [1-9]/.test(status) && /encoder 1/.test(status);
    };
    await until("sites that the encoder read", isEncoding, CRAWL_TIMEOUT_MS);
  });
});

const {
  BRIDGE_IMAGE_EMULATOR: emulator,
  BRIDGE_IMAGE_ARM64: foreign,
  BRIDGE_IMAGE_ARM64_NODE: node,
  BRIDGE_IMAGE_ARM64_NATS: broker,
} = process.env;
describe.skipIf(!HAS_ENGINE || !emulator)("the image for arm64", () => {
  it("is built without running anything of arm64, and runs there", async () => {
    const platform = "linux/arm64";
    await load(nodeStandIn("arm64", foreign!, `${node}/bin/node`));
    await load(natsStandIn("arm64", foreign!, broker!));
    await build("bridge-arm64", ".", {
      // The encoder's packages need a base that has pip, which the tests of it are given.
      target: "program",
      file: "deploy/Dockerfile",
      platform,
      arguments: {
        NODE_IMAGE: "stand-in/node-arm64",
        BUILD_IMAGE: STAND_INS.NODE_IMAGE,
        NATS_IMAGE: "stand-in/nats-arm64",
      },
    });
    expect((await inspect("bridge-arm64")).Architecture).toBe("arm64");
    const startedMs = performance.now();
    const emulated = ["--volume", `${emulator}:/emulator:ro`, "--entrypoint", "/emulator", "bridge-arm64"];
    const run = (...program: string[]) => docker("run", "--rm", ...UNPRIVILEGED, ...emulated, ...program);
    const said = await run("/usr/local/bin/node", "app/main.ts", "--version");
    process.stdout.write(
      `arm64, emulated: \`bridge --version\` took ${Math.round(performance.now() - startedMs)} ms\n`,
    );
    expect(said).toBe(packageJson.version);
    expect(await run("/usr/local/bin/nats-server", "--version")).toMatch(/^nats-server: v2\./);
  });
});
