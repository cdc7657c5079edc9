import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../support/ports.ts";
import { clean, inspectHome, listedDomains, oracleOf, untilClean } from "./account.ts";
import { constants } from "./change-constants.ts";
import { brokersOf, cleanUp, pause, processesOf, runBridge, until } from "./programs.ts";
import { mountSmallDisk } from "./small-disk.ts";

const SITES = 60;
const LEASE_MS = 4_000;
/** How long the disk stays full: longer than the leases, so that whatever can run out does. */
const FULL_MS = 4_500;

const disk = mountSmallDisk(24);
if (!disk) console.warn("Full disks are not tried: this user may not mount a tmpfs.");

afterAll(async () => {
  await cleanUp();
  disk?.remove();
});

describe.skipIf(!disk)("a disk that gets full in a crawl", () => {
  it("is told to the operator; once it has room all goes on by itself, and nothing is lost", async () => {
    const oracle = await oracleOf({ sites: SITES });
    const home = join(disk!.folder, "home");
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { BRIDGE_HOME: home, PORT: String(port), ...constants({ leaseMs: LEASE_MS }) };
    const program = runBridge(["up", "--sites", String(SITES)], environment);
    await until("some listed sites", async () => ((await listedDomains(url))?.length ?? 0) > 10);
    disk!.fill();
    await program.says(/The disk is full: 0\.\d MB free on the disk of .*Free some space/);
    await pause(FULL_MS);
    expect(program.isRunning).toBe(true);
    expect([200, 503, 504]).toContain((await fetch(`${url}/api/discovery/registry`)).status);
    disk!.free();
    await program.says(/met a full disk that has room again; starting it again/);
    await program.says(/nats-server is back/);
    const inspector = await inspectHome(home, { leaseMs: LEASE_MS });
    const account = await untilClean(inspector, url, oracle);
    await inspector.close();
    expect(account, program.output).toEqual(clean(account));

    disk!.fill();
    await program.says(/The disk is full[\s\S]*The disk is full/);
    program.kill("SIGTERM");
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(processesOf(home)).toEqual([]);

    const refused = runBridge(["up"], environment);
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.output).toMatch(/^The disk is full: .*Free some space, then start again/m);
    expect(brokersOf(home)).toEqual([]);
    disk!.free();
  }, 120_000);
});
