/** The program as a user runs it, made to hang: by a page, and by what nobody thought of. */
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, inject, it } from "vitest";
import { freePort } from "../support/ports.ts";
import { listedDomains } from "./account.ts";
import { startJoined } from "./joined.ts";
import { cleanUp, newHome, type Program, runBridge, until } from "./programs.ts";

const WRAPPER = fileURLToPath(new URL("../../app/bridge.mjs", import.meta.url));
const SITES = 12;

afterAll(cleanUp);

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

/** Opens the inspector of the program's child and has it call `expression` in a turn of its own. */
async function evaluateLater(program: Program, expression: string): Promise<void> {
  // The parent has one, too; it says so first.
  const [, [, address]] = [...program.output.matchAll(/Debugger listening on (ws:\S+)/g)] as [
    unknown,
    string[],
  ];
  const socket = new WebSocket(address!);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  // An exit waits for the inspector's end: it is closed first.
  const later = `setTimeout(() => { process._debugEnd(); ${expression} }, 500)`;
  socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression: later } }));
  await new Promise((resolve) => {
    socket.onmessage = resolve;
  });
  socket.close();
}

/** How often the program said that it is ready. */
const starts = ({ output }: Program): number => output.match(/^ready /gm)?.length ?? 0;

describe("a page of 268 bytes that an expression took for ever to read", () => {
  it("stops neither the crawl nor requests, nor the end of the program", async () => {
    const joined = await startJoined(
      inject("natsUrl"),
      { sites: SITES, soundShare: 1, seed: 5 },
      {
        BRIDGE_HOST_DELAY_MS: "0",
        BRIDGE_IP_DELAY_MS: "0",
      },
    );
    const [hostile] = joined.world.hosts;
    await joined.world.set(hostile!.host, { pages: "hostile_style" });
    const front = await joined.front();
    const worker = await joined.worker();
    const [, admin] = /metrics on (\S+)\/metrics/.exec(worker.output)!;
    await joined.seed();
    const others = joined.world.hosts.slice(1).map(({ host }) => host);
    await until(
      "the other sites to be listed",
      async () => {
        const listed = (await listedDomains(joined.url)) ?? [];
        return others.every((host) => listed.includes(host));
      },
      120_000,
    );
    expect(await answers(`${joined.url}/api/bridge/ping`)).toBe(true);
    expect(await answers(`${admin}/healthz`)).toBe(true);
    for (const program of [worker, front]) {
      program.kill("SIGTERM");
      expect(await program.ended).toEqual({ code: 0, signal: null });
    }
    await joined.close();
  }, 240_000);
});

describe("npm start", () => {
  it("is started again when its main thread hangs, and answers", async () => {
    const port = await freePort();
    const environment = { BRIDGE_HOME: newHome(), PORT: String(port), BRIDGE_ADMIN_PORT: "0" };
    const program = runBridge(["up", "--sites", "5"], environment, ["--inspect=0", WRAPPER]);
    await program.says(/^ready /m, 60_000);
    await evaluateLater(program, "for (;;);");
    await program.says(/^bridge: the thread main used \d+ ms of processor time in one turn/m, 60_000);
    await program.says(/^bridge ended with code 5; restarting in 1 s/m);
    await until("the second start", () => starts(program) === 2, 60_000);
    expect(await answers(`http://127.0.0.1:${port}/api/bridge/ping`)).toBe(true);
    program.kill("SIGTERM");
    expect(await program.ended).toEqual({ code: 0, signal: null });
  }, 180_000);
});
