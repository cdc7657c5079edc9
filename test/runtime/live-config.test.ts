import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, describe, expect, it } from "vitest";
import { type Config, ConfigError, readConfig } from "../../src/runtime/config.ts";
import { followConfig } from "../../src/runtime/live-config.ts";
import { startRegistry } from "../support/registry.ts";

const folder = mkdtempSync(join(tmpdir(), "bridge-test-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
function newFile(text: string): string {
  const file = join(folder, `settings-${files++}`);
  writeFileSync(file, text);
  return file;
}
/** At once, as orchestrators do it. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
const SOON = { timeout: 15_000, interval: 50 };

describe("a file of settings", () => {
  it("stands below the environment", () => {
    const file = newFile("# Ours\nPORT=81\nBRIDGE_LOG_LEVEL=info\n");
    const config = readConfig({ BRIDGE_CONFIG_FILE: file, PORT: "82" });
    expect(config).toMatchObject({ PORT: 82, BRIDGE_LOG_LEVEL: "info" });
  });

  it.each([
    ["BRIDGE_LOG_LEVL=info", /BRIDGE_LOG_LEVL is no setting/],
    ["BRIDGE_LIMITS_PERCENT=much", /BRIDGE_LIMITS_PERCENT: must be a whole number/],
  ])("is refused with %j in it", (text, why) => {
    const read = () => readConfig({ BRIDGE_CONFIG_FILE: newFile(text) });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(why);
  });

  it("that is not there is refused by name", () =>
    expect(() => readConfig({ BRIDGE_CONFIG_FILE: join(folder, "none") })).toThrow(
      /BRIDGE_CONFIG_FILE: ENOENT/,
    ));
});

describe("a running process", () => {
  it("takes what can change, names what waits for a start, and keeps what it has while the file is wrong", async (context) => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
    const file = newFile("BRIDGE_LIMITS_PERCENT=100\n");
    const environment = { BRIDGE_CONFIG_FILE: file };
    const config: Config = readConfig(environment);
    const following = followConfig(config, log, () => undefined, environment);
    context.onTestFinished(() => following.stop());
    replace(file, "BRIDGE_LIMITS_PERCENT=nonsense\nBRIDGE_HOST_DELAY_MS=9000\n");
    await expect.poll(() => lines.join(""), SOON).toContain("must be a whole number");
    expect(config).toMatchObject({ BRIDGE_LIMITS_PERCENT: 100, BRIDGE_HOST_DELAY_MS: 4_000 });
    replace(file, "BRIDGE_LIMITS_PERCENT=50\nBRIDGE_HOST_DELAY_MS=9000\nPORT=83\n");
    await expect
      .poll(() => config, SOON)
      .toMatchObject({ BRIDGE_LIMITS_PERCENT: 50, BRIDGE_HOST_DELAY_MS: 9_000 });
    expect(config.PORT).toBe(8_080);
    expect(lines.at(-1)).toContain('"settings":["PORT"]');
  });

  it("limits by the settings of now", async (context) => {
    const registry = await startRegistry({ world: { sites: 1, soundShare: 1, seed: 3 }, roles: [] });
    context.onTestFinished(() => registry.stop());
    const { config, limiter } = registry.runtime;
    const quota = async () => {
      const { allowances } = await limiter.charge("fetches", { clientAddress: "203.0.113.9" });
      return allowances[0]!.quota;
    };
    const before = await quota();
    Object.assign(config, { BRIDGE_LIMITS_PERCENT: 50 });
    expect(await quota()).toBe(before / 2);
  });
});
