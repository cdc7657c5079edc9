import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/ports.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

const MAIN = fileURLToPath(new URL("../../../app/main.ts", import.meta.url));
const PATH = "/api/discovery/provider/test-callback";

let registry: TestRegistry;
let port: number;
beforeAll(async () => {
  port = await freePort();
  registry = await startRegistry({
    world: { sites: 1 },
    roles: ["provider"],
    alsoAllow: `127.0.0.1/32:${port}`,
  });
});
afterAll(() => registry?.stop());

describe("a receiver on loopback", () => {
  it("prints a test webhook, and tells a signature that holds from one that does not", async () => {
    const child = spawn(process.execPath, [MAIN, "receive-webhooks", "--port", `${port}`, "--secret", "tea"]);
    let [out, err] = ["", ""];
    child.stdout.on("data", (part) => (out += part));
    child.stderr.on("data", (part) => (err += part));
    try {
      await expect.poll(() => err, { timeout: 20_000 }).toContain(`http://127.0.0.1:${port}/`);
      const send = (callback_secret: string) =>
        registry.postJson(PATH, { callback_url: `http://127.0.0.1:${port}/`, callback_secret });
      const { body } = await send("tea");
      expect(body).toMatchObject({ summary: { total: 0 }, results: [], callback: { accepted: true } });
      await expect.poll(() => out, { timeout: 20_000 }).toContain(`${body.request_id}  signature holds`);
      expect(JSON.parse(out.split("\n")[1]!)).toEqual(body);
      const other = (await send("coffee")).body;
      await expect.poll(() => out, { timeout: 20_000 }).toContain(`${other.request_id}  signature is wrong`);
    } finally {
      child.kill("SIGTERM");
      expect((await once(child, "exit"))[0]).toBe(0);
    }
  });

  it("cannot be named where it is not allowed", async () => {
    const { status, body } = await registry.postJson(PATH, { callback_url: "http://127.0.0.1:1/" });
    expect([status, body.code]).toEqual([400, "invalid_callback"]);
  });
});
