import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getFromWorld, resolverOf } from "../../world/client.ts";
import { type ForkedWorld, forkWorld } from "../../world/control.ts";

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilDead(pid: number): Promise<boolean> {
  for (let i = 0; i < 100 && alive(pid); i++) await delay(50);
  return !alive(pid);
}

describe("a world in a process of its own", () => {
  let world: ForkedWorld;
  beforeAll(async () => {
    world = await forkWorld({ seed: 5, sites: 30, kinds: { unsigned: 1 }, soundShare: 0.5 });
  });
  afterAll(() => world.stop());

  it("says where it is and what stands in it", async () => {
    expect(world.hosts.length).toBe(30);
    expect(world.hosts.filter(({ expected }) => expected.reason === "unsigned").length).toBe(15);
    const site = world.hosts[0]!;
    expect(await resolverOf(world).resolve4(site.host)).toEqual([site.address]);
    expect((await getFromWorld(world, site, "/")).status).toBe(200);
    expect(await world.dnsQueries()).toBe(1);
  });

  it("obeys: sets, adds, removes, judges and forgets", async () => {
    const site = world.hosts[1]!;
    expect(await world.set(site.host, { kind: "no_document" })).toMatchObject({ expected: { ring: 0 } });
    expect((await getFromWorld(world, site, "/.well-known/bridge.json")).status).toBe(404);
    expect(await world.set("nobody.test", {})).toBeUndefined();
    const added = await world.add("expired");
    expect((await getFromWorld(world, added, "/.bridge")).status).toBe(200);
    expect(await world.remove(added.host)).toBe(true);
    const found = await world.log({ hostDelayMs: 0, ipDelayMs: 0 });
    expect(found.requests).toBeGreaterThanOrEqual(2);
    expect(await world.requests(added.host)).toEqual([
      expect.objectContaining({ path: "/.bridge", status: 200 }),
    ]);
    await world.clearLog();
    expect((await world.log({ hostDelayMs: 0, ipDelayMs: 0 })).requests).toBe(0);
  });

  it("is gone after stop, and says so to who asks on", async () => {
    const one = await forkWorld({ sites: 1 });
    await one.stop();
    expect(alive(one.pid)).toBe(false);
    await expect(one.dnsQueries()).rejects.toThrow("has ended");
  });

  it("says why it does not start", async () => {
    await expect(forkWorld({ corpus: "no-such-file.jsonl" })).rejects.toThrow("no-such-file");
    await expect(forkWorld({ sites: 0 })).rejects.toThrow("did not start");
  });

  it("does not outlive a parent that is killed", async () => {
    const parent = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `const { forkWorld } = await import(${JSON.stringify(new URL("../../world/control.ts", import.meta.url).href)});
         const world = await forkWorld({ sites: 5 }); console.log(world.pid); setInterval(() => {}, 1000);`,
      ],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    expect(alive(pid)).toBe(true);
    parent.kill("SIGKILL");
    expect(await untilDead(pid)).toBe(true);
  });

  it("runs alone too: one line of JSON, then until it is told to end", async () => {
    const main = fileURLToPath(new URL("../../world/main.ts", import.meta.url));
    const child = spawn(process.execPath, [
      main,
      "--sites",
      "3",
      "--kinds",
      "unsigned,slow=2",
      "--sound-share",
      "0",
    ]);
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    expect(JSON.parse(line.toString())).toMatchObject({ sites: 3, dns: { address: "127.0.0.1" } });
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
  });

  it("starts ten thousand sites within seconds and 300 MB", async () => {
    const began = performance.now();
    const large = await forkWorld({ sites: 10_000 });
    // Half a second on a quiet machine; the bound only tells lazy from eager.
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(large.hosts.length).toBe(10_000);
    const { readFileSync } = await import("node:fs");
    if (process.platform === "linux") {
      const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${large.pid}/status`, "utf8"))![1]);
      expect(kilobytes / 1_024).toBeLessThan(300);
    }
    await large.stop();
  });
});
