import { execFile } from "node:child_process";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, it } from "vitest";

const SESSION = join(import.meta.dirname, "nats-session.ts");

/** Passes a connection on to the broker and keeps what the client said. */
async function recorder(target: URL) {
  const said: Buffer[] = [];
  const server = createServer((client) => {
    const broker = connect(Number(target.port), target.hostname);
    client.on("data", (chunk) => said.push(chunk));
    client.pipe(broker).pipe(client);
    for (const socket of [client, broker]) socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, said, close: () => server.close() };
}

/** What differs between any two connections: the process's number in subjects, and the random names of inboxes. */
const comparable = (bytes: Buffer, pid: number): string =>
  bytes
    .toString("latin1")
    .replaceAll(`patches.${pid}`, "patches.N")
    .replace(/_INBOX\.\w+(?:\.\w+)?/g, "_INBOX")
    .replace(/(PUB _INBOX) \d+/g, "$1");

/** @returns the answers that the session got, and the bytes that it sent */
async function run(which: "plain" | "patched") {
  const broker = new URL(inject("natsUrl"));
  const { port, said, close } = await recorder(broker);
  const url = Object.assign(new URL(broker.href), { port: String(port) });
  const child = promisify(execFile)(process.execPath, [SESSION, url.href.replace(/\/$/, ""), which]);
  const pid = child.child.pid!;
  const { stdout } = await child;
  close();
  return { came: JSON.parse(stdout) as string[], sent: comparable(Buffer.concat(said), pid) };
}

describe("the NATS client with its patches", () => {
  it("sends the bytes and gets the answers of the plain client", async () => {
    const [plain, patched] = [await run("plain"), await run("patched")];
    expect(plain.came).toHaveLength(5 + 1 + 50 + 2);
    expect(patched.came).toEqual(plain.came);
    expect(patched.sent === plain.sent).toBe(true);
  }, 30_000);
});
