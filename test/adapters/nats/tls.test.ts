/** A broker on another machine: nothing is said to it, nor heard from it, without TLS by the authority that is named. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openCore } from "../../../app/processes/core.ts";
import { readConfig } from "../../../src/runtime/config.ts";
import { openAuthority } from "../../../world/certificates.ts";
import { startUsersBroker, type UsersBroker } from "../../support/users-broker.ts";

const home = mkdtempSync(join(tmpdir(), "bridge-test-broker-tls-"));
const PREFIX = "tls";
let broker: UsersBroker;
const own = openAuthority(join(home, "own"), Date.now());
const other = openAuthority(join(home, "other"), Date.now());

beforeAll(async () => {
  const { key, cert } = own.issueFor(["127.0.0.1"]);
  const files = { cert: join(home, "tls.crt"), key: join(home, "tls.key") };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  broker = await startUsersBroker(
    PREFIX,
    `tls { cert_file: ${JSON.stringify(files.cert)}, key_file: ${JSON.stringify(files.key)} }`,
  );
});
afterAll(async () => {
  await broker?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function joinWith(settings: Record<string, string>, url = broker.url): Promise<string> {
  const config = readConfig({
    BRIDGE_NATS_SETUP: "true",
    BRIDGE_HOME: home,
    BRIDGE_NATS_PREFIX: PREFIX,
    BRIDGE_LOG_LEVEL: "fatal",
    BRIDGE_NATS_USER: "operator",
    BRIDGE_NATS_PASSWORD: broker.passwordOf("operator"),
    BRIDGE_NATS_CA: own.caFile,
    ...settings,
  });
  try {
    const core = await openCore(config, url);
    await core.close();
    return "joined";
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

describe("a broker that asks for TLS", () => {
  it("is joined by its authority's certificate", async () => {
    expect(await joinWith({})).toBe("joined");
  });

  it.each([
    ["the system's authorities", { BRIDGE_NATS_CA: "" }],
    ["another one", { BRIDGE_NATS_CA: other.caFile }],
  ])("is not trusted by %s, and the setting to mend is named", async (_, settings) => {
    expect(await joinWith(settings)).toMatch(
      /^ConfigError: BRIDGE_NATS_CA: the broker is not trusted: .*certificate/,
    );
  });

  it("is not joined under a name that its certificate does not have", async () => {
    const url = broker.url.replace("127.0.0.1", "localhost");
    expect(await joinWith({}, url)).toMatch(/^ConfigError: BRIDGE_NATS_CA: .*(altname|does not match)/i);
  });

  it("lets nobody in who speaks plainly", async () => {
    const socket = connect(Number(new URL(broker.url).port), "127.0.0.1");
    await once(socket, "data");
    const pass = broker.passwordOf("operator");
    socket.write(`CONNECT {"user":"operator","pass":"${pass}","verbose":false}\r\nPING\r\n`);
    const said = await text(socket);
    expect(said).not.toContain("PONG");
  });

  it("says which user it refuses, and what to set where a role's user may not make streams", async () => {
    expect(await joinWith({ BRIDGE_NATS_PASSWORD: "guess" })).toMatch(
      /^ConfigError: BRIDGE_NATS_USER, BRIDGE_NATS_PASSWORD .*refuses the user operator/,
    );
    const gossip = { BRIDGE_NATS_USER: "gossip", BRIDGE_NATS_PASSWORD: broker.passwordOf("gossip") };
    expect(await joinWith(gossip)).toMatch(/^ConfigError: BRIDGE_NATS_SETUP: .*bridge setup/);
    expect(await joinWith({ ...gossip, BRIDGE_NATS_SETUP: "false" })).toBe("joined");
  });

  it("names the setting whose file cannot be read", async () => {
    expect(await joinWith({ BRIDGE_NATS_CERT: join(home, "none.pem") })).toMatch(
      /^ConfigError: BRIDGE_NATS_CERT: ENOENT/,
    );
  });
});

describe("a broker that speaks no TLS", () => {
  it("is not joined by who was told to check it", async () => {
    const { host } = new URL(inject("natsUrl"));
    expect(await joinWith({}, `nats://${host}`)).toBe(
      "ConfigError: BRIDGE_NATS_CA: the broker is not trusted: it speaks no TLS.",
    );
  });

  it("is not given a password, though it pretends to be ours", async () => {
    let heard = "";
    const impostor = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        heard += chunk;
      });
      socket.write(
        'INFO {"server_id":"x","version":"2.15.2","proto":1,"headers":true,"max_payload":8388608}\r\n',
      );
    });
    impostor.listen(0, "127.0.0.1");
    await once(impostor, "listening");
    const { port } = impostor.address() as AddressInfo;
    expect(await joinWith({}, `nats://127.0.0.1:${port}`)).toMatch(/speaks no TLS/);
    impostor.close();
    expect(heard).toBe("");
  });
});
