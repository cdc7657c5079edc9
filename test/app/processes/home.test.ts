import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { homePaths, lockHome, readBrokerUrl, writeBrokerUrl } from "../../../app/processes/home.ts";

describe("a home", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "bridge-test-home-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it("belongs to one at a time", () => {
    const lock = lockHome(home)!;
    expect(lockHome(home)).toBeUndefined();
    lock.release();
    const second = lockHome(home);
    expect(second).toBeDefined();
    second!.release();
  });

  it("is free again when its owner was killed", async () => {
    const program = `import { lockHome } from ${JSON.stringify(new URL("../../../app/processes/home.ts", import.meta.url).href)};
      process.stdout.write(String(lockHome(${JSON.stringify(home)}) !== undefined));
      setInterval(() => undefined, 1_000);`;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", program]);
    const [said] = await once(owner.stdout, "data");
    expect(String(said)).toBe("true");
    expect(lockHome(home)).toBeUndefined();
    owner.kill("SIGKILL");
    await once(owner, "exit");
    const lock = lockHome(home);
    expect(lock).toBeDefined();
    lock!.release();
  });

  it("keeps its broker's credential to its owner", () => {
    expect(readBrokerUrl(home)).toBeUndefined();
    writeBrokerUrl(home, "nats://bridge:secret@127.0.0.1:4222");
    expect(readBrokerUrl(home)).toBe("nats://bridge:secret@127.0.0.1:4222");
    expect(statSync(homePaths(home).broker).mode & 0o777).toBe(0o600);
  });
});
