import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { CONSTANTS, ConfigError, defaultOf, readConfig, SETTINGS } from "../../src/runtime/config.ts";

function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

describe("settings", () => {
  it("have these defaults", () => {
    expect(readConfig({})).toEqual({
      PORT: 8080,
      HOST: "127.0.0.1",
      BRIDGE_ALIASES: [],
      BRIDGE_ADMIN_HOST: "127.0.0.1",
      BRIDGE_ADMIN_PORT: 9464,
      BRIDGE_OPERATORS_PORT: 9465,
      BRIDGE_HOME: resolve("data"),
      BRIDGE_NATS_SETUP: false,
      BRIDGE_NATS_PREFIX: "bridge",
      BRIDGE_NATS_REPLICAS: 1,
      BRIDGE_DNS_SERVERS: [],
      BRIDGE_DNS_VALIDATING: false,
      BRIDGE_EGRESS_ALLOW: "",
      BRIDGE_HOST_DELAY_MS: 4_000,
      BRIDGE_IMPORT_FROM: [],
      BRIDGE_IP_DELAY_MS: 500,
      BRIDGE_CRAWL_CONCURRENCY: 128,
      BRIDGE_CONTROL_GROUP: new Map(),
      BRIDGE_LIMITS_PERCENT: 100,
      BRIDGE_LAME_DUCK_MS: 5_000,
      BRIDGE_SEARCH_MEANING: "encoder",
      BRIDGE_HTTPS_PORT: 443,
      BRIDGE_SIGNATURE_AGENT: "dictionary",
      BRIDGE_USER_AGENT: expect.stringMatching(/^BridgeBot\/1\.2 \(\+https:.*@.*\)$/),
      BRIDGE_STORE_GIB: 64,
      BRIDGE_ELASTICSEARCH_SHARDS: 1,
      BRIDGE_TRUSTED_PROXIES: [],
      BRIDGE_CORS_ORIGINS: [],
      BRIDGE_LOG_LEVEL: "warn",
      ...CONSTANTS,
    });
  });

  it("are documented as they are", () => {
    const config: Record<string, unknown> = readConfig({});
    for (const [name, setting] of Object.entries(SETTINGS)) {
      expect(setting.about.length, name).toBeGreaterThan(10);
      const value = config[name];
      if (typeof value === "number") expect(defaultOf(setting), name).toBe(String(value));
    }
  });

  it("that are empty count as unset", () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, ""]));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it("are read as they are meant", () => {
    const config = readConfig({
      PORT: "0",
      BRIDGE_PUBLIC_URL: "https://registry.example:8443/some/path?x#y",
      BRIDGE_DNS_SERVERS: "192.0.2.53:53, [2001:db8::53]:5353",
      BRIDGE_DNS_VALIDATING: "1",
      BRIDGE_TRUSTED_PROXIES: "10.0.0.0/8,::1",
      UNKNOWN: "is not looked at",
    });
    expect(config).toMatchObject({
      PORT: 0,
      BRIDGE_PUBLIC_URL: "https://registry.example:8443",
      BRIDGE_DNS_SERVERS: [
        { address: "192.0.2.53", port: 53 },
        { address: "2001:db8::53", port: 5353 },
      ],
      BRIDGE_DNS_VALIDATING: true,
      BRIDGE_TRUSTED_PROXIES: ["10.0.0.0/8", "::1"],
    });
    expect(config).not.toHaveProperty("UNKNOWN");
  });

  it.each([
    ["PORT", "http", "must be a whole number from 0 to 65535"],
    ["PORT", "65536", "must be a whole number from 0 to 65535"],
    ["PORT", "0x50", "must be a whole number from 0 to 65535"],
    ["PORT", " ", "must be a whole number from 0 to 65535"],
    ["PORT", "80.5", "must be a whole number from 0 to 65535"],
    ["BRIDGE_ADMIN_PORT", "-1", "must be a whole number from 0 to 65535"],
    ["BRIDGE_HTTPS_PORT", "1e3", "must be a whole number from 0 to 65535"],
    ["BRIDGE_PUBLIC_URL", "ftp://registry.example", "must be an http or https address"],
    ["BRIDGE_PUBLIC_URL", "registry.example", "must be an http or https address"],
    ["BRIDGE_ELASTICSEARCH_URL", "https://a.example:9200,b", "must be an http or https address, or several"],
    ["BRIDGE_IMPORT_FROM", "https://a.example, b", "must be http or https addresses, separated by commas"],
    ["BRIDGE_NATS_PREFIX", "a.b", "must be 1 to 32 letters, digits, _ or -"],
    ["BRIDGE_NATS_REPLICAS", "2", "must be 1, 3 or 5: an even number of replicas tolerates no more failures"],
    ["BRIDGE_NATS_REPLICAS", "7", "must be 1, 3 or 5"],
    ["BRIDGE_DNS_SERVERS", "192.0.2.53", "is not ip:port"],
    ["BRIDGE_DNS_SERVERS", "dns.example:53", "is not ip:port"],
    ["BRIDGE_DNS_SERVERS", "999.1.1.1:53", "is not ip:port"],
    ["BRIDGE_DNS_SERVERS", "192.0.2.53:0", "is not ip:port"],
    ["BRIDGE_DNS_SERVERS", "192.0.2.53:53,x", "is not ip:port"],
    ["BRIDGE_DNS_VALIDATING", "yes", "must be true or false"],
    ["BRIDGE_HOST_DELAY_MS", "4s", "must be a whole number from 0 to 86400000"],
    ["BRIDGE_IP_DELAY_MS", "86400001", "must be a whole number from 0 to 86400000"],
    ["BRIDGE_CRAWL_CONCURRENCY", "0", "must be a whole number from 1 to 4096"],
    ["BRIDGE_USER_AGENT", "Bridge\nBot", "must be 1 to 200 printable ASCII characters"],
    ["BRIDGE_TRUSTED_PROXIES", "everybody", "must be addresses or CIDR blocks"],
    [
      "BRIDGE_SMTP_URL",
      "mail.example:25",
      "must be smtp://user:password@host:587 or smtps://user:password@host:465",
    ],
    ["BRIDGE_MAIL_FROM", "Ada <ada>", "must be an address or `Name <address>`"],
    [
      "BRIDGE_MAIL_FROM",
      "Ada <ada@shop.example>\r\nBcc: all@shop.example",
      "must be an address or `Name <address>`",
    ],
    ["BRIDGE_LOG_LEVEL", "loud", "must be one of trace, debug, info, warn, error, fatal, silent"],
  ])("%s=%j is refused with a sentence that names it", (name, value, sentence) => {
    expect(refusal({ [name]: value })).toMatch(new RegExp(`^${name}: .*${sentence.replaceAll(".", "\\.")}`));
  });

  it("that are wrong are all named, one a line", () => {
    const lines = refusal({ PORT: "x", BRIDGE_LOG_LEVEL: "y" }).split("\n");
    expect(lines.map((line) => line.split(":")[0])).toEqual(["PORT", "BRIDGE_LOG_LEVEL"]);
  });
});

describe("a misspelled setting", () => {
  it("is refused with the one that was meant", () => {
    expect(refusal({ BRIDGE_CRAWL_CONCURENCY: "4" })).toBe(
      "BRIDGE_CRAWL_CONCURENCY is no setting; did you mean BRIDGE_CRAWL_CONCURRENCY?",
    );
    expect(refusal({ BRIDGE_LOGLEVEL: "info" })).toContain("did you mean BRIDGE_LOG_LEVEL?");
  });

  it("is none where another program's variable begins as ours do", () => {
    expect(
      refusal({
        BRIDGE_SERVICE_HOST: "10.0.0.1",
        BRIDGE_PORT: "tcp://10.0.0.1:80",
        BRIDGE_PORT_80_TCP_ADDR: "10.0.0.1",
        BRIDGE_IMAGE_ENGINE: "podman",
      }),
    ).toBe("");
  });
});
