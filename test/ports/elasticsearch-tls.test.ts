/** An Elasticsearch as operators have it: behind TLS by an authority of their own, and an API key. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { openRuntime } from "../../app/processes/runtime.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { openAuthority } from "../../world/certificates.ts";
import { put } from "./index-document.ts";
import { startTlsProxy, type TlsProxy } from "./tls-proxy.ts";

const API_KEY = Buffer.from("bridge:secret").toString("base64");
const home = mkdtempSync(join(tmpdir(), "bridge-test-tls-"));
const [own, other] = ["own", "other"].map((name) => openAuthority(join(home, name), Date.now())) as [
  ReturnType<typeof openAuthority>,
  ReturnType<typeof openAuthority>,
];

describe("an Elasticsearch behind TLS and an API key", () => {
  let proxy: TlsProxy;
  beforeAll(async () => {
    proxy = await startTlsProxy(inject("elasticsearchUrl"), own.issueFor(["127.0.0.1"]), API_KEY);
  });
  afterAll(async () => {
    await proxy?.close();
    rmSync(home, { recursive: true, force: true });
  });

  const open = async (settings: Record<string, string>) => {
    const config = readConfig({
      BRIDGE_NATS_SETUP: "true",
      BRIDGE_HOME: home,
      BRIDGE_NATS_PREFIX: `tls${process.pid}`,
      BRIDGE_LOG_LEVEL: "fatal",
      BRIDGE_ELASTICSEARCH_URL: proxy.url,
      BRIDGE_ELASTICSEARCH_API_KEY: API_KEY,
      BRIDGE_ELASTICSEARCH_CA: own.caFile,
      ...settings,
    });
    const runtime = await openRuntime(config, inject("natsUrl"));
    onTestFinished(() => runtime.close());
    return runtime.index();
  };

  it("is written and searched with its authority's certificate and its key", async () => {
    const index = await open({});
    await index.apply([put({ domain: "a.example", text: "harp" })]);
    const ask = { terms: ["harp"], filter: {}, limit: 9 };
    await expect.poll(async () => (await index.candidates(ask)).total, { timeout: 5_000 }).toBe(1);
  });

  it.each([
    ["the system's authorities", ""],
    ["another one", other.caFile],
  ])("is not trusted by %s, and the setting to mend is named", async (_, caFile) => {
    await expect(open({ BRIDGE_ELASTICSEARCH_CA: caFile })).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringMatching(
        /^BRIDGE_ELASTICSEARCH_CA: the certificate of Elasticsearch at https:\S+ is not to be trusted \(\w+\): name the file of the authority that signed it/,
      ),
    });
  });

  it.each([
    ["a wrong key", "d3Jvbmc="],
    ["none", ""],
  ])("refuses %s, and the setting to mend is named", async (_, key) => {
    await expect(open({ BRIDGE_ELASTICSEARCH_API_KEY: key })).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringMatching(
        /^BRIDGE_ELASTICSEARCH_API_KEY: Elasticsearch at https:\S+ answers 401: /,
      ),
    });
  });

  it.each([
    ["is not there", "missing.pem", /^BRIDGE_ELASTICSEARCH_CA: ENOENT/],
    ["holds no certificate", "empty.pem", /^BRIDGE_ELASTICSEARCH_CA: ./],
  ])("is not even asked with a file of certificates that %s", async (_, name, why) => {
    const file = join(home, name);
    if (name === "empty.pem") writeFileSync(file, "no certificate");
    await expect(open({ BRIDGE_ELASTICSEARCH_CA: file })).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringMatching(why),
    });
  });
});
